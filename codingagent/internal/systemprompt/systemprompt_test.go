package systemprompt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(in Input) []string {
	var out []string
	for _, s := range Sections(in) {
		out = append(out, s.Name)
	}
	return out
}

func full() Input {
	return Input{
		Tools:        []Tool{{Name: "read", Snippet: "reads", Rules: []string{"Same rule."}}, {Name: "bash", Snippet: "runs", Rules: []string{"Same rule."}}},
		Append:       []string{"one", "two"},
		Docs:         "the manual",
		ContextFiles: []ContextFile{{Path: "/a/AGENTS.md", Content: "be kind\n"}, {Path: "/a/b/CLAUDE.md", Content: "be brief"}},
		Skills:       "<available_skills/>",
		CWD:          "/a/b",
	}
}

func TestSectionsInOrder(t *testing.T) {
	want := []string{"preamble", "tools", "rules", "docs", "addendum", "project_context", "skills", "cwd"}
	if d := cmp.Diff(want, names(full())); d != "" {
		t.Error(d)
	}
	custom := full()
	custom.Custom = "You are a pirate."
	want = []string{"preamble", "addendum", "project_context", "skills", "cwd"}
	if d := cmp.Diff(want, names(custom)); d != "" {
		t.Error(d)
	}
}

func TestSectionTexts(t *testing.T) {
	got := make(map[string]string)
	for _, s := range Sections(full()) {
		got[s.Name] = *s.Text
	}
	want := map[string]string{
		"tools":    "<tools>\n- read: reads\n- bash: runs\n</tools>",
		"addendum": "<addendum>\none\n\ntwo\n</addendum>",
		"project_context": "<project_context>\n<project_instructions path=\"/a/AGENTS.md\">\nbe kind\n</project_instructions>\n\n" +
			"<project_instructions path=\"/a/b/CLAUDE.md\">\nbe brief\n</project_instructions>\n</project_context>",
		"cwd": "<cwd>\n/a/b\n</cwd>",
	}
	for name, text := range want {
		if d := cmp.Diff(text, got[name]); d != "" {
			t.Errorf("section %s:\n%s", name, d)
		}
	}
	if n := strings.Count(got["rules"], "Same rule."); n != 1 {
		t.Errorf("the rule of two tools appears %d times", n)
	}
	if !strings.Contains(got["rules"], "with bash") {
		t.Errorf("bash without search tools: %s", got["rules"])
	}
}
