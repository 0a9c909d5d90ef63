package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"pgregory.net/rapid"
)

// appendUnit is an encoder that depends on place and content, and leaves out
// units that say nothing.
func appendUnit(dst []byte, u Unit) []byte {
	for i, m := range u.Messages {
		if a, ok := m.(*ai.AssistantMessage); ok && len(a.Content) == 0 {
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `{"at":%d,"m":`, u.At+i)
		dst = append(m.AppendJSON(dst), '}')
	}
	return dst
}

func units(messages []ai.Message) []Unit {
	var list []Unit
	for i := range messages {
		list = append(list, Unit{At: i, Messages: messages[i : i+1]})
	}
	return list
}

func TestSameBytesAsFromScratch(t *testing.T) {
	t.Parallel()
	text := rapid.SampledFrom([]string{"", "a", "b", "ab", "long text"})
	block := rapid.Custom(func(t *rapid.T) ai.Block {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return &ai.Thinking{Text: text.Draw(t, "text"), Signature: text.Draw(t, "sig"), Redacted: rapid.Bool().Draw(t, "redacted")}
		case 1:
			return &ai.ToolCall{ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Arguments: json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"a":1}`}).Draw(t, "args")), Namespace: text.Draw(t, "ns")}
		case 2:
			return &ai.Image{Data: text.Draw(t, "data"), MIMEType: text.Draw(t, "type")}
		}
		return &ai.Text{Text: text.Draw(t, "text"), Signature: text.Draw(t, "sig")}
	})
	message := rapid.Custom(func(t *rapid.T) ai.Message {
		blocks := rapid.SliceOfN(block, 0, 3).Draw(t, "content")
		switch rapid.IntRange(0, 3).Draw(t, "role") {
		case 0:
			s := &ai.SystemMessage{Content: text.Draw(t, "content"), Sections: []ai.Section{{Name: text.Draw(t, "name"), Text: new(text.Draw(t, "section"))}}}
			if rapid.Bool().Draw(t, "tool") {
				s.ToolsAdded = []ai.Tool{{Name: text.Draw(t, "tool"), Sampling: &ai.ConstrainedSampling{Type: ai.SamplingGrammar, Variants: map[string]string{"x": text.Draw(t, "grammar"), "y": ""}}}}
			}
			return s
		case 1:
			return &ai.AssistantMessage{Content: blocks, API: text.Draw(t, "api"), ResponseID: text.Draw(t, "rid")}
		case 2:
			return &ai.ToolResultMessage{ToolCallID: text.Draw(t, "id"), ToolName: text.Draw(t, "name"), Content: blocks, IsError: rapid.Bool().Draw(t, "error")}
		}
		return &ai.UserMessage{Content: blocks}
	})
	rapid.Check(t, func(t *rapid.T) {
		var p Prefix
		var messages []ai.Message
		type sent struct{ bytes, copied []byte }
		var earlier []sent
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1, 2:
				messages = append(messages, rapid.SliceOfN(message, 0, 3).Draw(t, "new")...)
			case 3:
				if len(messages) > 0 {
					at := rapid.IntRange(0, len(messages)-1).Draw(t, "at")
					messages = append(append(append([]ai.Message{}, messages[:at]...), message.Draw(t, "instead")), messages[at+1:]...)
				}
			case 4:
				if len(messages) > 0 {
					at := rapid.IntRange(0, len(messages)-1).Draw(t, "at")
					messages = append(append([]ai.Message{}, messages[:at]...), messages[at+1:]...)
				}
			case 5: // in place, which nobody should do
				for _, m := range messages {
					switch m := m.(type) {
					case *ai.UserMessage:
						for _, b := range m.Content {
							if x, ok := b.(*ai.Text); ok {
								x.Text = text.Draw(t, "mutation")
							}
							if x, ok := b.(*ai.ToolCall); ok && len(x.Arguments) > 2 {
								x.Arguments[2] = 'b'
							}
						}
					case *ai.SystemMessage:
						*m.Sections[0].Text = text.Draw(t, "mutation")
					}
				}
			}
			settings := rapid.SampledFrom([]string{"one", "one", "one", "two"}).Draw(t, "settings")
			encode := func(dst []byte, u Unit) []byte {
				was := len(dst)
				if dst = appendUnit(dst, u); len(dst) > was {
					dst = append(append(dst, ','), `"`+settings+`"`...)
				}
				return dst
			}
			cut := rapid.IntRange(0, len(messages)).Draw(t, "end")
			got := p.Encode(settings, units(messages[:cut]), encode)
			want := new(Prefix).Encode(settings, units(messages[:cut]), encode)
			if !bytes.Equal(got, want) {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
			if !json.Valid([]byte("[" + string(got) + "]")) {
				t.Fatalf("no array: %s", got)
			}
			earlier = append(earlier, sent{got, bytes.Clone(got)})
			for _, e := range earlier {
				if !bytes.Equal(e.bytes, e.copied) {
					t.Fatalf("an earlier request was changed from %s to %s", e.copied, e.bytes)
				}
			}
		}
	})
}

func TestOnlyNewUnitsAreEncoded(t *testing.T) {
	t.Parallel()
	var p Prefix
	var messages []ai.Message
	encoded := 0
	encode := func(dst []byte, u Unit) []byte {
		encoded++
		return appendUnit(dst, u)
	}
	for i := range 5 {
		messages = append(messages, ai.UserText(fmt.Sprint("message ", i)))
		p.Encode("", units(messages), encode)
	}
	if encoded != 5 {
		t.Errorf("%d units encoded for 5 messages", encoded)
	}
	messages[2] = ai.UserText("other")
	p.Encode("", units(messages), encode)
	if encoded != 6 {
		t.Errorf("one message replaced: %d units encoded", encoded-5)
	}
}

// Contents that look alike when run together are told apart.
func TestFieldsAreKeptApart(t *testing.T) {
	t.Parallel()
	system := func(content string, sections ...ai.Section) ai.Message {
		return &ai.SystemMessage{Content: content, Sections: sections}
	}
	result := func(id, name string, content ...ai.Block) ai.Message {
		return &ai.ToolResultMessage{ToolCallID: id, ToolName: name, Content: content}
	}
	for _, pair := range [][2]ai.Message{
		{result("ab", "c"), result("a", "bc")},
		{result("a", "b", &ai.Text{Text: "xy"}), result("a", "b", &ai.Text{Text: "x", Signature: "y"})},
		{result("a", "b", &ai.Text{Text: "x"}, &ai.Text{Text: "y"}), result("a", "b", &ai.Text{Text: "xty"})},
		{system("a", ai.Section{Name: "b"}), system("a", ai.Section{Name: "b", Text: new("")})},
		{&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "x"}}}, &ai.UserMessage{Content: []ai.Block{&ai.Thinking{Text: "x"}}}},
		{&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "a"}}}, &ai.SystemMessage{ToolsRemoved: []string{"a"}}},
	} {
		var p Prefix
		p.Encode("", units(pair[:1]), appendUnit)
		again := 0
		p.Encode("", units(pair[1:]), func(dst []byte, u Unit) []byte { again++; return appendUnit(dst, u) })
		if again != 1 {
			t.Errorf("taken for the same: %s and %s", pair[0].AppendJSON(nil), pair[1].AppendJSON(nil))
		}
	}
}

func conversation(turns int) []ai.Message {
	var messages []ai.Message
	for i := range turns {
		id := fmt.Sprint("call_", i)
		messages = append(messages,
			&ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: strings.Repeat("text ", 40)}, &ai.ToolCall{ID: id, Name: "read", Arguments: json.RawMessage(`{"path":"file.go"}`)}}},
			&ai.ToolResultMessage{ToolCallID: id, ToolName: "read", Content: []ai.Block{&ai.Text{Text: strings.Repeat("a line of a file\n", 200)}}})
	}
	return messages
}

func BenchmarkTurn(b *testing.B) {
	for _, turn := range []int{2, 50, 200} {
		b.Run(fmt.Sprint(turn), func(b *testing.B) {
			messages := units(conversation(turn))
			old := messages[:len(messages)-2]
			var base Prefix
			base.Encode("", old, appendUnit)
			b.ReportAllocs()
			for b.Loop() {
				p := base
				p.Encode("", messages, appendUnit)
			}
		})
		b.Run(fmt.Sprint(turn, "/scratch"), func(b *testing.B) {
			messages := units(conversation(turn))
			for b.Loop() {
				new(Prefix).Encode("", messages, appendUnit)
			}
		})
	}
}
