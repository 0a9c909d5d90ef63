package codingagent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
)

// rig is a session in a fresh directory with a scripted model.
type rig struct {
	*codingagent.AgentSession
	t     *testing.T
	model *faux.Provider
	dir   string
}

func newRig(t *testing.T, change func(*codingagent.Options)) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := faux.New(faux.Config{})
	o := codingagent.Options{Dir: dir, Models: ai.NewModels(p), Model: p.Model(), Environ: os.Environ()}
	if change != nil {
		change(&o)
	}
	s, err := codingagent.NewSession(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &rig{s, t, p, dir}
}

func (r *rig) prompt(text string) codingagent.Result {
	r.t.Helper()
	result, err := r.Prompt(r.t.Context(), codingagent.Prompt{Text: text}, codingagent.PromptOptions{})
	if err != nil {
		r.t.Fatalf("prompt %q: %v", text, err)
	}
	return result
}

// request gives what the model got with its n-th request.
func (r *rig) request(n int) ([]ai.Message, ai.Prompt) {
	r.t.Helper()
	messages := r.model.Requests()[n].Call.Messages
	return messages, ai.ReplaySystem(messages)
}

func TestPromptNamesToolsDirectoryAndInstructions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Speak like a pirate."), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *codingagent.Options) { o.Dir, o.AppendSystemPrompt = dir, []string{"And be brief."} })
	r.model.Queue(faux.Say("Arr."))
	r.prompt("hi")
	_, prompt := r.request(0)
	for _, want := range []string{"Speak like a pirate.", "And be brief.", "<cwd>\n" + dir, "- read: ", "- bash: "} {
		if !strings.Contains(prompt.Text, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	var names []string
	for _, tool := range prompt.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "read bash edit write" {
		t.Errorf("declared tools %s", got)
	}
}

func TestSamePromptTwiceIsTheSameBytes(t *testing.T) {
	var first string
	for range 3 {
		r := newRig(t, func(o *codingagent.Options) { o.Dir = "/" })
		r.model.Queue(faux.Say("x"))
		r.prompt("hi")
		_, prompt := r.request(0)
		prompt.Message.Timestamp = 0
		text := string(prompt.Message.AppendJSON(nil))
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("the prompt changed:\n%s\n%s", first, text)
		}
	}
}

func TestToolsWorkInTheDirectoryAndKnowTheSession(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(
		faux.Calls(faux.Call("write", map[string]any{"path": "a/b.txt", "content": "hello"})),
		faux.Calls(faux.Call("bash", map[string]any{"command": "pwd; cat a/b.txt; echo; echo $PI_SESSION_ID $PI_MODEL $PI_REASONING_LEVEL"})),
		faux.Say("done"),
	)
	r.prompt("go")
	messages, _ := r.request(2)
	result, ok := messages[len(messages)-1].(*ai.ToolResultMessage)
	if !ok {
		t.Fatalf("the last message is %T", messages[len(messages)-1])
	}
	want := r.dir + "\nhello\n" + r.ID() + " " + r.model.Model().ID + " medium"
	if got := strings.TrimSpace(ai.TextOf(result.Content, "")); got != want {
		t.Errorf("the command printed\n%s\nwant\n%s", got, want)
	}
}

func TestCustomToolStandsForABuiltInOne(t *testing.T) {
	read := agentcore.NewTool("read", "Reads nothing.", func(context.Context, struct{}, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
		return agentcore.TextResult("mine"), nil
	})
	r := newRig(t, func(o *codingagent.Options) { o.CustomTools = []*agentcore.Tool{read} })
	r.model.Queue(faux.Calls(faux.Call("read", nil)), faux.Say("done"))
	r.prompt("go")
	messages, prompt := r.request(1)
	if got := ai.TextOf(messages[len(messages)-1].(*ai.ToolResultMessage).Content, ""); got != "mine" {
		t.Errorf("result %q", got)
	}
	if !strings.Contains(prompt.Text, "- read: Reads nothing.") {
		t.Errorf("the prompt speaks of another tool")
	}
}

func TestSessionGoesOnWhereItWas(t *testing.T) {
	repo := session.NewDir(t.TempDir())
	p := faux.New(faux.Config{Models: []*ai.Model{{ID: "thinker", API: faux.APIID, Reasoning: true}}})
	p.Queue(faux.Say("one"), faux.Say("two"))
	options := func(o *codingagent.Options) {
		o.Models, o.Model = ai.NewModels(p), p.Models()[0]
	}
	first := newRig(t, func(o *codingagent.Options) {
		options(o)
		o.Session, o.Thinking, o.Name = codingagent.NewIn(repo), ai.ThinkingHigh, "my work"
	})
	first.prompt("first")
	id, file := first.ID(), first.File()
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := newRig(t, func(o *codingagent.Options) { options(o); o.Session = codingagent.OpenIn(repo, id[:12]) })
	if second.Thinking() != ai.ThinkingHigh || second.File() != file {
		t.Errorf("level %s, file %s", second.Thinking(), second.File())
	}
	if name, err := second.Session().Name(t.Context()); err != nil || name != "my work" {
		t.Errorf("name %q %v", name, err)
	}
	second.prompt("second")
	messages := p.Requests()[1].Call.Messages
	var roles []string
	for _, m := range messages {
		roles = append(roles, string(m.Role()))
	}
	// The directory differs, so the prompt's change is declared.
	if got := strings.Join(roles, " "); got != "system user assistant system user" && got != "system user assistant user" {
		t.Errorf("the model got %s", got)
	}
}

func TestOptionsThatCanNotWork(t *testing.T) {
	p := faux.New(faux.Config{})
	models := ai.NewModels(p)
	for name, o := range map[string]codingagent.Options{
		"no directory":      {Models: models, Model: p.Model()},
		"relative":          {Dir: "x", Models: models, Model: p.Model()},
		"no models":         {Dir: "/"},
		"tools do not mix":  {Dir: "/", Models: models, Model: p.Model(), Tools: codingagent.ToolSelection{Allow: []string{"read", "+ls"}}},
		"session not there": {Dir: "/", Models: models, Model: p.Model(), Session: codingagent.OpenIn(session.NewMemory(), "nope")},
	} {
		if s, err := codingagent.NewSession(t.Context(), o); err == nil {
			t.Errorf("%s was taken", name)
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	r := newRig(t, nil)
	if _, err := r.Prompt(t.Context(), codingagent.Prompt{Text: " \n"}, codingagent.PromptOptions{}); err == nil {
		t.Error("an empty prompt was taken")
	}
}

func TestBashExecution(t *testing.T) {
	code := 3
	m := &codingagent.BashExecution{Command: "echo `x`; exit 3", Output: "```\nout\n", ExitCode: &code, Timestamp: 7}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := codingagent.Codec().Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(text) {
		t.Errorf("%s became %s (%v)", text, again, err)
	}
	hidden := &codingagent.BashExecution{Command: "secret", ExcludeFromContext: true}
	seen := session.ModelMessages([]agentcore.Message{m, hidden, ai.UserText("hi")})
	if len(seen) != 2 {
		t.Fatalf("the model sees %d messages, want 2", len(seen))
	}
	said := ai.TextOf(seen[0].(*ai.UserMessage).Content, "")
	for _, want := range []string{"````\n```\nout\n````", "exit code 3"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model is told %q, which lacks %q", said, want)
		}
	}
}
