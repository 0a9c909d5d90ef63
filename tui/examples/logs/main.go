// Command logs shows what comes on its standard input in a window of its own, as a
// pager does that follows a log:
//
//	journalctl -f | logs
//
// The wheel, the page keys, j and k scroll, / searches, e leaves out all lines but
// those with an error, q ends.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

func main() {
	// The keyboard is read from the terminal, not from the standard input.
	tm, err := term.Open(term.Options{FullScreen: true, Mouse: true, Output: os.Stdout})
	if err == nil {
		err = run(context.Background(), tm, os.Stdin, tui.QuitSignals()...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "logs:", err)
		os.Exit(1)
	}
}

// viewer is the program. All of it belongs to the program's goroutine.
type viewer struct {
	*tui.Program
	th     *theme.Theme
	status *tui.Text
	lines  []string
	errors int
	only   bool // lines with an error
	ended  bool
}

func run(ctx context.Context, tm *term.Terminal, in io.Reader, signals ...os.Signal) error {
	defer tm.Close()
	th := theme.Dark().For(tm.Facts().Depth)
	v := &viewer{th: th, status: tui.NewText("")}
	v.Program = tui.New(tui.Options{
		Terminal: tm, Signals: signals, QuitKeys: []string{"q", "ctrl+c"},
		ScrollbarTrack: th.Fg("borderMuted").Render("│"), ScrollbarThumb: th.Fg("muted").Render("┃"),
	})
	v.Bottom.Add(&tui.Rule{Style: th.Fg("border")}, v.status)
	v.Filter(v.key)
	v.show()
	v.Go(func() {
		sc := bufio.NewScanner(in)
		for sc.Scan() {
			line := text.Sanitize(sc.Text()) // a log may hold anything
			v.Do(func() { v.add(line) })
		}
		v.Do(func() { v.ended = true; v.show() })
	})
	return v.Run(ctx)
}

// key handles the keys of the viewer. While one searches, the search has the focus
// and gets them.
func (v *viewer) key(ev input.Event) bool {
	k, ok := ev.(input.Key)
	if !ok || v.Focus() != nil {
		return false
	}
	switch k.Text {
	case "j":
		v.Scroll(1)
	case "k":
		v.Scroll(-1)
	case "/":
		v.OpenSearch()
	case "e":
		v.only = !v.only
		v.Transcript.Clear()
		for _, l := range v.lines {
			v.append(l)
		}
	default:
		return false
	}
	v.show()
	return true
}

func (v *viewer) add(line string) {
	v.lines = append(v.lines, line)
	if isError(line) {
		v.errors++
	}
	v.append(line)
	v.show()
}

func isError(line string) bool { return strings.Contains(strings.ToLower(line), "error") }

func (v *viewer) append(line string) {
	switch {
	case isError(line):
		v.Transcript.Append(tui.NewText(v.th.Fg("error").Render(line)))
	case !v.only:
		v.Transcript.Append(tui.NewText(line))
	}
}

func (v *viewer) show() {
	s := fmt.Sprintf("%d lines, %d with an error", len(v.lines), v.errors)
	if v.ended {
		s += ", at the end"
	}
	v.status.SetText(v.th.Fg("muted").Render(s) + v.th.Fg("dim").Render(" · / search · e errors · q quit"))
}
