// Command gallery shows the components of package tui.
//
//	go run ./tui/cmd/gallery              # on the main screen
//	go run ./tui/cmd/gallery -full        # full-screen
//	go run ./tui/cmd/gallery -print 80    # print all components, 80 columns wide
//	go run ./tui/cmd/gallery | less -R    # the same
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

func main() {
	full := flag.Bool("full", false, "use the whole screen")
	light := flag.Bool("light", false, "use the light theme")
	width := flag.Int("print", 0, "print all components for a width in columns, and end")
	flag.Parse()
	if err := run(os.Stdout, *full, *light, *width); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, full, light bool, width int) error {
	th := theme.Dark()
	if light {
		th = theme.Light()
	}
	facts := term.FactsOf(os.Getenv)
	th = th.For(facts.Depth)
	if facts.Dumb {
		out = plain{out}
	}
	if width > 0 {
		return printAll(out, th, width)
	}
	tm, err := term.Open(term.Options{FullScreen: full, Mouse: full, Output: os.Stdout})
	if errors.Is(err, term.ErrNoTerminal) {
		return printAll(out, th, 80)
	}
	if err != nil {
		return err
	}
	defer tm.Close()
	var g *gallery
	p := tui.New(tui.Options{
		Terminal:       tm,
		Signals:        tui.QuitSignals(),
		ScrollbarTrack: th.Fg("borderMuted").Render("│"),
		ScrollbarThumb: th.Fg("muted").Render("┃"),
		OnCapabilities: func(c term.Capabilities) { g.learned(c) },
	})
	g = newGallery(p, th)
	if err := g.fill(); err != nil {
		return err
	}
	return p.Run(context.Background())
}

// printAll draws every component once.
func printAll(out io.Writer, th *theme.Theme, width int) error {
	all, err := sections(th, input.NewBindings(tui.StandardBindings()), term.Capabilities{}, nil)
	if err != nil {
		return err
	}
	for _, s := range all {
		head := &tui.Rule{Style: th.Fg("border"), Title: th.Style("accent", "", 0).Render(s.title)}
		for _, c := range []tui.Component{head, s.component, tui.Spacer(1)} {
			for _, line := range c.Render(width) {
				if _, err := fmt.Fprintln(out, line); err != nil {
					return fmt.Errorf("print %s: %w", s.title, err)
				}
			}
		}
	}
	return nil
}

// plain is a writer for terminals that know no sequences.
type plain struct{ to io.Writer }

// Write writes a line without its sequences.
func (p plain) Write(b []byte) (int, error) {
	_, err := io.WriteString(p.to, text.Strip(string(b)))
	return len(b), err
}
