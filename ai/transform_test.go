package ai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func target() *Model {
	return &Model{ID: "m", Provider: "p", API: "a", Input: []string{"text", "image"}}
}

func own(content ...Block) *AssistantMessage {
	return &AssistantMessage{Provider: "p", API: "a", Model: "m", StopReason: StopEnd, Content: content}
}

func foreign(content ...Block) *AssistantMessage {
	return &AssistantMessage{Provider: "q", API: "b", Model: "n", StopReason: StopEnd, Content: content}
}

func call(id string) *ToolCall {
	return &ToolCall{ID: id, Name: "t", Arguments: []byte(`{}`)}
}

func result(id, text string) *ToolResultMessage {
	return &ToolResultMessage{ToolCallID: id, ToolName: "t", Content: []Block{&Text{Text: text}}}
}

// outline shows a transcript in one line per message.
func outline(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		switch m := m.(type) {
		case *SystemMessage:
			fmt.Fprintf(&b, "system %q", m.UpdateText())
			for _, t := range m.ToolsAdded {
				fmt.Fprintf(&b, " +%s", t.Name)
			}
			for _, t := range m.ToolsRemoved {
				fmt.Fprintf(&b, " -%s", t)
			}
		case *UserMessage:
			b.WriteString("user")
			outlineBlocks(&b, m.Content)
		case *AssistantMessage:
			b.WriteString("assistant")
			outlineBlocks(&b, m.Content)
		case *ToolResultMessage:
			fmt.Fprintf(&b, "result %s", m.ToolCallID)
			if m.IsError {
				b.WriteString(" error")
			}
			outlineBlocks(&b, m.Content)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func outlineBlocks(b *strings.Builder, blocks []Block) {
	for _, block := range blocks {
		switch c := block.(type) {
		case *Text:
			fmt.Fprintf(b, " %q", c.Text)
			if c.Signature != "" {
				fmt.Fprintf(b, "/%s", c.Signature)
			}
		case *Thinking:
			fmt.Fprintf(b, " think%q/%s", c.Text, c.Signature)
		case *Image:
			fmt.Fprintf(b, " image")
		case *ToolCall:
			fmt.Fprintf(b, " call:%s:%s%s", c.ID, c.Name, c.Arguments)
			if c.ThoughtSignature != "" {
				fmt.Fprintf(b, "/%s", c.ThoughtSignature)
			}
		default:
			fmt.Fprintf(b, " %s", block.Type())
		}
	}
}

func TestTransform(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40) + "|" + strings.Repeat("y", 29)
	failed := own(&Text{Text: "half"}, call("a"))
	failed.StopReason = StopError
	aborted := own(call("b"))
	aborted.StopReason = StopAborted
	byOtherProtocol := own(&Thinking{Text: "hm", Signature: "s"}, &Text{Text: "yes", Signature: "t"})
	byOtherProtocol.API = "another"
	textOnly := target()
	textOnly.Input = []string{"text"}
	tests := []struct {
		name  string
		model *Model
		in    []Message
		opts  TransformOptions
		want  string
	}{
		{name: "own answer is kept", in: []Message{own(
			&Thinking{Text: "hm", Signature: "s"}, &Thinking{Signature: "blank but signed"}, &Thinking{Redacted: true},
			&Text{Text: "yes", Signature: "t"}, &ToolCall{ID: long, Name: "t", Arguments: []byte(`{"a":1}`), ThoughtSignature: "u"},
		), result(long, "r")}, opts: TransformOptions{}, want: `assistant think"hm"/s think""/blank but signed think""/ "yes"/t call:` + long + `:t{"a":1}/u
result ` + long + ` "r"
`},
		{name: "the same model by another protocol is another one", in: []Message{byOtherProtocol}, want: `assistant "yes"
`},
		{name: "foreign answer is degraded", in: []Message{foreign(
			&Thinking{Text: "hm", Signature: "s"}, &Text{Text: "yes", Signature: "t"}, &ToolCall{ID: long, Name: "t", Arguments: []byte(`{}`), ThoughtSignature: "u"},
		), result(long, "r")}, opts: TransformOptions{ToolCallID: PlainIDs(64)}, want: `assistant "yes" call:` + strings.ReplaceAll(long, "|", "_")[:64] + `:t{}
result ` + strings.ReplaceAll(long, "|", "_")[:64] + ` "r"
`},
		{
			name: "ids that become alike", in: []Message{foreign(call("a|b"), call("a_b"), call("a.b")), result("a.b", "3"), result("a|b", "1"), result("a_b", "2")},
			opts: TransformOptions{ToolCallID: PlainIDs(64)}, want: `assistant call:a_b:t{} call:a_b_` + ShortHash("a_b#1") + `:t{} call:a_b_` + ShortHash("a.b#1") + `:t{}
result a_b "1"
result a_b_` + ShortHash("a_b#1") + ` "2"
result a_b_` + ShortHash("a.b#1") + ` "3"
`,
		},
		{name: "a vendor that counts from 0 in each turn", in: []Message{own(call("call_0")), result("call_0", "1"), own(call("call_0")), result("call_0", "2")}, want: `assistant call:call_0:t{}
result call_0 "1"
assistant call:call_0_1:t{}
result call_0_1 "2"
`},
		{name: "ids repeat within a turn", in: []Message{own(call("x"), call("x")), result("x", "1"), result("x", "2")}, want: `assistant call:x:t{} call:x_1:t{}
result x "1"
result x_1 "2"
`},
		{name: "no id, no name, no arguments", in: []Message{own(&ToolCall{}), &ToolResultMessage{Content: []Block{&Text{Text: "r"}}}}, want: `assistant call:call_1:unknown_tool{}
result call_1 "r"
`},
		{name: "call without result", in: []Message{own(call("a"), call("b")), result("a", "r"), UserText("go on")}, want: `assistant call:a:t{} call:b:t{}
result a "r"
result b error "No result provided"
user "go on"
`},
		{name: "call without result at the end", in: []Message{own(call("a"))}, want: `assistant call:a:t{}
result a error "No result provided"
`},
		{name: "results that answer nothing", in: []Message{result("x", "early"), UserText("hi"), own(call("a")), result("a", "r"), result("a", "again"), result("y", "other")}, want: `user "hi"
assistant call:a:t{}
result a "r"
`},
		{name: "a result behind other messages is brought back", in: []Message{own(call("a")), UserText("wait"), own(&Text{Text: "ok"}), result("a", "late")}, want: `assistant call:a:t{}
result a "late"
user "wait"
assistant "ok"
`},
		{name: "failed turns go with their results", in: []Message{UserText("hi"), failed, result("a", "r"), UserText("again"), aborted, result("b", "r")}, want: `user "hi"
user "again"
`},
		{name: "a turn that never ended", in: []Message{&AssistantMessage{Provider: "p", API: "a", Model: "m", StopReason: StopPending, Content: []Block{call("a")}}, result("a", "r"), UserText("x")}, want: `user "x"
`},
		{name: "a result of a failed turn is not given to an earlier call", in: []Message{own(call("a")), failed, result("a", "r")}, want: `assistant call:a:t{}
result a error "No result provided"
`},
		{
			name: "system message between call and result", in: []Message{own(call("a")), &SystemMessage{Content: "new"}, result("a", "r")},
			opts: TransformOptions{System: SystemTexts}, want: `assistant call:a:t{}
result a "r"
system "new"
`,
		},
		{name: "blank content", in: []Message{
			UserText("  \n"), own(&Text{Text: " \n"}), own(&Thinking{Text: " "}), foreign(&Thinking{Text: "only", Signature: "s"}), own(),
			own(&Text{Text: ""}, call("a")), &ToolResultMessage{ToolCallID: "a", ToolName: "t", Content: []Block{&Text{}}},
			&UserMessage{Content: []Block{&Text{Text: " "}, &Image{Data: "x"}, &UnknownBlock{Kind: "k"}}},
		}, want: `assistant call:a:t{}
result a "(no tool output)"
user image
`},
		{name: "signed blank text", in: []Message{own(&Text{Signature: "s"}), foreign(&Text{Signature: "s"})}, opts: TransformOptions{KeepSignedBlank: true}, want: `assistant ""/s
`},
		{name: "images for a text-only model", model: textOnly, in: []Message{
			&UserMessage{Content: []Block{&Image{}, &Image{}, &Text{Text: "x"}, &Image{}}},
			own(call("a")), &ToolResultMessage{ToolCallID: "a", ToolName: "t", Content: []Block{&Image{}, &Image{}}},
		}, want: `user "(image omitted: model does not support images)" "x" "(image omitted: model does not support images)"
assistant call:a:t{}
result a "(tool image omitted: model does not support images)"
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := tt.model
			if model == nil {
				model = target()
			}
			before := outline(tt.in)
			got := outline(Transform(model, tt.in, tt.opts))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Transform (-want +got):\n%s", diff)
			}
			if after := outline(tt.in); after != before {
				t.Errorf("the input was changed:\n%s", cmp.Diff(before, after))
			}
		})
	}
}

func TestPlainIDs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Łü|x y": "___x_y", "abcdefghijk": "abcdefgh", "": "", "a-b_C9": "a-b_C9"} {
		if got := PlainID(in, 8, 0); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if a, b := PlainID("x", 20, 1), PlainID("x", 20, 2); a == b || len(a) > 20 {
		t.Errorf("attempts give %q and %q", a, b)
	}
	// A rule that has only one answer must not hang.
	stuck := func(string, bool, int) string { return "same" }
	out := outline(Transform(target(), []Message{own(call("a"), call("b")), result("a", "1"), result("b", "2")}, TransformOptions{ToolCallID: stuck}))
	if !strings.Contains(out, "result same \"1\"\nresult same_1001 \"2\"") {
		t.Error(out)
	}
}

func TestTransformKeepsPointers(t *testing.T) {
	t.Parallel()
	in := []Message{
		&SystemMessage{Content: "s"}, UserText("hi"),
		own(&Thinking{Text: "t", Signature: "s"}, &Text{Text: "x"}, call("a"), call("b")), result("a", "1"), result("b", "2"),
		foreign(&Text{Text: "y"}, call("c")), result("c", "3"),
	}
	out := Transform(target(), in, TransformOptions{ToolCallID: PlainIDs(64)})
	if !slices.Equal(in, out) {
		t.Errorf("messages that need no change were copied:\n%s", cmp.Diff(outline(in), outline(out)))
	}
}

func TestTransformSystem(t *testing.T) {
	t.Parallel()
	text := "two"
	in := []Message{
		&SystemMessage{Content: "lead", Sections: []Section{{Name: "a", Text: new("one")}}, ToolsAdded: []Tool{{Name: "x"}, {Name: "y"}}},
		UserText("1"),
		&SystemMessage{Sections: []Section{{Name: "a", Text: &text}}, ToolsAdded: []Tool{{Name: "z"}}},
		UserText("2"),
		&SystemMessage{ToolsRemoved: []string{"x"}},
		UserText("3"),
		&SystemMessage{Content: "more", ToolsAdded: []Tool{{Name: "w"}}},
	}
	section := `The section \"a\" of the instructions now reads:\n\n`
	for mode, want := range map[SystemMode]string{
		SystemCollapse: `system "lead\n\nmore\n\n` + section + `two" +y +z +w
user "1"
user "2"
user "3"
`,
		SystemTexts: `system "lead\n\n` + section + `one" +y +z +w
user "1"
system "` + section + `two"
user "2"
user "3"
system "more"
`,
		SystemToolAdditions: `system "lead\n\n` + section + `one" +y +z
user "1"
system "` + section + `two"
user "2"
user "3"
system "more" +w
`,
		SystemToolChanges: `system "lead\n\n` + section + `one" +x +y
user "1"
system "` + section + `two" +z
user "2"
system "" -x
user "3"
system "more" +w
`,
	} {
		got := outline(Transform(target(), in, TransformOptions{System: mode}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("mode %d (-want +got):\n%s", mode, diff)
		}
	}
	// Without a leading message, tools that are declared later still reach the
	// start where they can not be declared in place.
	got := outline(Transform(target(), in[1:3], TransformOptions{System: SystemTexts}))
	want := "system \"\" +z\nuser \"1\"\nsystem \"" + section + "two\"\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("late tools (-want +got):\n%s", diff)
	}
}

// genHistory draws any history, sensible or not.
func genHistory(t *rapid.T) []Message {
	id := rapid.SampledFrom([]string{"a", "b", "a|b", "a_b", "", "call_0", strings.Repeat("long", 30), "ü|ß"})
	text := rapid.SampledFrom([]string{"", " ", "x", "\n", "long text"})
	block := rapid.Custom(func(t *rapid.T) Block {
		switch rapid.IntRange(0, 7).Draw(t, "block") {
		case 0, 1:
			return &Text{Text: text.Draw(t, "text"), Signature: rapid.SampledFrom([]string{"", "s"}).Draw(t, "sig")}
		case 2:
			return &Thinking{Text: text.Draw(t, "text"), Signature: rapid.SampledFrom([]string{"", "s"}).Draw(t, "sig"), Redacted: rapid.Bool().Draw(t, "redacted")}
		case 3:
			return &Image{Data: "eA==", MIMEType: "image/png"}
		case 4:
			return &UnknownBlock{Kind: "odd", Raw: []byte(`{"type":"odd"}`)}
		}
		return &ToolCall{
			ID: id.Draw(t, "id"), Name: rapid.SampledFrom([]string{"t", "u", ""}).Draw(t, "name"),
			Arguments: rapid.SampledFrom([][]byte{nil, []byte(`{}`), []byte(`{"a":1}`)}).Draw(t, "args"), ThoughtSignature: text.Draw(t, "sig"),
		}
	})
	blocks := rapid.SliceOfN(block, 0, 4)
	message := rapid.Custom(func(t *rapid.T) Message {
		switch rapid.IntRange(0, 9).Draw(t, "role") {
		case 0:
			s := &SystemMessage{Content: text.Draw(t, "content")}
			for _, n := range rapid.SliceOfN(rapid.SampledFrom([]string{"t", "u", "v"}), 0, 2).Draw(t, "added") {
				s.ToolsAdded = append(s.ToolsAdded, Tool{Name: n})
			}
			s.ToolsRemoved = rapid.SliceOfN(rapid.SampledFrom([]string{"t", "u"}), 0, 1).Draw(t, "removed")
			return s
		case 1, 2:
			return &UserMessage{Content: blocks.Draw(t, "content")}
		case 3, 4, 5:
			m := own(blocks.Draw(t, "content")...)
			if rapid.Bool().Draw(t, "foreign") {
				m.Model = "other"
			}
			m.StopReason = rapid.SampledFrom([]StopReason{StopEnd, StopToolUse, StopToolUse, StopLength, StopError, StopAborted, StopPending, ""}).Draw(t, "stop")
			return m
		}
		return &ToolResultMessage{ToolCallID: id.Draw(t, "id"), ToolName: "t", Content: blocks.Draw(t, "content")}
	})
	return rapid.SliceOfN(message, 0, 14).Draw(t, "history")
}

// acceptable reports what a strict vendor would refuse.
func acceptable(messages []Message, model *Model, opts TransformOptions) error {
	legal := func(id string) bool {
		return id != "" && len(id) <= 40 && strings.IndexFunc(id, func(r rune) bool { return r > 127 || !plainIDByte(byte(r)) }) < 0
	}
	ids := make(map[string]bool)
	var open []string
	input := func(blocks []Block) error {
		if len(blocks) == 0 {
			return fmt.Errorf("no content")
		}
		for _, b := range blocks {
			switch b := b.(type) {
			case *Text:
				if blank(b.Text) {
					return fmt.Errorf("blank text")
				}
			case *Image:
				if !model.Accepts("image") {
					return fmt.Errorf("image for a text-only model")
				}
			default:
				return fmt.Errorf("a %s block", b.Type())
			}
		}
		return nil
	}
	for i, m := range messages {
		r, isResult := m.(*ToolResultMessage)
		switch {
		case isResult && (len(open) == 0 || open[0] != r.ToolCallID):
			return fmt.Errorf("message %d answers %q, expected are %q", i, r.ToolCallID, open)
		case !isResult && len(open) > 0:
			return fmt.Errorf("message %d comes before the results of %q", i, open)
		}
		var err error
		switch m := m.(type) {
		case *SystemMessage:
			if opts.System == SystemCollapse && i > 0 {
				return fmt.Errorf("message %d is a later system message", i)
			}
		case *UserMessage:
			err = input(m.Content)
		case *ToolResultMessage:
			open = open[1:]
			err = input(m.Content)
		case *AssistantMessage:
			if len(m.Content) == 0 {
				return fmt.Errorf("message %d is empty", i)
			}
			for _, b := range m.Content {
				c, ok := b.(*ToolCall)
				if !ok {
					continue
				}
				if !legal(c.ID) || ids[c.ID] || c.Name == "" || len(c.Arguments) == 0 {
					return fmt.Errorf("message %d has the call %+v", i, c)
				}
				ids[c.ID] = true
				open = append(open, c.ID)
			}
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %q have no results", open)
	}
	return nil
}

func TestTransformIsAcceptable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := genHistory(t)
		model := target()
		if rapid.Bool().Draw(t, "text only") {
			model.Input = []string{"text"}
		}
		opts := TransformOptions{ToolCallID: PlainIDs(40), System: SystemMode(rapid.IntRange(0, 3).Draw(t, "mode")), UserFirst: rapid.Bool().Draw(t, "user first")}
		before := outline(in)
		once := Transform(model, in, opts)
		if err := acceptable(once, model, opts); err != nil {
			t.Fatalf("%v\nin:\n%s\nout:\n%s", err, before, outline(once))
		}
		twice := Transform(model, once, opts)
		if diff := cmp.Diff(outline(once), outline(twice)); diff != "" {
			t.Fatalf("applying it twice changes (-once +twice):\n%s", diff)
		}
		if after := outline(in); after != before {
			t.Fatalf("the input was changed (-before +after):\n%s", cmp.Diff(before, after))
		}
	})
}

// A conversation in order takes a shorter way, which must lead to the same place:
// a stray result, which is left out, forces the longer one.
func TestTransformShortcut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		opts := TransformOptions{ToolCallID: PlainIDs(40), System: SystemMode(rapid.IntRange(0, 3).Draw(t, "mode"))}
		in := genHistory(t)
		if rapid.Bool().Draw(t, "in order") {
			in = Transform(target(), in, TransformOptions{})
		}
		direct := Transform(target(), in, opts)
		detour := Transform(target(), append(slices.Clone(in), result("nobody asked", "x")), opts)
		if diff := cmp.Diff(outline(detour), outline(direct)); diff != "" {
			t.Fatalf("the shortcut differs (-long +short):\n%s", diff)
		}
	})
}

