//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func TestDocs(t *testing.T) {
	s := newSandbox(t)
	if o := s.run("docs"); o.code != 0 || !strings.Contains(o.out, "  settings ") || !strings.Contains(o.out, "pi docs --dir") {
		t.Errorf("exit %d\n%s%s", o.code, o.out, o.err)
	}
	if o := s.run("docs", "Settings.md"); o.code != 0 || !strings.HasPrefix(o.out, "# Settings\n") {
		t.Errorf("exit %d\n%s%s", o.code, o.out, o.err)
	}
	if o := s.run("docs", "--json"); !strings.Contains(o.out, `"name": "settings"`) {
		t.Errorf("json %s", o.out)
	}
	s.run("docs", "setings").want(t, 1, "", "did you mean settings?")
	s.run("docs", "--dir", "settings").want(t, 1, "", "leave the topic out")
	dir := filepath.Join(s.home, ".pi/agent/docs")
	for range 2 {
		s.run("docs", "--dir").want(t, 0, dir+"\n")
	}
	page, err := os.ReadFile(filepath.Join(dir, "settings.md"))
	if err != nil || string(page) != s.run("docs", "settings").out {
		t.Errorf("the file is another page: %v", err)
	}
	// It works where nothing else does.
	s.put("../home/.pi/agent/settings.json", "{broken")
	if o := s.run("docs", "trust"); o.code != 0 || o.err != "" {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}

// A model finds the manual by its prompt and reads it with its tools, which can
// not change it; the directory it works in is not in the way.
func TestModelReadsTheManual(t *testing.T) {
	s := newSandbox(t)
	s.put("pi-docs/x", "a directory of that name")
	s.llm.Queue(
		mockllm.Blocks(
			mockllm.ToolCall("t1", "ls", `{"path":"pi-docs:/"}`),
			mockllm.ToolCall("t2", "grep", `{"pattern":"keepRecentTokens","path":"pi-docs:/"}`),
			mockllm.ToolCall("t3", "find", `{"pattern":"sk*.md","path":"pi-docs:/"}`),
			mockllm.ToolCall("t4", "read", `{"path":"pi-docs:/skills.md","limit":1}`),
			mockllm.ToolCall("t5", "write", `{"path":"pi-docs:/skills.md","content":"owned"}`),
		),
		mockllm.Say("read it"),
	)
	s.run("--model", "mock/m", "--tools", "read,ls,grep,find,write", "-p", "how do skills work?").want(t, 0, "read it\n")
	if body := string(s.llm.Requests()[0].Body); !strings.Contains(body, "pi-docs:/index.md") {
		t.Error("the prompt does not name the manual")
	}
	want := map[string]string{"t1": "keybindings.md", "t2": "settings.md", "t3": "skills.md", "t4": "# Skills", "t5": "read-only"}
	for _, m := range s.stored() {
		if m["role"] != "toolResult" {
			continue
		}
		id := m["toolCallId"].(string)
		text := m["content"].([]any)[0].(map[string]any)["text"].(string)
		if !strings.Contains(text, want[id]) || (m["isError"] == true) != (id == "t5") {
			t.Errorf("%s gave %s", id, text)
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("no results of %v", want)
	}
	// Without read, the command prints it; without both there is no word of it.
	for tools, names := range map[string]string{"bash": "pi docs", "edit": ""} {
		o := s.run("prompt", "show", "--tools", tools)
		if has := strings.Contains(o.out, "<docs>"); has != (names != "") || !strings.Contains(o.out, names) {
			t.Errorf("with %s the prompt is %s", tools, o.out)
		}
	}
}
