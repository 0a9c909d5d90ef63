package sessiontest

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// model is what a session should be, as plainly as it can be said.
type model struct {
	ids     []string // in order
	parents map[string]string
	texts   map[string]string
	labels  map[string]string
	leaf    string
	name    string
}

func (m *model) add(id, text string) {
	m.ids = append(m.ids, id)
	m.parents[id] = m.leaf
	if text != "" {
		m.texts[id] = text
	}
	m.leaf = id
}

// context gives the texts from the root to the leaf.
func (m *model) context() []string {
	var out []string
	for id := m.leaf; id != ""; id = m.parents[id] {
		if t, ok := m.texts[id]; ok {
			out = append([]string{t}, out...)
		}
	}
	return out
}

// testModel runs random operations on a session and on the model and compares
// them, again and again also after opening the session anew.
func testModel(t *testing.T, r session.Repo) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := session.Create(t.Context(), r, session.Header{}, session.Options{Now: clock(2026)})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { s.Close() }()
		m := &model{parents: map[string]string{}, texts: map[string]string{}, labels: map[string]string{}}
		must := func(id string, err error) string {
			if err != nil {
				rt.Fatal(err)
			}
			return id
		}
		m.add(must(s.Append(t.Context(), User("start"))), "start")
		anyID := func() string { return rapid.SampledFrom(m.ids).Draw(rt, "entry") }
		check := func() {
			if s.Leaf() != m.leaf {
				rt.Fatalf("leaf %q, want %q", s.Leaf(), m.leaf)
			}
			if got, want := fmt.Sprint(said(t, s)), fmt.Sprint(m.context()); got != want {
				rt.Fatalf("context %s, want %s", got, want)
			}
			if got := s.Stubs(); len(got) != len(m.ids) {
				rt.Fatalf("%d entries, want %d", len(got), len(m.ids))
			}
			for i, stub := range s.Stubs() {
				if stub.ID != m.ids[i] || stub.Parent != m.parents[stub.ID] {
					rt.Fatalf("entry %d is %s under %q, want %s under %q", i, stub.ID, stub.Parent, m.ids[i], m.parents[m.ids[i]])
				}
			}
			rows, err := s.Rows(t.Context())
			if err != nil || len(rows) != len(m.ids) {
				rt.Fatalf("%d rows, %v; want %d", len(rows), err, len(m.ids))
			}
			for _, row := range rows {
				if row.Label != m.labels[row.ID] {
					rt.Fatalf("label of %s is %q, want %q", row.ID, row.Label, m.labels[row.ID])
				}
			}
			if name, err := s.Name(t.Context()); name != m.name || err != nil {
				rt.Fatalf("name %q, %v; want %q", name, err, m.name)
			}
			st, err := s.Stats(t.Context())
			if err != nil || st.Messages != len(m.texts) {
				rt.Fatalf("%d messages, %v; want %d", st.Messages, err, len(m.texts))
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { check() },
			"say": func(rt *rapid.T) {
				text := rapid.StringMatching(`[a-z"\\\n東]{1,8}`).Draw(rt, "text")
				m.add(must(s.Append(t.Context(), User(text))), text)
			},
			"answer": func(rt *rapid.T) {
				text := rapid.StringMatching(`[a-z]{1,8}`).Draw(rt, "text")
				m.add(must(s.Append(t.Context(), Assistant(text))), text)
			},
			"note": func(rt *rapid.T) {
				m.add(must(s.Append(t.Context(), &session.ThinkingEntry{Level: ai.ThinkingLow})), "")
			},
			"label": func(rt *rapid.T) {
				id, text := anyID(), rapid.SampledFrom([]string{"", "x", "y"}).Draw(rt, "label")
				must(s.Append(t.Context(), &session.LabelEntry{TargetID: id, Label: text}))
				m.add(s.Leaf(), "")
				if text == "" {
					delete(m.labels, id)
				} else {
					m.labels[id] = text
				}
			},
			"name": func(rt *rapid.T) {
				m.name = rapid.SampledFrom([]string{"", "one", "two"}).Draw(rt, "name")
				must("", s.SetName(t.Context(), m.name))
				m.add(s.Leaf(), "")
			},
			"move": func(rt *rapid.T) {
				id := anyID()
				must("", s.MoveTo(t.Context(), id))
				m.leaf = id
			},
			"reset": func(rt *rapid.T) {
				must("", s.MoveTo(t.Context(), ""))
				m.leaf = ""
			},
			"refuse": func(rt *rapid.T) {
				if _, err := s.Append(t.Context(), &session.LabelEntry{TargetID: "nothing"}); !errors.Is(err, session.ErrNotFound) {
					rt.Fatal(err)
				}
			},
			"open again": func(rt *rapid.T) {
				must("", s.Close())
				s, err = session.Open(t.Context(), r, s.ID(), session.Options{Now: clock(2027)})
				must("", err)
			},
		})
	})
}
