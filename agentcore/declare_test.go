package agentcore

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

func TestOwnDeclarationsInPendingMessages(t *testing.T) {
	echo, other := echoTool("echo"), echoTool("other")
	gone := ai.Tool{Name: "gone"}
	foreign := echo.Declaration()
	foreign.Extra = map[string]json.RawMessage{"x": json.RawMessage("1")}
	changed := echo.Declaration()
	changed.Description = "Said it differently."
	cases := []struct {
		name           string
		before, prompt []Message
		want           []string // system messages that enter
	}{
		{
			"right already", nil,
			[]Message{&ai.SystemMessage{Content: "p", ToolsAdded: []ai.Tool{echo.Declaration(), other.Declaration()}}},
			[]string{`system "p" +[echo other] -[]`},
		},
		{"known before", []Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{foreign, other.Declaration()}}}, users("x"), nil},
		{
			"too many",
			[]Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{gone}}},
			[]Message{&ai.SystemMessage{Content: "p", ToolsAdded: []ai.Tool{gone}}},
			[]string{`system "p" +[echo other] -[gone]`},
		},
		{
			"changed words",
			[]Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{changed, other.Declaration()}}},
			users("x"),
			[]string{`system "" +[echo] -[echo]`},
		},
		{
			"last of several", nil,
			[]Message{&ai.SystemMessage{Content: "p", ToolsAdded: []ai.Tool{gone}}, &ai.SystemMessage{Content: "q"}},
			[]string{`system "p" +[gone] -[]`, `system "q" +[echo other] -[gone]`},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			model := &script{}
			added, err := Run(t.Context(), append(c.prompt, users("go")...), Context{Model: testModel(), Messages: c.before, Tools: []*Tool{echo, other, echo}}, LoopConfig{Stream: model.stream, Now: clock()}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range added {
				if m.Role() == ai.RoleSystem {
					got = append(got, describeMessage(m))
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("system messages (-want +got):\n%s", d)
			}
			var names []string
			for _, tool := range ai.ReplaySystem(model.requests[0]).Tools {
				names = append(names, tool.Name)
			}
			if d := cmp.Diff([]string{"echo", "other"}, names); d != "" {
				t.Errorf("declared in the request (-want +got):\n%s", d)
			}
		})
	}
}

// TestSteeredDeclarationIsCorrected: a system message may come late, when the
// run has long compared the tools.
func TestSteeredDeclarationIsCorrected(t *testing.T) {
	model := &script{replies: []reply{say("one"), say("two")}}
	n := 0
	cfg := LoopConfig{Stream: model.stream, Now: clock(), SteeringMessages: func() []Message {
		if n++; n == 2 {
			return []Message{&ai.SystemMessage{Content: "late", ToolsAdded: []ai.Tool{{Name: "gone"}}}}
		}
		return nil
	}}
	added, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describeMessage(added[2]), `system "late" +[] -[]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
