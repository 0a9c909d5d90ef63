package interactive

import (
	"fmt"
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
		l.fg("muted", "!") + l.fg("dim", " shell"), l.fg("muted", "@") + l.fg("dim", " files"), key("app.tools.expand", "unfold output"),
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
	for _, n := range append(u.cfg.Notices, notes...) {
		u.append(tui.Spacer(1))
		u.append(&note{ui: u, token: "warning", body: Clean(n)})
	}
	if u.cfg.Unconfigured {
		u.firstRun()
	}
	u.greeting = u.p.Transcript.Len()
}

// firstRun says how to get a model.
func (u *ui) firstRun() {
	l := u.look
	head := func(s string) string { return l.bold("accent", s) }
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", head("Connect a model"))
	b.WriteString("No key was found and no local server is described. Any one of these will do:\n\n")
	fmt.Fprintf(&b, "%s  type %s and paste a key; it is not shown, and kept in\n    %s\n", head("1"), head("/login"), Clean(u.homePath(u.cfg.AgentDir+"/auth.json")))
	fmt.Fprintf(&b, "%s  set a variable before you start pi:\n    ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, …\n", head("2"))
	fmt.Fprintf(&b, "%s  a server on this machine (Ollama, llama.cpp, LM Studio): describe it in\n    %s\n", head("3"), Clean(u.homePath(u.cfg.AgentDir+"/models.json")))
	fmt.Fprintf(&b, "%s  or just try it: demo/guide is in use, a built-in helper that is no language\n    model but works with the real tools. Say %s.", head("4"), head("help"))
	t := tui.NewText(b.String())
	t.PadX = 1
	u.append(tui.Spacer(1))
	u.append(t)
}
