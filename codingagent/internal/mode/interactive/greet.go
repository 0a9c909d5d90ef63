package interactive

import (
	"strings"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// greeting is what is at the top of the conversation.
type greeting struct {
	ui    *ui
	lines []string
	width int
}

// Render gives the lines.
func (g *greeting) Render(width int) []string {
	if g.lines != nil && g.width == width {
		return g.lines
	}
	u := g.ui
	l := u.look
	key := func(action, what string) string {
		k := u.keys.Text(action)
		if k == "" {
			return ""
		}
		k, _, _ = strings.Cut(k, "/")
		return l.fg("muted", k) + l.fg("dim", " "+what)
	}
	var hints []string
	for _, h := range []string{
		key("app.interrupt", "stop"), key("app.exit", "exit"), l.fg("muted", "/") + l.fg("dim", " commands"),
		l.fg("muted", "!") + l.fg("dim", " shell"), l.fg("muted", "@") + l.fg("dim", " files"), key("app.tools.expand", "unfold"),
	} {
		if h != "" {
			hints = append(hints, h)
		}
	}
	g.width = width
	g.lines = []string{" " + l.bold("accent", "pi") + l.fg("dim", " "+oneLine(u.cfg.Version))}
	g.lines = append(g.lines, wrapJoined(hints, l.fg("dim", " · "), " ", width)...)
	g.lines = fit(g.lines, width)
	return g.lines
}

// Invalidate makes it be drawn anew.
func (g *greeting) Invalidate() { g.lines = nil }

// wrapJoined joins texts into as few lines as they fit into.
func wrapJoined(parts []string, sep, lead string, width int) []string {
	var lines []string
	line := ""
	for _, p := range parts {
		next := lead + p
		if line != "" {
			next = line + sep + p
		}
		if line != "" && text.Width(next) > width {
			lines = append(lines, line)
			next = lead + p
		}
		line = next
	}
	return append(lines, line)
}

// greet begins the transcript.
func (u *ui) greet(notes []string) {
	if !u.settings.QuietStartup {
		u.append(&greeting{ui: u})
	}
	u.tellNews()
	for _, n := range append(u.cfg.Notices, notes...) {
		u.append(tui.Spacer(1))
		u.append(&note{ui: u, token: "warning", body: Clean(n)})
	}
	if u.cfg.Unconfigured && len(u.cfg.First) > 0 {
		u.demoNote()
	}
	u.greeting = u.p.Transcript.Len()
}
