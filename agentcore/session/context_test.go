package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

// stored makes a read-write session in memory of stored lines.
func stored(t testing.TB, lines ...string) *Session {
	t.Helper()
	st, err := NewMemory().Create(t.Context(), Header{}, func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield([]byte(l), nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func messageLine(id, parent, message string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-11-29T19:01:57.951Z","message":%s}`, id, p, message)
}

func userLine(id, parent, text string) string {
	return messageLine(id, parent, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%q}],"timestamp":1}`, text))
}

// brief shows a context, a line a message.
func brief(c Context) []string {
	var out []string
	for _, m := range c.Messages {
		text := ""
		switch m := m.(type) {
		case *ai.SystemMessage:
			text = m.Text()
			for _, t := range m.ToolsAdded {
				text += " +" + t.Name
			}
			text = strings.ReplaceAll(text, "\n\n", "|")
		case *ai.UserMessage:
			text = ai.TextOf(m.Content, "")
		case *ai.AssistantMessage:
			text = m.Text()
		case *ai.ToolResultMessage:
			text = ai.TextOf(m.Content, "")
		case *CompactionSummary:
			text = m.Summary
		case *BranchSummary:
			text = m.Summary
		case *CustomMessage:
			text = ai.TextOf(m.Content, "")
		}
		out = append(out, string(m.Role())+" "+text)
	}
	return out
}

// The vector of the format's description: two compactions, an edit, system
// messages, and a message of a foreign kind in one branch.
func TestContextVector(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	bash := &OpaqueMessage{Kind: "bashExecution", Raw: json.RawMessage(`{"role":"bashExecution","command":"ls"}`)}
	s := stored(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	put := func(e Entry) string {
		t.Helper()
		at = at.Add(time.Second)
		e.Head().Time = at
		id, err := s.Append(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	user := func(text string) string { return put(&MessageEntry{Message: ai.UserText(text)}) }
	assistant := func(text string) string {
		return put(&MessageEntry{Message: &ai.AssistantMessage{Provider: "p", Model: "m", Content: []ai.Block{&ai.Text{Text: text}}, StopReason: ai.StopEnd}})
	}
	system := func() *ai.SystemMessage {
		var all []ai.Message
		entries, err := s.Branch(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e, ok := e.(*MessageEntry); ok {
				if m, ok := e.Message.(*ai.SystemMessage); ok {
					all = append(all, m)
				}
			}
		}
		sum := ai.ReplaySystem(all).Message
		sum.Timestamp = at.Add(time.Second).UnixMilli()
		return sum
	}
	put(&ThinkingEntry{Level: ai.ThinkingHigh})
	put(&MessageEntry{Message: &ai.SystemMessage{Content: "SYS", Sections: []ai.Section{{Name: "a", Text: new("1")}, {Name: "b", Text: new("2")}}, ToolsAdded: []ai.Tool{{Name: "t"}}}})
	user("u1")
	assistant("a1")
	put(&MessageEntry{Message: &ai.SystemMessage{
		Content: "LATER", Sections: []ai.Section{{Name: "a"}, {Name: "c", Text: new("3")}, {Name: "b", Text: new("2b")}},
		ToolsRemoved: []string{"t"}, ToolsAdded: []ai.Tool{{Name: "z"}},
	}})
	u2 := user("u2")
	a2 := assistant("a2")
	put(&ContextEditEntry{TargetID: a2, Replacement: &Replacement{Content: []ai.Block{&ai.Text{Text: "a2-edited"}}}})
	put(&MessageEntry{Message: bash})
	put(&CompactionEntry{Summary: "S1", FirstKept: u2, System: system()})
	user("u3")
	assistant("a3")
	put(&CompactionEntry{Summary: "S2", FirstKept: u2, System: system()})
	compacted := at
	user("u4")

	want := []string{
		"system SYS|LATER|2b|3 +z", "compactionSummary S2", "user u2", "assistant a2-edited", "bashExecution ", "user u3", "assistant a3", "user u4",
	}
	for round := range 2 { // decoded the second time round
		c, err := s.Context(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, brief(c)); d != "" {
			t.Errorf("round %d (-want +got):\n%s", round, d)
		}
		if c.Thinking != ai.ThinkingHigh || c.Model == nil || *c.Model != (ModelRef{"p", "m"}) {
			t.Errorf("thinking %q, model %v", c.Thinking, c.Model)
		}
		if got := c.Messages[0].Time(); !got.Equal(compacted) {
			t.Errorf("system message of %v, want %v", got, compacted)
		}
		if len(c.Entries) != len(c.Messages) || c.Entries[2] != u2 || c.Entries[0] != c.Entries[1] {
			t.Errorf("entries %v", c.Entries)
		}
	}
	if e, err := s.Entry(ctx, a2); err != nil || e.(*MessageEntry).Message.(*ai.AssistantMessage).Text() != "a2" {
		t.Errorf("the edited entry itself must stay: %v, %v", e, err)
	}
	r, err := s.Restore(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Prompt.Tools) != 1 || r.Prompt.Tools[0].Name != "z" || r.Thinking != ai.ThinkingHigh || r.Model.ModelID != "m" {
		t.Errorf("restored %+v", r)
	}
}

func TestCompactionKeeps(t *testing.T) {
	t.Parallel()
	build := func(firstKept string) []string {
		return []string{
			messageLine("s", "", `{"role":"system","content":"sys"}`), userLine("a", "s", "a"), userLine("b", "a", "b"),
			`{"type":"compaction","id":"c","parentId":"b","timestamp":"2026-11-29T19:01:57.951Z","summary":"sum","tokensBefore":1` + firstKept + `}`,
			messageLine("s2", "c", `{"role":"system","content":"sys2"}`), userLine("d", "s2", "d"),
		}
	}
	tests := []struct {
		name, firstKept string
		want            []string
	}{
		{"from an entry on", `,"firstKeptEntryId":"b"`, []string{"compactionSummary sum", "user b", "system sys2", "user d"}},
		{"from the start, without system messages", `,"firstKeptEntryId":"s"`, []string{"compactionSummary sum", "user a", "user b", "system sys2", "user d"}},
		{"nothing: its own id", `,"firstKeptEntryId":"c"`, []string{"compactionSummary sum", "system sys2", "user d"}},
		{"nothing: an entry that is not there", `,"firstKeptEntryId":"zz"`, []string{"compactionSummary sum", "system sys2", "user d"}},
		{"nothing: an entry behind it", `,"firstKeptEntryId":"d"`, []string{"compactionSummary sum", "system sys2", "user d"}},
		{"nothing: no id", ``, []string{"compactionSummary sum", "system sys2", "user d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := stored(t, build(tt.firstKept)...).Context(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, brief(c)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestContextEdits(t *testing.T) {
	t.Parallel()
	edit := func(id, parent, target, replacement string) string {
		return fmt.Sprintf(`{"type":"context_edit","id":%q,"parentId":%q,"timestamp":"2026-11-29T19:01:57.951Z","targetId":%q,"replacement":%s}`, id, parent, target, replacement)
	}
	base := []string{
		userLine("u", "", "u"),
		messageLine("t", "u", `{"role":"toolResult","toolCallId":"1","toolName":"x","content":[{"type":"text","text":"t"}],"isError":true,"timestamp":1}`),
		`{"type":"custom_message","id":"c","parentId":"t","timestamp":"2026-11-29T19:01:57.951Z","customType":"x","content":"c","display":true}`,
	}
	tests := []struct {
		name string
		more []string
		leaf string
		want []string
	}{
		{"left out", []string{edit("e", "c", "t", "null")}, "", []string{"user u", "custom c"}},
		{"a string for a tool result", []string{edit("e", "c", "t", `{"content":"T"}`)}, "", []string{"user u", "toolResult T", "custom c"}},
		{"custom", []string{edit("e", "c", "c", `{"content":[{"type":"text","text":"C"}]}`)}, "", []string{"user u", "toolResult t", "custom C"}},
		{"the later one counts", []string{edit("e", "c", "u", "null"), edit("f", "e", "u", `{"content":"U"}`)}, "", []string{"user U", "toolResult t", "custom c"}},
		{"of this branch only", []string{edit("e", "c", "u", "null"), userLine("v", "c", "v")}, "v", []string{"user u", "toolResult t", "custom c", "user v"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := stored(t, append(base[:3:3], tt.more...)...)
			c, err := s.ContextAt(t.Context(), tt.leaf)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, brief(c)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, m := range c.Messages {
				if r, ok := m.(*ai.ToolResultMessage); ok && (!r.IsError || r.ToolCallID != "1") {
					t.Errorf("the edit lost other fields: %+v", r)
				}
			}
		})
	}
}

func TestRestoreModel(t *testing.T) {
	t.Parallel()
	change := func(id, parent, model string) string {
		p := "null"
		if parent != "" {
			p = `"` + parent + `"`
		}
		return fmt.Sprintf(`{"type":"model_change","id":%q,"parentId":%s,"timestamp":"2026-11-29T19:01:57.951Z","provider":"p","modelId":%q}`, id, p, model)
	}
	answer := func(id, parent, model string) string {
		return messageLine(id, parent, fmt.Sprintf(`{"role":"assistant","content":[],"provider":"p","model":%q}`, model))
	}
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"none", []string{userLine("u", "", "u")}, ""},
		{"chosen last", []string{answer("a", "", "m1"), change("b", "a", "m2"), userLine("u", "b", "u")}, "m2"},
		{"answered last", []string{change("a", "", "m1"), answer("b", "a", "m2"), userLine("u", "b", "u")}, "m2"},
		{"answered for a virtual one", []string{change("a", "", "virtual"), answer("b", "a", "m2"), answer("c", "b", "m3")}, "virtual"},
		{"only answered", []string{answer("a", "", "m1"), answer("b", "a", "m2")}, "m2"},
		{"an older virtual choice does not count", []string{change("z", "", "virtual"), change("a", "z", "m1"), answer("b", "a", "m2")}, "m2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := stored(t, tt.lines...).Restore(t.Context(), func(m ModelRef) bool { return m.ModelID == "virtual" })
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if r.Model != nil {
				got = r.Model.ModelID
			}
			if got != tt.want || r.Thinking != "" {
				t.Errorf("model %q, want %q; thinking %q, want none", got, tt.want, r.Thinking)
			}
		})
	}
}

// Older files have no system message in their compactions; then what stands
// before them still says which tools there were.
func TestRestoreToolsOfOldCompaction(t *testing.T) {
	t.Parallel()
	r, err := stored(t,
		messageLine("s", "", `{"role":"system","content":"sys","toolsAdded":[{"name":"t","description":"","parameters":{}}]}`),
		`{"type":"compaction","id":"c","parentId":"s","timestamp":"2026-11-29T19:01:57.951Z","summary":"sum","firstKeptEntryId":"c","tokensBefore":1}`,
		userLine("u", "c", "u"),
	).Restore(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Prompt.Tools) != 1 || r.Prompt.Text != "sys" {
		t.Errorf("prompt %+v", r.Prompt)
	}
}

func TestModelMessages(t *testing.T) {
	t.Parallel()
	got := ModelMessages([]agentcore.Message{
		ai.UserText("u"),
		&OpaqueMessage{Kind: "x", Raw: json.RawMessage(`{}`)},
		&BranchSummary{},
		&BranchSummary{Summary: "b"},
		&CompactionSummary{Summary: "c", Timestamp: 5},
		&CustomMessage{Content: []ai.Block{&ai.Text{Text: "x"}}, Timestamp: 6},
	})
	if len(got) != 4 {
		t.Fatalf("%d messages, want 4", len(got))
	}
	for i, want := range []string{"u", "<summary>\nb\n</summary>", "<summary>\nc\n</summary>", "x"} {
		u, ok := got[i].(*ai.UserMessage)
		if !ok || !strings.Contains(ai.TextOf(u.Content, ""), want) {
			t.Errorf("message %d is %#v, want a user's with %q", i, got[i], want)
		}
	}
	if got[2].Time().UnixMilli() != 5 || got[3].Time().UnixMilli() != 6 {
		t.Error("the time was lost")
	}
}

// A program's own message kinds are read by its own decoder and converted by
// their own method.
func TestCodec(t *testing.T) {
	t.Parallel()
	codec := Codec{"note": func(data json.RawMessage) (agentcore.Message, error) {
		var n note
		return &n, json.Unmarshal(data, &n)
	}}
	e, err := DecodeEntry([]byte(messageLine("a", "", `{"role":"note","body":"b"}`)), codec)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := e.(*MessageEntry).Message.(*note)
	if !ok || n.Body != "b" {
		t.Fatalf("got %#v", e)
	}
	line, err := encodeLine(e)
	if err != nil || !strings.Contains(string(line), `"message":{"role":"note","body":"b"}`) {
		t.Errorf("%s, %v", line, err)
	}
	if got := ModelMessages([]agentcore.Message{n}); len(got) != 1 {
		t.Errorf("converted to %v", got)
	}
	if _, err := DecodeEntry([]byte(messageLine("a", "", `{"role":"note","body":5}`)), codec); err == nil {
		t.Error("the decoder's error was lost")
	}
}

type note struct {
	Kind string `json:"role"`
	Body string `json:"body"`
}

func (*note) Role() ai.Role              { return "note" }
func (*note) Time() time.Time            { return time.Time{} }
func (n *note) ModelMessage() ai.Message { return ai.UserText(n.Body) }
