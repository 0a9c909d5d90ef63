// Command chat is a chat with an echo: what is typed is answered word by word, in
// Markdown, while the finished text scrolls into the terminal's own scrollback.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

func main() {
	tm, err := term.Open(term.Options{Output: os.Stdout})
	if err == nil {
		err = run(context.Background(), tm, tui.QuitSignals()...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, tm *term.Terminal, signals ...os.Signal) error {
	defer tm.Close()
	th := theme.Dark().For(tm.Facts().Depth)
	p := tui.New(tui.Options{Terminal: tm, QuitKeys: []string{"ctrl+c", "ctrl+d"}, Signals: signals})
	ed := tui.NewEditor(p.Bindings())
	ed.Placeholder = "say something; ctrl+c ends"
	ed.Style = tui.EditorStyle{Border: th.Fg("borderAccent"), Placeholder: th.Fg("dim")}
	ed.OnSubmit = func(s string) {
		p.Transcript.Append(tui.NewBox(1, 0, th.Bg("userMessageBg"), tui.NewText(text.Sanitize(s))))
		answer := markdown.New(markdown.Options{Theme: markdown.ThemeOf(th)})
		answer.SetStreaming(true)
		item := p.Transcript.Append(answer)
		p.Go(func() { // not the program's goroutine: from here everything goes through Do
			said := ""
			for word := range strings.SplitAfterSeq("You said **"+s+"**. I am only an *echo*.", " ") {
				time.Sleep(60 * time.Millisecond)
				p.Do(func() { said += word; answer.SetText(said); item.Touch() })
			}
			p.Do(func() { answer.SetStreaming(false); item.Touch() })
		})
	}
	p.Bottom.Add(ed)
	p.SetFocus(ed)
	return p.Run(ctx)
}
