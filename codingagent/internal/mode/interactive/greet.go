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
	u.append(tui.Spacer(1))
	u.append(&steps{
		ui: u, title: "Connect a model",
		lead: "No key was found and no local server is described. Any one of these will do:",
		steps: []string{
			"Type /login and paste a key. It is not shown, and kept in " + u.homePath(u.cfg.AgentDir) + "/auth.json",
			"Set a variable before you start pi: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, …",
			"Use a server on this machine (Ollama, llama.cpp, LM Studio): describe it in " + u.homePath(u.cfg.AgentDir) + "/models.json",
			"Or just try it: demo/guide is in use, a built-in helper that is no language model but works with the real tools. Say help.",
		},
	})
}

// steps is a numbered list under a title.
type steps struct {
	ui          *ui
	title, lead string
	steps       []string
	lines       []string
	width       int
}

// Render gives the lines.
func (s *steps) Render(width int) []string {
	if s.lines != nil && s.width == width {
		return s.lines
	}
	l := s.ui.look
	s.width = width
	s.lines = []string{" " + l.bold("accent", s.title)}
	for _, line := range text.Wrap(Clean(s.lead), max(width-2, 1)) {
		s.lines = append(s.lines, " "+l.fg("text", line))
	}
	for i, step := range s.steps {
		mark := l.bold("accent", fmt.Sprint(i+1))
		for _, line := range text.Wrap(Clean(step), max(min(width-5, 76), 1)) {
			s.lines = append(s.lines, " "+mark+"  "+l.fg("text", line))
			mark = " "
		}
	}
	s.lines = fit(s.lines, width)
	return s.lines
}

// Invalidate makes it be drawn anew.
func (s *steps) Invalidate() { s.lines = nil }
