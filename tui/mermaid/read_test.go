package mermaid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/text"
)

// edgesOf writes the edges of a flowchart down: from, text, marks, weight, to.
func edgesOf(t *testing.T, src string) string {
	t.Helper()
	d, err := readFlowchart(newSource("flowchart TD\n"+src, false))
	if err != nil {
		return err.Error()
	}
	name := func(e end) string {
		if e.group != nil {
			return "{" + e.group.id + "}"
		}
		return e.node.id
	}
	var out []string
	for _, e := range d.(*graph).edges {
		out = append(out, fmt.Sprintf("%s %d%d%d%s %s %s", name(e.from), e.fromMark, e.weight, e.toMark, choose(e.hidden, "h", ""), strings.Join(e.text, "/"), name(e.to)))
	}
	return strings.Join(out, ", ")
}

// The ways in which edges are written. The digits are the mark at the beginning, the weight
// and the mark at the end.
func TestEdgesAreRead(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"A-->B":                               "A 001  B",
		"A --- B":                             "A 000  B",
		"A ----> B":                           "A 001  B",
		"A --> B --> C":                       "A 001  B, B 001  C",
		"A & B --> C & D":                     "A 001  C, A 001  D, B 001  C, B 001  D",
		"A -->|a text| B":                     "A 001 a text B",
		`A -->|"a | b"| B`:                    "A 001 a | b B",
		"A -- a text --> B":                   "A 001 a text B",
		"A -- a text --- B":                   "A 000 a text B",
		"A--a-->B":                            "A 001 a B",
		"A -.-> B":                            "A 011  B",
		"A -. a .-> B":                        "A 011 a B",
		"A -.- B":                             "A 010  B",
		"A ==> B":                             "A 021  B",
		"A == a ==> B":                        "A 021 a B",
		"A === B":                             "A 020  B",
		"A <--> B":                            "A 101  B",
		"A o--o B":                            "A 505  B",
		"A x--x B":                            "A 606  B",
		"A --x B":                             "A 006  B",
		"A ~~~ B":                             "A 000h  B",
		"A-->B; B-->C;":                       "A 001  B, B 001  C",
		"my-node.1 --> other_node":            "my-node.1 001  other_node",
		`A["x --> y; z"]:::red --> B`:         "A 001  B",
		"A e1@--> B\ne1@{ animate: true }":    "A 001  B",
		"subgraph S [T]\nA\nend\nS --> B":     "{S} 001  B",
		"A --> S\nsubgraph S\nB\nend":         "A 001  {S}",
		"A --> B %% and so on":                "A 001  B",
		"classDef x fill:#f00\nA --> B":       "A 001  B",
		"click A \"https://x\" _blank\nA-->B": "A 001  B",
	} {
		if got := edgesOf(t, src); got != want {
			t.Errorf("%q is %q, want %q", src, got, want)
		}
	}
}

// Texts of nodes: quotes, breaks, marks and codes.
func TestTextsAreCleaned(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`"a (b)"`:                "a (b)",
		`a<br/>b<BR>c`:           "a|b|c",
		`a\nb`:                   "a|b",
		"\"`**bold** text`\"":    "bold text",
		`<b>x</b> &amp; #quot;y`: `x & "y`,
		`#9829; #35; &lt;T&gt;`:  "♥ # <T>",
		`#x41;#27;[31mred`:       "A" + text.Sanitize("\x1b[31mred"),
		`List<int>`:              "List<int>",
		"  many   blanks ":       "many blanks",
	} {
		if got := strings.Join(clean(src), "|"); got != want {
			t.Errorf("%q is %q, want %q", src, got, want)
		}
	}
}

// What is not understood to the last statement is not drawn.
func TestNothingIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"sankey-beta\na,b,1", "flowchart XY\nA-->B", "flowchart TD\nA -->> B", "flowchart TD\nA[open", "flowchart TD\nA --> ", "flowchart TD\nsubgraph S\nA", "flowchart TD\nend",
		"flowchart TD\nsubgraph S\nA\nend\nS --> A", "flowchart TD\nA[[x] --> B", "stateDiagram-v2\nA ==> B", "stateDiagram-v2\nstate A {\nB", "stateDiagram-v2\n}", "classDiagram\nA <|-| B",
		"classDiagram\nclass A {\n+x", "erDiagram\nA ||--?? B : x", "erDiagram\nA {\nint", "erDiagram\nA {\nint id XX\n}", "sequenceDiagram\nA=>>B: x", "sequenceDiagram\nloop x\nA->>B: y",
		"sequenceDiagram\nend", "sequenceDiagram\nelse", "pie\nx : y", "pie\n\"a\" : -1", "gantt\nx : what, ever, it, is", "gantt\nx : after nothing, 3d", "gantt\ndateFormat X\na : 1, 2",
		"timeline\n: x", "mindmap\na\nb", "gitGraph\ncheckout nowhere", "gitGraph\nmerge main", "gitGraph\nfork",
	} {
		if d, err := Render(src, Options{Width: 100}); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v\n%s", src, err, d)
		}
	}
	for _, src := range []string{"", "flowchart TD", "%% nothing", "pie", "---\ntitle: x\n---\n", "sequenceDiagram", "mindmap", "gitGraph", "gantt", "timeline"} {
		if _, err := Render(src, Options{Width: 100}); !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v, want %v", src, err, ErrEmpty)
		}
	}
}

// The beginning of each diagram can be drawn once it has something to draw.
func TestBeginningsAreDrawn(t *testing.T) {
	t.Parallel()
	for name, src := range sources(t) {
		lines := slices.Collect(strings.Lines(src))
		drawn := 0
		for i := range lines {
			_, err := Render(strings.Join(lines[:i+1], ""), Options{Width: 300, Partial: true})
			switch {
			case err == nil:
				drawn++
			case drawn > 0 || !errors.Is(err, ErrEmpty):
				t.Errorf("%s: after line %d (%d beginnings were drawn): %v", name, i+1, drawn, err)
			}
		}
	}
}
