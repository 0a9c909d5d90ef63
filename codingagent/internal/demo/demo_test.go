package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

func TestParseIntent(t *testing.T) {
	cases := map[string]intent{
		"describe this project":                              {kind: intentDescribe},
		"What is here?":                                      {kind: intentDescribe},
		"Please describe this repository.":                   {kind: intentDescribe},
		"What is this project?":                              {kind: intentDescribe},
		"what does this program do?":                         {kind: intentDescribe},
		"<file name=\"/a\">\nx\n</file>\nwhat's here":        {kind: intentDescribe},
		"find TODO":                                          {kind: intentFind, text: "TODO"},
		"search for \"in here\" in src":                      {kind: intentFind, text: "in here", path: "src"},
		"show hello.txt":                                     {kind: intentShow, path: "hello.txt"},
		"show me the file 'my file.txt'":                     {kind: intentShow, path: "my file.txt"},
		"create hello.txt with hi there":                     {kind: intentCreate, path: "hello.txt", text: "hi there"},
		"Create a file called a.txt containing \"x with y\"": {kind: intentCreate, path: "a.txt", text: "x with y"},
		"write hi to a.txt":                                  {kind: intentCreate, path: "a.txt", text: "hi"},
		"create notes.txt":                                   {kind: intentCreate, path: "notes.txt"},
		"replace hi there with bye in hello.txt":             {kind: intentReplace, path: "hello.txt", text: "hi there", newText: "bye"},
		"change a to b in c.txt":                             {kind: intentReplace, path: "c.txt", text: "a", newText: "b"},
		"run go test ./...":                                  {kind: intentRun, text: "go test ./..."},
		"list files":                                         {kind: intentList, path: "."},
		"hello":                                              {kind: intentHelp},
		"write me a poem about rivers":                       {kind: intentUnknown},
		"replace nothing":                                    {kind: intentUnknown},
		"":                                                   {kind: intentUnknown},
	}
	for text, want := range cases {
		if got := parseIntent(text); got != want {
			t.Errorf("parseIntent(%q) = %+v, want %+v", text, got, want)
		}
	}
}

// conversation runs the model against scripted tools and gives its last words.
type conversation struct {
	t        *testing.T
	models   *ai.Models
	model    *ai.Model
	messages []ai.Message
	tools    map[string]func(args map[string]any) (string, bool)
	called   []string
}

func newConversation(t *testing.T, tools map[string]func(map[string]any) (string, bool)) *conversation {
	t.Helper()
	models := ai.NewModels(Provider(Options{}))
	model, err := models.Model(ProviderID, ModelID)
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{t: t, models: models, model: model, tools: tools}
	sys := &ai.SystemMessage{}
	for name := range tools {
		sys.ToolsAdded = append(sys.ToolsAdded, ai.Tool{Name: name})
	}
	c.messages = []ai.Message{sys}
	return c
}

func (c *conversation) ask(text string) string {
	c.t.Helper()
	c.messages = append(c.messages, ai.UserText(text))
	for range 10 {
		msg, err := c.models.Complete(c.t.Context(), c.model, ai.Request{Messages: c.messages}, ai.Options{})
		if err != nil {
			c.t.Fatalf("ask %q: %v", text, err)
		}
		c.messages = append(c.messages, msg)
		calls := msg.ToolCalls()
		if len(calls) == 0 {
			return msg.Text()
		}
		for _, call := range calls {
			var args map[string]any
			if err := json.Unmarshal(call.Arguments, &args); err != nil {
				c.t.Fatal(err)
			}
			c.called = append(c.called, fmt.Sprintf("%s %s", call.Name, call.Arguments))
			out, failed := c.tools[call.Name](args)
			c.messages = append(c.messages, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: call.Name, IsError: failed, Content: []ai.Block{&ai.Text{Text: out}}})
		}
	}
	c.t.Fatalf("ask %q: the model does not come to an end", text)
	return ""
}

func TestDescribeReadsWhatTellsMost(t *testing.T) {
	c := newConversation(t, map[string]func(map[string]any) (string, bool){
		"bash": func(map[string]any) (string, bool) {
			return ".git/\nREADME.md\ngo.mod\nMakefile\ncmd/\nmain.go\n", false
		},
		"read": func(args map[string]any) (string, bool) {
			return map[string]string{
				"README.md": "# Widget\n\n[![badge](x)](y)\n\nWidget makes widgets\nfor everyone.\n\n## Install\n",
				"go.mod":    "module example.com/widget\n\ngo 1.26\n",
				"Makefile":  "run: build\n\t./x\n\ntest:\n\tgo test\n",
			}[args["path"].(string)], false
		},
	})
	got := c.ask("describe this project")
	for _, want := range []string{"# Widget", "Widget makes widgets for everyone.", "Go module example.com/widget", "make targets: run, test", "directories: cmd", ".git/", "not a language model"} {
		if !strings.Contains(got, want) {
			t.Errorf("the description lacks %q:\n%s", want, got)
		}
	}
}

func TestMissingFileIsAskedAbout(t *testing.T) {
	c := newConversation(t, map[string]func(map[string]any) (string, bool){
		"bash": func(map[string]any) (string, bool) { return "hello.txt\nnotes/\n", false },
		"read": func(map[string]any) (string, bool) { return "no such file", true },
	})
	got := c.ask("show helo.txt")
	if !strings.Contains(got, "Which file did you mean?") || !strings.Contains(got, "hello.txt") {
		t.Errorf("got %q", got)
	}
}

func TestCreateLeavesAnExistingFileAlone(t *testing.T) {
	wrote := false
	c := newConversation(t, map[string]func(map[string]any) (string, bool){
		"bash":  func(map[string]any) (string, bool) { return "taken\n", false },
		"write": func(map[string]any) (string, bool) { wrote = true; return "ok", false },
	})
	if got := c.ask("create a.txt with x"); wrote || !strings.Contains(got, "already there") {
		t.Errorf("wrote %v, said %q", wrote, got)
	}
}

func TestCreateWritesTheContent(t *testing.T) {
	c := newConversation(t, map[string]func(map[string]any) (string, bool){
		"bash":  func(map[string]any) (string, bool) { return "free\n", false },
		"write": func(map[string]any) (string, bool) { return "ok", false },
	})
	c.ask("create hello.txt with hi there")
	want := `write {"content":"hi there\n","path":"hello.txt"}`
	if got := c.called[len(c.called)-1]; got != want {
		t.Errorf("called %s, want %s", got, want)
	}
}

func TestSwitchedOffToolIsNamed(t *testing.T) {
	c := newConversation(t, nil)
	if got := c.ask("run ls"); !strings.Contains(got, "bash tool") || !strings.Contains(got, "--tools") {
		t.Errorf("got %q", got)
	}
}

func TestAnythingElseIsAnsweredHonestly(t *testing.T) {
	c := newConversation(t, nil)
	got := c.ask("prove the Riemann hypothesis")
	for _, want := range []string{"no language model", "ANTHROPIC_API_KEY", "--list-models"} {
		if !strings.Contains(got, want) {
			t.Errorf("the answer lacks %q:\n%s", want, got)
		}
	}
}
