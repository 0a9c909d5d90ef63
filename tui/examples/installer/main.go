// Command installer asks where to and what, and then pretends to install it: a
// program that is written from the top down, with questions that wait for answers.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/theme"
)

func main() {
	tm, err := term.Open(term.Options{Output: os.Stdout})
	if err == nil {
		err = run(context.Background(), tm, tui.QuitSignals()...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "installer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, tm *term.Terminal, signals ...os.Signal) error {
	defer tm.Close()
	th := theme.Dark().For(tm.Facts().Depth)
	p := tui.New(tui.Options{Terminal: tm, QuitKeys: []string{"ctrl+c"}, Signals: signals})
	p.Go(func() { p.Quit(install(ctx, p, th)) })
	return p.Run(ctx)
}

var errCancelled = errors.New("nothing was installed")

// install runs on a goroutine of its own, so that it can wait.
func install(ctx context.Context, p *tui.Program, th *theme.Theme) error {
	style := tui.ListStyleOf(th)
	values, ok := tui.Ask(ctx, p, tui.OverlayOptions{Width: tui.Cells(50)}, func(answer func(map[string]string, bool)) tui.Component {
		f := tui.NewForm(p.Bindings(), tui.Field{ID: "dir", Label: "Where to", Value: "/opt/thing", Check: func(s string) error {
			if !strings.HasPrefix(s, "/") {
				return errors.New("write the path from / on")
			}
			return nil
		}})
		f.Style.Error = th.Fg("error")
		f.OnSubmit = func(values map[string]string) { answer(values, true) }
		f.OnCancel = func() { answer(nil, false) }
		return &tui.Frame{Child: f, Title: "Install", Style: th.Fg("borderAccent")}
	})
	if !ok {
		return errCancelled
	}
	part, ok := tui.Choose(ctx, p, "What to install", "", style,
		tui.ListItem{Value: "all", Label: "Everything", Description: "120 MB"},
		tui.ListItem{Value: "program", Label: "The program alone", Description: "20 MB"})
	if !ok || !tui.Confirm(ctx, p, "Sure?", "This writes to "+values["dir"]+".", style) {
		return errCancelled
	}
	bar := &tui.ProgressBar{Total: 100, Label: "Installing", Style: th.Fg("accent"), Rest: th.Fg("borderMuted")}
	p.Do(func() { p.Bottom.Add(bar) })
	for i := range int64(100) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(15 * time.Millisecond): // the work
		}
		p.Do(func() { bar.Done = i + 1 })
	}
	p.Do(func() {
		p.Bottom.Remove(bar)
		p.Transcript.Append(tui.NewText(th.Fg("success").Render("Installed") + " " + part.Value + " to " + values["dir"]))
	})
	return nil
}
