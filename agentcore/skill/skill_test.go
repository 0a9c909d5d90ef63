package skill_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/skill"
)

func TestSplitArguments(t *testing.T) {
	for in, want := range map[string][]string{
		`"a b" c`: {"a b", "c"}, `it's fine`: {"it's", "fine"}, `a"b c"d`: {`a"b`, `c"d`}, `"a"b c`: {"ab", "c"},
		`"unclosed x`: {`"unclosed`, "x"}, `""`: {""}, `"a\"b"`: {`a"b`}, `"a\nb"`: {`a\nb`}, `a\ b`: {`a\`, "b"}, "": nil, " \n\t": nil,
		"a\n b": {"a", "b"}, `'x y'z "`: {"x yz", `"`},
	} {
		if got := skill.SplitArguments(in); !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	const cost = "Cost: $@ | first: $1 | rest: ${@:2}"
	for _, c := range []struct{ body, args, want string }{
		{cost, `"$100 off" today`, "Cost: $100 off today | first: $100 off | rest: today"},
		{cost, "", "Cost:  | first:  | rest: "},
		{"$@", "it's the user's key", "it's the user's key"},
		{"$10 $01 $0", "a b c d e f g h i j", "j a "},
		{"$ARGUMENTSX", "a b", "a bX"},
		{`\$1 $$1`, "v", `\v $v`},
		{"${1:-d} ${2:-d} ${3:-}", `"" b`, "d b "},
		{"${@:-none} ${ARGUMENTS:-none}", "", "none none"},
		{"${@:-none}", "x", "x"},
		{"${@:0} ${@:9} ${@:2:1} ${@:1:0}", "a b c", "a b c  b "},
		{"${@:-1}", "", "1"}, // a default, no slice from the end
		{"${1} ${@} ${ARGUMENTS} ${ARGUMENTS:1} ${1-d} $* $# ${ $", "a", "${1} ${@} ${ARGUMENTS} ${ARGUMENTS:1} ${1-d} $* $# ${ $"},
		{"${9:-$1}", "a", "$1"},
		{"${@:99999999999999999999} $99999999999999999999", "a", " "},
	} {
		if got := (skill.Template{Body: c.body}).Expand(c.args); got != c.want {
			t.Errorf("%q with %q gives %q, want %q", c.body, c.args, got, c.want)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("a $1 ${@:2:3} ${x:-y} $", `"a b" c`)
	f.Fuzz(func(t *testing.T, body, args string) {
		got := (skill.Template{Body: body}).Expand(args)
		if !strings.Contains(body, "$") && got != body {
			t.Errorf("%q became %q", body, got)
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("---\nname: x\n---\nbody")
	f.Add("---\n- a\n--- \n\r\n")
	f.Add("---\na: &a [*a]\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, body, err := skill.Split(text)
		if err != nil && m != nil {
			t.Errorf("%q: both %v and %v", text, m, err)
		}
		if len(body) > 3*len(text) {
			t.Errorf("%q grew", text)
		}
	})
}

func TestParse(t *testing.T) {
	s, warnings, err := skill.Parse("/s/pdf/SKILL.md", "\uFEFF---\r\ndescription: Reads <PDF>\r\ndisable-model-invocation: \"true\"\r\n---\r\n\r\nDo $1.\r\n--- not the end\r\n")
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if s.Name != "pdf" || s.Hidden || s.Body != "Do $1.\n--- not the end" {
		t.Errorf("%+v", s)
	}
	want := "<skill name=\"pdf\" location=\"/s/pdf/SKILL.md\">\nReferences are relative to /s/pdf.\n\nDo $1.\n--- not the end\n</skill>"
	if got := s.Expand(" "); got != want {
		t.Errorf("expands to %q", got)
	}
	if got := s.Expand(" now \n"); got != want+"\n\nnow" {
		t.Errorf("expands to %q", got)
	}
	for text, want := range map[string]string{
		"no front matter": "no description", "---\ndescription: 7\n---\n": "no description", "---\na: [\n---\n": "not YAML", "---\n- a\n---\n": "names with values",
	} {
		if _, _, err := skill.Parse("/x/SKILL.md", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, warnings, err = skill.Parse("/x/SKILL.md", "---\nname: -A--b-\ndescription: x\n---\n")
	if err != nil || len(warnings) != 3 {
		t.Errorf("%v, %v", warnings, err)
	}
	list := skill.List([]skill.Skill{s, {Name: "hidden", Hidden: true}})
	if !strings.Contains(list, "Reads &lt;PDF&gt;") || strings.Contains(list, "hidden") || skill.List(nil) != "" {
		t.Errorf("list %s", list)
	}
}

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	env, err := execenv.Local(dir, execenv.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ok := "---\ndescription: d\n---\nbody"
	put("one/SKILL.md", ok)
	put("one/sub/SKILL.md", ok) // not entered
	put("deep/er/two/SKILL.md", ok)
	put("loose.md", ok)
	put("deep/loose2.md", ok)
	put("readme.md", "no skill")
	put("bad/SKILL.md", "no description")
	put(".hidden/SKILL.md", ok)
	put("node_modules/x/SKILL.md", ok)
	put("skipped/SKILL.md", ok)
	for from, to := range map[string]string{"zagain": "one", "deep/circle": ".."} {
		if err := os.Symlink(filepath.Join(dir, filepath.Dir(from), to), filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	root := skill.Root{Dir: dir, Loose: true, Skip: func(_ context.Context, path string, _ bool) bool { return filepath.Base(path) == "skipped" }}
	skills, problems := skill.Discover(t.Context(), env.FS, root)
	var names []string
	for _, s := range skills {
		names = append(names, s.Name)
	}
	if got := fmt.Sprint(names); got != "[two loose2 loose one]" {
		t.Errorf("found %s", got)
	}
	if len(problems) != 1 || problems[0].Path != filepath.Join(dir, "bad/SKILL.md") {
		t.Errorf("problems %v", problems)
	}
	root.Loose = false
	if skills, _ := skill.Discover(t.Context(), env.FS, root, skill.Root{Dir: filepath.Join(dir, "nowhere")}); len(skills) != 3 {
		t.Errorf("without loose files %d skills", len(skills))
	}
}
