//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// What pi prompt show prints is what a model gets, byte for byte, and each part
// names where it comes from.
func TestPromptShow(t *testing.T) {
	s := newSandbox(t)
	s.put("AGENTS.md", "Use tabs.")
	s.put("../home/.pi/agent/APPEND_SYSTEM.md", "Be kind.")
	s.put("../home/.pi/agent/skills/pdf/SKILL.md", "---\ndescription: reads PDF\n---\nUse pdftotext.")
	s.put("../home/.pi/agent/settings.json", `{"defaultTools":["+grep"],"defaultProvider":"mocka","defaultModel":"a"}`)
	s.llm.Queue(mockllm.Say("ok"))
	s.run("--model", "mocka/a", "-p", "hi").want(t, 0, "ok\n")
	var sent struct {
		System []struct{ Text string }
		Tools  []struct {
			Name, Description string
			InputSchema       json.RawMessage `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(s.llm.Requests()[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Model     string
		Tokens    int
		ToolsFrom []string
		Sections  []struct {
			Name, Text string
			Origins    []struct{ Kind, Name string }
		}
		Tools []struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	o := s.run("prompt", "show", "--json")
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || o.code != 0 {
		t.Fatalf("exit %d, %v: %s%s", o.code, err, o.out, o.err)
	}
	var texts, prompt []string
	origins := map[string]string{}
	for _, sec := range got.Sections {
		texts = append(texts, sec.Text)
		for _, from := range sec.Origins {
			origins[sec.Name] += from.Kind + ":" + from.Name + " "
		}
	}
	for _, b := range sent.System {
		prompt = append(prompt, b.Text)
	}
	if have, want := strings.Join(texts, "\n\n"), strings.Join(prompt, "\n\n"); have != want {
		t.Errorf("the model got\n%s\nshown is\n%s", want, have)
	}
	if len(got.Tools) != len(sent.Tools) {
		t.Fatalf("%d tools are shown, %d were sent", len(got.Tools), len(sent.Tools))
	}
	for i, tool := range got.Tools {
		if tool.Name != sent.Tools[i].Name || tool.Description != sent.Tools[i].Description {
			t.Errorf("tool %d is shown as %s: %s", i, tool.Name, tool.Description)
		}
	}
	agent := filepath.Join(s.home, ".pi/agent")
	for section, want := range map[string]string{
		"preamble": "built-in: ", "addendum": "file:" + agent + "/APPEND_SYSTEM.md ", "project_context": "file:" + s.dir + "/AGENTS.md ",
		"skills": "file:" + agent + "/skills/pdf/SKILL.md ", "cwd": "session: ",
	} {
		if origins[section] != want {
			t.Errorf("section %s is from %q, want %q", section, origins[section], want)
		}
	}
	if got.Model != "mocka/a" || got.Tokens < 100 || len(got.ToolsFrom) != 2 || got.ToolsFrom[0] != "setting defaultTools in "+agent+"/settings.json" {
		t.Errorf("model %q, %d tokens, tools from %q", got.Model, got.Tokens, got.ToolsFrom)
	}
}

// It works without a key and leaves no session behind.
func TestPromptShowWithoutModel(t *testing.T) {
	s := newSandbox(t)
	if err := os.Remove(filepath.Join(s.home, ".pi/agent/models.json")); err != nil {
		t.Fatal(err)
	}
	s.put("system.md", "You are mine.")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"no model is available", "── preamble · built in", "── tool read · built in", "4 tools. Chosen by: the default"}},
		{[]string{"--system-prompt=system.md"}, []string{"── preamble · --system-prompt\nYou are mine.\n"}},
		{[]string{"--tools=ls", "--append-system-prompt=Be kind."}, []string{"One tool. Chosen by: --tools ls, then the default", "── tool ls", "── addendum · --append-system-prompt"}},
		{[]string{"--no-tools"}, []string{"No tools. Chosen by: --no-tools"}},
	} {
		o := s.run(append([]string{"prompt", "show"}, c.args...)...)
		for _, want := range c.want {
			if o.code != 0 || !strings.Contains(o.out, want) {
				t.Errorf("%v: exit %d, lacks %q:\n%s%s", c.args, o.code, want, o.out, o.err)
			}
		}
	}
	s.run("prompt", "shwo").want(t, 1, "", "did you mean show?")
	if files := s.sessionFiles(); len(files) > 0 {
		t.Errorf("there are sessions: %v", files)
	}
}
