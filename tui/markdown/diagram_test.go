package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/mermaid"
	"github.com/pi-go/pi/tui/text"
)

// shown is what a component shows, without colours.
func shown(m *Markdown, width int) string {
	var b strings.Builder
	for _, l := range m.Render(width) {
		b.WriteString(text.Strip(l) + "\n")
	}
	return b.String()
}

const loginDiagram = "Before.\n\n```mermaid\nflowchart TD\n  A[Start] -->|go| B{Ok?}\n  B --> C[One]\n  subgraph S [Part]\n    B --> D[Two]\n    D --> E[\"`a text\n    of two lines`\"]\n  end\n  E --> C\n```\n\nAfter."

// While a diagram arrives it is drawn line by line, the page never gets shorter, and in
// the end it is the one that would have been drawn at once.
func TestDiagramsWhileTheyArrive(t *testing.T) {
	t.Parallel()
	for _, width := range []int{12, 40, 80} {
		m := New(Options{Mermaid: DiagramsStreaming})
		m.SetStreaming(true)
		height, drawnAt := 0, 0
		for i := range loginDiagram {
			m.SetText(loginDiagram[:i+1])
			lines := m.Render(width)
			check(t, lines, width)
			if len(lines) < height {
				t.Fatalf("width %d: after %q there are %d lines, before there were %d:\n%s", width, loginDiagram[:i+1], len(lines), height, shown(m, width))
			}
			height = len(lines)
			if strings.Contains(shown(m, width), "│ Start │") && drawnAt == 0 {
				drawnAt = i
			}
		}
		if first := strings.Index(loginDiagram, "{Ok?}\n") + len("{Ok?}"); width >= 40 && drawnAt != first {
			t.Errorf("width %d: drawn after %d bytes, want %d", width, drawnAt, first)
		}
		m.SetStreaming(false)
		whole := New(Options{Mermaid: DiagramsStreaming})
		whole.SetText(loginDiagram)
		if diff := cmp.Diff(whole.Render(width), m.Render(width)); diff != "" {
			t.Errorf("width %d (-whole +streamed):\n%s", width, diff)
		}
	}
}

func TestWhenDiagramsAreDrawn(t *testing.T) {
	t.Parallel()
	const open = "```mermaid\nflowchart LR\nA --> B\n"
	for name, c := range map[string]struct {
		text      string
		mode      Diagrams
		streaming bool
		drawn     bool
	}{
		"off":                        {open + "```\n", DiagramsOff, false, false},
		"final, it is open":          {open, DiagramsFinal, true, false},
		"final, it is complete":      {open + "```\n", DiagramsFinal, true, true},
		"final, nothing more comes":  {open, DiagramsFinal, false, true},
		"streaming, it is open":      {open, DiagramsStreaming, true, true},
		"streaming, half a line":     {open + "B --", DiagramsStreaming, true, true},
		"in a list":                  {"- x\n\n  ```mermaid\n  flowchart LR\n  A --> B\n  ```\n", DiagramsStreaming, false, true},
		"in a list that arrives":     {"- x\n\n  ```mermaid\n  flowchart LR\n  A --> B\n", DiagramsStreaming, true, false},
		"in capitals, with remarks":  {"~~~ Mermaid title\nflowchart LR\nA --> B\n~~~\n", DiagramsStreaming, false, true},
		"another language":           {"```mermaids\nflowchart LR\nA --> B\n```\n", DiagramsStreaming, false, false},
		"an unknown kind":            {"```mermaid\nsankey-beta\nA --> B\n```\n", DiagramsStreaming, false, false},
		"a statement not understood": {open + "B -->>> C ???\n```\n", DiagramsStreaming, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(Options{Mermaid: c.mode})
			m.SetStreaming(c.streaming)
			m.SetText(c.text)
			if got := shown(m, 60); strings.Contains(got, "│ A ├───▶│ B │") != c.drawn || strings.Contains(got, "A --> B") == c.drawn {
				t.Errorf("drawn should be %v:\n%s", c.drawn, got)
			}
		})
	}
}

func TestDiagramsInPlainSignsAndColours(t *testing.T) {
	t.Parallel()
	src := "```mermaid\nflowchart LR\nA --> B\n```\n"
	m := New(Options{Mermaid: DiagramsFinal, PlainSigns: true})
	m.SetText(src)
	if got := shown(m, 60); !strings.Contains(got, "| A +--->| B |") {
		t.Errorf("in plain signs:\n%s", got)
	}
	c := func(n uint8) text.Style { return text.Style{Fg: text.Indexed(n)} }
	m = New(Options{Mermaid: DiagramsFinal, Theme: Theme{Diagram: mermaid.Styles{mermaid.Frame: c(1), mermaid.Label: c(2), mermaid.Edge: c(3)}}})
	m.SetText(src)
	line := m.Render(60)[1]
	for _, want := range []string{c(1).Render("│"), c(2).Render("A"), c(3).Render("───▶")} {
		if !strings.Contains(line, want) {
			t.Errorf("%q has no %q", line, want)
		}
	}
}

// Texts of diagrams are cleaned, also where a code stands for a control character.
func TestDiagramsCanNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	m := New(Options{Mermaid: DiagramsFinal})
	m.SetText("```mermaid\nflowchart LR\nA[\"x#27;[2Jy\x1b[2J\"] -->|\"#155;2J #x1b;]0;t#7;\"| B[&#13;over]\n```\n")
	got := strings.Join(m.Render(60), "\n")
	if strings.ContainsAny(got, "\x1b\x07\r\u009b") || !strings.Contains(got, "over") || !strings.Contains(got, "┌") {
		t.Errorf("%q", got)
	}
}
