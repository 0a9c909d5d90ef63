package ai

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Messages as they are stored, with fields that this package does not know.
var storedMessages = []string{
	`{"role":"system","content":"Be brief.","sections":{"b":"two","a":null},"timestamp":5,"toolsAdded":[{"name":"t","description":"d","parameters":{"type":"object"},"constrainedSampling":{"type":"json_schema","strict":"prefer"},"x":1},{"name":"u","description":"","parameters":{"type":"object"},"constrainedSampling":false}],"toolsRemoved":[{"name":"v"}],"later":[1,2]}`,
	`{"role":"user","content":[{"type":"text","text":"a\u0001<b>","new":true},{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"video","url":"x"}],"timestamp":1700000000000,"z":null}`,
	`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s","redacted":true},{"type":"text","text":"x","textSignature":"{\"v\":1}"},{"type":"toolCall","id":"1","name":"n","arguments":{"b":1.50,"a":[]},"thoughtSignature":"q","namespace":"ns"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":1,"reasoning":1,"totalTokens":10,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":1e-7,"total":0.3,"totalFromProvider":false},"odd":1},"stopReason":"toolUse","timestamp":7,"responseId":"r","responseModel":"mm","rawStopReason":"tool_calls","errorMessage":"e","durationMs":12,"thinkingLevel":"high","providerThinkingLevel":"HIGH","diagnostics":[{"type":"d","timestamp":1}],"deferred":{"id":"x"},"endTurn":false,"extra":{"k":1}}`,
	`{"role":"toolResult","toolCallId":"1","toolName":"n","content":[{"type":"text","text":"r"}],"details":{"k":1},"usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"nestedCalls":[1],"isError":true,"durationMs":3,"timestamp":8,"more":"x"}`,
}

func TestStoredMessagesSurvive(t *testing.T) {
	t.Parallel()
	for _, in := range storedMessages {
		m, err := DecodeMessage([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		out := m.AppendJSON(nil)
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s message changed (-in +out):\n%s", m.Role(), diff)
		}
	}
	// Numbers and key order inside arguments are the vendor's cache key.
	m, err := DecodeMessage([]byte(storedMessages[2]))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.(*AssistantMessage).ToolCalls()[0].Arguments); got != `{"b":1.50,"a":[]}` {
		t.Errorf("arguments %s", got)
	}
}

func TestDecodeMessageErrors(t *testing.T) {
	t.Parallel()
	var role UnknownRoleError
	if _, err := DecodeMessage([]byte(`{"role":"bashExecution"}`)); !errors.As(err, &role) || role != "bashExecution" {
		t.Errorf("unknown role: %v", err)
	}
	for _, in := range []string{``, `[]`, `{`, `{"role":"user","content":5}`, `{"role":"user","content":[{"type":"text","text":5}]}`} {
		if m, err := DecodeMessage([]byte(in)); err == nil {
			t.Errorf("%s gave %+v", in, m)
		}
	}
	m, err := DecodeMessage([]byte(`{"role":"user","content":"hi","timestamp":1e3}`))
	if err != nil || TextOf(m.(*UserMessage).Content, "") != "hi" || m.(*UserMessage).Timestamp != 1000 {
		t.Errorf("content as text: %+v, %v", m, err)
	}
}

func FuzzDecodeMessage(f *testing.F) {
	for _, s := range storedMessages {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		m, err := DecodeMessage([]byte(in))
		if err != nil {
			return
		}
		once := m.AppendJSON(nil)
		if !json.Valid(once) {
			t.Fatalf("%s became %s, which is not JSON", in, once)
		}
		again, err := DecodeMessage(once)
		if err != nil {
			t.Fatalf("%s became %s, which can not be read: %v", in, once, err)
		}
		if twice := again.AppendJSON(nil); string(once) != string(twice) {
			t.Fatalf("%s became %s, then %s", in, once, twice)
		}
	})
}

func TestReplaySystem(t *testing.T) {
	t.Parallel()
	p := ReplaySystem([]Message{
		&SystemMessage{Content: "a", Sections: []Section{{"x", new("1")}, {"y", new("2")}}, ToolsAdded: []Tool{{Name: "t"}, {Name: "u"}}},
		UserText("skipped"),
		&SystemMessage{Content: "b", Sections: []Section{{"x", nil}, {"z", new("3")}, {"y", new("4")}}, ToolsRemoved: []string{"t"}, ToolsAdded: []Tool{{Name: "v"}}},
		&SystemMessage{Sections: []Section{{"x", new("5")}}, ToolsRemoved: []string{"u"}, ToolsAdded: []Tool{{Name: "u", Description: "new"}}, Timestamp: 9},
	})
	if p.Text != "a\n\nb\n\n4\n\n3\n\n5" {
		t.Errorf("text %q", p.Text)
	}
	var names string
	for _, tool := range p.Tools {
		names += tool.Name + tool.Description + " "
	}
	if names != "unew v " || p.Message.Timestamp != 9 {
		t.Errorf("tools %q", names)
	}
}

// Applying changes one by one or at once is the same.
func TestReplaySystemComposes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Message {
			s := &SystemMessage{Content: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "content")}
			for _, n := range rapid.SliceOfNDistinct(name, 0, 2, rapid.ID).Draw(t, "sections") {
				sec := Section{Name: n}
				if rapid.Bool().Draw(t, "set") {
					sec.Text = new(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "text"))
				}
				s.Sections = append(s.Sections, sec)
			}
			for _, n := range rapid.SliceOfNDistinct(name, 0, 2, rapid.ID).Draw(t, "added") {
				s.ToolsAdded = append(s.ToolsAdded, Tool{Name: n, Description: rapid.SampledFrom([]string{"", "d"}).Draw(t, "description")})
			}
			s.ToolsRemoved = rapid.SliceOfN(name, 0, 2).Draw(t, "removed")
			return s
		}), 1, 6).Draw(t, "messages")
		all := ReplaySystem(list)
		so := ReplaySystem(list[:1]).Message
		for _, m := range list[1:] {
			so = ReplaySystem([]Message{so, m}).Message
		}
		if a, b := string(all.Message.AppendJSON(nil)), string(so.AppendJSON(nil)); a != b {
			t.Fatalf("at once %s\none by one %s", a, b)
		}
	})
}
