package codingagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
)

func TestToolsSayHowToolsAreToldOf(t *testing.T) {
	var api *extension.API
	fails := false
	var faults []string
	r := newRig(t, func(o *codingagent.Options) {
		o.OnFault = func(f *extension.Fault) { faults = append(faults, f.Error()) }
		o.Extensions = []extension.Extension{inline("test", func(a *extension.API) error {
			api = a
			said, boss := echo(), echo()
			said.Guidelines = []string{"Echo with care."}
			said.Namespace = &extension.ToolNamespace{Name: "voices", Aliases: []string{"v"}}
			said.Annotations.ReadOnly = new(true)
			said.OutputSchema = json.RawMessage(`{"type":"string"}`)
			said.ReachesTools = func(args json.RawMessage) extension.Reach { return extension.Reach{Words: []string{string(args)}} }
			boss.Name, boss.Description = "boss", "Commands."
			boss.PrepareLoadout = func(l extension.Loadout) *extension.LoadoutChanges {
				if fails {
					panic("no loadout")
				}
				var names []string
				for _, t := range l.Tools {
					if t.Active && t.Namespace != nil {
						names = append(names, t.Namespace.Name+"."+t.Name)
					}
					if t.Name == "boss" && t.Description != "Commands." {
						return nil // it is to see its own description
					}
				}
				return &extension.LoadoutChanges{
					Descriptions: map[string]string{"boss": "Commands " + strings.Join(names, ", "), "nobody": "is not there"}, Undeclared: []string{"echo"},
				}
			}
			broken := echo()
			broken.Namespace = &extension.ToolNamespace{}
			other := echo()
			other.OutputSchema = json.RawMessage(`[]`)
			if a.RegisterTool(broken) == nil || a.RegisterTool(other) == nil {
				return errors.New("tools that are not right were accepted")
			}
			return errors.Join(a.RegisterTool(said), a.RegisterTool(boss))
		})}
	})
	told := func(n int) (declared map[string]string, prompt string) {
		t.Helper()
		_, sent := r.request(n)
		declared = map[string]string{}
		for _, tool := range sent.Tools {
			declared[tool.Name] = tool.Description
		}
		return declared, sent.Text
	}
	r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "hello"})), faux.Say("done"))
	r.prompt("go")
	declared, prompt := told(0)
	if _, is := declared["echo"]; is || declared["boss"] != "Commands voices.echo" || declared["read"] == "" {
		t.Errorf("the model was told of %v", declared)
	}
	if strings.Contains(prompt, "Echo with care.") {
		t.Error("the prompt has rules of a tool that the model is not told of")
	}
	messages, _ := r.request(1) // it can be called
	if last := messages[len(messages)-1]; !strings.Contains(ai.TextOf(last.(*ai.ToolResultMessage).Content, ""), "hello") {
		t.Errorf("the call gave %v", last)
	}
	for _, tool := range r.PromptTools() {
		if tool.Name == "echo" || tool.Name == "boss" && (tool.Origin.Kind != codingagent.FromExtension || tool.Description != "Commands voices.echo") {
			t.Errorf("the prompt's tools have %+v", tool)
		}
	}
	infos, err := api.Tools()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(infos, func(i extension.ToolInfo) bool { return i.Name == "echo" })
	if e := infos[i]; !e.Active || e.Namespace.Name != "voices" || !*e.Annotations.ReadOnly || e.Annotations.OpenWorld != nil || string(e.OutputSchema) != `{"type":"string"}` ||
		!e.ReachesTools([]byte("call x.echo now")).Has("echo") || e.ReachesTools(nil).Has("echo") {
		t.Errorf("echo is described as %+v", e)
	}
	// Other tools, another loadout.
	if err := api.SetActiveTools([]string{"boss"}); err != nil {
		t.Fatal(err)
	}
	r.model.Queue(faux.Say("done"))
	r.prompt("go")
	if declared, _ := told(2); declared["boss"] != "Commands " || len(declared) != 1 {
		t.Errorf("with boss alone the model was told of %v", declared)
	}
	fails = true
	if err := api.SetActiveTools([]string{"boss", "echo"}); err != nil {
		t.Fatal(err)
	}
	r.model.Queue(faux.Say("done"))
	r.prompt("go")
	if declared, prompt := told(3); declared["boss"] != "Commands." || declared["echo"] == "" || !strings.Contains(prompt, "Echo with care.") {
		t.Errorf("after a failure the model was told of %v", declared)
	}
	if len(faults) != 1 || !strings.Contains(faults[0], "loadout of boss") {
		t.Errorf("told %q", faults)
	}
}

func TestDescriptionsEndWithWhatSaidThem(t *testing.T) {
	asked := 0
	r := with(t, func(api *extension.API) error {
		api.Events.ResourcesDiscover.Handle(func(context.Context, *extension.Context, *extension.ResourcesDiscover) (*extension.ResourcePaths, error) {
			return &extension.ResourcePaths{Skills: []string{"skills"}}, nil // the session is another one now
		})
		boss := echo()
		boss.PrepareLoadout = func(extension.Loadout) *extension.LoadoutChanges {
			if asked++; asked > 1 {
				return nil
			}
			return &extension.LoadoutChanges{Descriptions: map[string]string{"echo": "for now"}}
		}
		return api.RegisterTool(boss)
	})
	description := func() string {
		for _, tool := range r.PromptTools() {
			if tool.Name == "echo" {
				return tool.Description
			}
		}
		return ""
	}
	if got := description(); got != "for now" {
		t.Errorf("at first it is told of as %q", got)
	}
	r.Start(t.Context())
	if got := description(); got != "Say it again." {
		t.Errorf("then it is told of as %q", got)
	}
}
