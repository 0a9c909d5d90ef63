package tui_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
)

// A whole program: what is typed appears above, until "bye".
func Example() {
	tm, err := term.Open(term.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer tm.Close()
	p := tui.New(tui.Options{Terminal: tm, QuitKeys: []string{"ctrl+c"}})
	in := tui.NewInput(p.Bindings())
	in.OnSubmit = func(s string) {
		if s == "bye" {
			p.Quit(nil)
			return
		}
		p.Transcript.Append(tui.NewText("You said: " + s))
		in.SetValue("")
	}
	p.Bottom.Add(in)
	p.SetFocus(in)
	if err := p.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// A component is anything with a Render method.
func ExampleComponent() {
	greeting := tui.Func(func(width int) []string {
		return []string{fmt.Sprintf("I have %d columns.", width)}
	})
	page := tui.NewContainer(&tui.Rule{Title: "hello"}, greeting)
	for _, line := range page.Render(24) {
		fmt.Println(line)
	}
	// Output:
	// ── hello ───────────────
	// I have 24 columns.
}

// Other goroutines change what is shown through Do.
func ExampleProgram_Do() {
	var p *tui.Program // made by tui.New
	download := func(step func(percent int64)) {}
	bar := &tui.ProgressBar{Total: 100, Label: "Downloading"}
	start := func() {
		p.Go(func() {
			download(func(percent int64) {
				p.Do(func() { bar.Done = percent })
			})
		})
	}
	_ = start
}

// Ask waits for an answer while the program goes on.
func ExampleAsk() {
	ask := func(ctx context.Context, p *tui.Program) {
		name, ok := tui.Ask(ctx, p, tui.OverlayOptions{}, func(answer func(string, bool)) tui.Component {
			in := tui.NewInput(p.Bindings())
			in.OnSubmit = func(s string) { answer(s, true) }
			in.OnCancel = func() { answer("", false) }
			return &tui.Frame{Child: in, Title: "Your name"}
		})
		fmt.Println(name, ok)
	}
	_ = ask
}

// Choose and Confirm are questions for a goroutine that waits for the answers, as
// an installer does.
func ExampleChoose() {
	install := func(ctx context.Context, p *tui.Program, style tui.ListStyle) error {
		part, ok := tui.Choose(ctx, p, "What to install", "", style, tui.ListItem{Value: "all"}, tui.ListItem{Value: "small"})
		if !ok || !tui.Confirm(ctx, p, "Sure?", "This writes to /opt.", style) {
			return context.Canceled
		}
		p.Do(func() { p.Transcript.Append(tui.NewText("Installing " + part.Value)) })
		return nil
	}
	start := func(ctx context.Context, p *tui.Program) error {
		p.Go(func() { p.Quit(install(ctx, p, tui.ListStyle{})) })
		return p.Run(ctx)
	}
	_ = start
}
