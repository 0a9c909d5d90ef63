package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	cases := []struct {
		name string
		argv string
		want Args
	}{
		{"print takes the next argument", "-p hi", Args{Print: true, Messages: []string{"hi"}}},
		{"print does not take a file", "-p @a.txt hi", Args{Print: true, Files: []string{"a.txt"}, Messages: []string{"hi"}}},
		{"print takes a line of dashes", "-p ---x", Args{Print: true, Messages: []string{"---x"}}},
		{"values apart and joined", "--model a/b --thinking=high", Args{Model: "a/b", Thinking: "high"}},
		{"a value may hold an equals sign", "--api-key=a=b --model m", Args{APIKey: "a=b", Model: "m"}},
		{"last one wins", "--model a --model b", Args{Model: "b"}},
		{"list", "-t read,bash,,", Args{Tools: []string{"read", "bash"}}},
		{"search is optional", "--list-models", Args{ListModels: true}},
		{"search", "--list-models opus", Args{ListModels: true, ListSearch: "opus"}},
		{"no search before an option", "--list-models --offline", Args{ListModels: true, Offline: true}},
		{"everything after -- is text or file", "-- -p @f", Args{Files: []string{"f"}, Messages: []string{"-p"}}},
		{"a lone dash is text", "-", Args{Messages: []string{"-"}}},
		{"two letter shorts", "-nt -nc -xt a", Args{NoTools: true, NoContextFiles: true, ExcludeTools: []string{"a"}}},
		{"options after text", "hello -c", Args{Continue: true, Messages: []string{"hello"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(strings.Fields(c.argv))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(&c.want, got); d != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", c.argv, d)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	cases := map[string][]string{
		"--modle x":               {"unknown option --modle", "did you mean --model?"},
		"--contineu":              {"did you mean --continue?"},
		"--resume --continue":     {"--resume and --continue"},
		"-Z":                      {"unknown option -Z", "--help"},
		"--model":                 {"--model needs a value"},
		"--print=yes":             {"takes no value"},
		"--mode jsn":              {`"jsn" is not a mode`, "did you mean json?"},
		"--thinking hgih":         {"did you mean high?"},
		"--session a --continue":  {"--session and --continue"},
		"--continue --no-session": {"--continue and --no-session"},
		"--provider x":            {"--provider needs --model"},
		"--session=":              {"--session: the name of the session is empty"},
		"--session-id= -p x":      {"--session-id: the name"},
		"--fork= --print":         {"--fork: the name"},
	}
	for argv, want := range cases {
		_, err := Parse(strings.Fields(argv))
		if err == nil {
			t.Errorf("Parse(%q) took it", argv)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("Parse(%q): %q lacks %q", argv, err, w)
			}
		}
	}
	if _, err := Parse([]string{"--name", " \n "}); err == nil {
		t.Error("an empty name was taken")
	}
}
