package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestCalled(t *testing.T) {
	cases := []struct{ argv, name, rest string }{
		{"config explain retry", "config", "explain retry"},
		{"--offline -na sessions list", "sessions", "--offline -na list"},
		{"--model m config", "", ""},
		{"what is config", "", ""},
		{"--offline", "", ""},
		{"", "", ""},
		{"-- config", "", ""},
	}
	for _, c := range cases {
		got, rest, ok := called(strings.Fields(c.argv))
		if ok != (c.name != "") || got.name != c.name || strings.Join(rest, " ") != c.rest {
			t.Errorf("called(%q) = %q, %v, %v", c.argv, got.name, rest, ok)
		}
	}
}

// What is declared of subcommands is what help and completion are made from.
func TestSubcommandsAreDeclaredWhole(t *testing.T) {
	var names []string
	for _, c := range subcommands() {
		names = append(names, append(c.aliases, c.name)...)
		if c.help == "" || c.run == nil {
			t.Errorf("%s has no help or does nothing", c.name)
		}
		var seen []string
		for _, o := range c.all() {
			if o.help == "" || (o.flag == nil) == (o.value == nil) || (o.value != nil) != (o.arg != "") {
				t.Errorf("%s --%s is not declared whole", c.name, o.long)
			}
			for _, n := range []string{"--" + o.long, "-" + o.short} {
				if n != "-" && slices.Contains(seen, n) {
					t.Errorf("%s has two options %s", c.name, n)
				}
				seen = append(seen, n)
			}
		}
		var b strings.Builder
		if err := c.writeHelp(&b); err != nil || !strings.Contains(b.String(), "--offline") {
			t.Errorf("help of %s: %v\n%s", c.name, err, b.String())
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a name is there twice: %v", names)
	}
}

func TestMistyped(t *testing.T) {
	for line, want := range map[string]string{
		"sesions list": "pi sessions list", "cofnig": "pi config", "promptt show": "pi prompt show", "doc": "pi docs",
		"explain this": "", "config explain": "", "cats": "", "sesions of today are long": "", "-p sesions": "", "sesions -p": "", "sesions @f": "", "": "",
	} {
		err := mistyped(strings.Fields(line))
		switch {
		case want == "" && err != nil && !strings.HasPrefix(line, "config"):
			t.Errorf("%q: %v", line, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want+"?")):
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	if err := mistyped([]string{"sesions", "of last week"}); err != nil {
		t.Errorf("a quoted text is no subcommand: %v", err)
	}
}
