package codingagent

import (
	"strings"
	"testing"
)

func TestToolSelection(t *testing.T) {
	builtin := []string{"read", "bash", "edit", "write", "grep", "find", "ls"}
	custom := []string{"mine"}
	list := func(s string) []string { return strings.Fields(s) }
	cases := []struct {
		name string
		s    ToolSelection
		want string
	}{
		{"default", ToolSelection{}, "read bash edit write mine"},
		{"allow with a pattern", ToolSelection{Allow: list("re* grep")}, "read grep"},
		{"allow and exclude", ToolSelection{Allow: list("re* grep"), Exclude: list("read")}, "grep"},
		{"changes", ToolSelection{Allow: list("+grep -write")}, "read bash edit mine grep"},
		{"nothing", ToolSelection{None: true}, ""},
		{"nothing but", ToolSelection{None: true, Allow: list("+ls")}, "ls"},
		{"no built-in", ToolSelection{NoBuiltin: true}, "mine"},
		{"unknown names are ignored", ToolSelection{Allow: list("read nope")}, "read"},
		{"setting adds", ToolSelection{Default: list("+grep")}, "read bash edit write grep mine"},
		{"setting replaces", ToolSelection{Default: list("read +ls -read")}, "ls mine"},
		{"setting empties", ToolSelection{Default: []string{}}, "mine"},
		{"allow none", ToolSelection{Allow: []string{}}, ""},
		{"exclude by pattern", ToolSelection{Exclude: list("*")}, ""},
	}
	for _, c := range cases {
		got, err := c.s.Select(builtin, custom)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v %v, want %s", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"read +grep", "+gr*"} {
		if _, err := (ToolSelection{Allow: list(bad)}).Select(builtin, custom); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