// What was sent once stays as it was when turns are added, or the vendor's
// prompt cache is void.
func TestTransformPrefixIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var in []Message
		turns := rapid.IntRange(1, 6).Draw(t, "turns")
		var earlier []string
		for i := range turns {
			in = append(in, UserText(fmt.Sprint("go ", i)))
			m := own(&Text{Text: "x"})
			if rapid.Bool().Draw(t, "foreign") {
				m = foreign(&Text{Text: "x"})
			}
			var results []Message
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				c := call(rapid.SampledFrom([]string{"a", "a|b", "a_b", ""}).Draw(t, "id"))
				m.Content = append(m.Content, c)
				results = append(results, result(c.ID, "r"))
			}
			in = append(append(in, m), results...)
			now := outline(Transform(target(), in, TransformOptions{ToolCallID: PlainIDs(40)}))
			for _, e := range earlier {
				if !strings.HasPrefix(now, e) {
					t.Fatalf("earlier request:\n%s\nnow:\n%s", e, now)
				}
			}
			earlier = append(earlier, now)
		}
	})
}

func BenchmarkTransform(b *testing.B) {
	var in []Message
	for i := range 200 {
		id := fmt.Sprint("call_", i)
		in = append(in, UserText("go"), own(&Text{Text: "x"}, call(id)), result(id, "r"))
	}
	opts := TransformOptions{ToolCallID: PlainIDs(64)}
	b.ReportAllocs()
	for b.Loop() {
		Transform(target(), in, opts)
	}
}
