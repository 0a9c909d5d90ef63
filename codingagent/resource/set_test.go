package resource

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/settings"
)

// sandbox is a home with the user's files and a project.
type sandbox struct {
	root, agent, dir string
	env              execenv.Env
	request          Request
}

func newSandbox(t *testing.T, files map[string]string) *sandbox {
	t.Helper()
	all := map[string]string{"home/.pi/agent/": "", "work/.git/": "", "work/.pi/": ""}
	maps.Copy(all, files)
	root := tree(t, all)
	s := &sandbox{root: root, agent: filepath.Join(root, "home/.pi/agent"), dir: filepath.Join(root, "work")}
	env, err := execenv.Local(s.dir, execenv.LocalOptions{Home: filepath.Join(root, "home")})
	if err != nil {
		t.Fatal(err)
	}
	s.env = env
	s.request = Request{Env: env, AgentDir: s.agent, Trusted: true}
	return s
}

// load reads the settings and finds resources.
func (s *sandbox) load(ctx context.Context) Set {
	l := settings.LoadAll(ctx, s.env.FS, settings.Source{Scope: settings.User, Path: filepath.Join(s.agent, "settings.json")},
		settings.Source{Scope: settings.Project, Path: filepath.Join(s.dir, ".pi/settings.json")})
	r := s.request
	r.User, r.Project = l.UserResources, l.ProjectResources
	return Load(ctx, r)
}

// short gives paths from the root of the sandbox, "-" before those that are off.
func (s *sandbox) items(set Set, kind Kind) string {
	var out []string
	for _, it := range set.Items {
		if it.Kind != kind {
			continue
		}
		path := strings.TrimPrefix(it.Path, s.root+"/")
		if !it.On {
			path = "-" + path
		}
		out = append(out, path)
	}
	return strings.Join(out, " ")
}

const aSkill = "---\ndescription: does it\n---\nBody of it"

func TestPackagesTakePart(t *testing.T) {
	npm, git, mine := "home/.pi/agent/npm/node_modules/@s/tools/", "work/.pi/git/github.com/u/r/", "work/local/"
	s := newSandbox(t, map[string]string{
		"home/.pi/agent/settings.json": `{"packages": ["npm:@s/tools@^1", "npm:missing"]}`,
		"work/.pi/settings.json":       `{"packages": ["git:u/r@v1", "../local", "../single.ts", "../gone", "github:u/r"]}`,
		// Conventional directories.
		npm + "package.json": `{"name":"@s/tools"}`, npm + "skills/a/SKILL.md": aSkill, npm + "skills/loose.md": aSkill, npm + "prompts/deep/p.md": "P", npm + "themes/t.json": "{}",
		npm + "extensions/x.ts": "", npm + "extensions/types.d.ts": "", npm + "extensions/dir/index.js": "", npm + "extensions/other/package.json": `{"pi":{"extensions":["src/m.ts","gone.ts"]}}`,
		npm + "extensions/other/src/m.ts": "", npm + "extensions/nothing/readme.md": "", npm + "skills/node_modules/n/SKILL.md": aSkill,
		// A manifest: only what it names.
		git + "package.json":           `{"pi":{"extensions":["./src/e.ts"],"skills":["res/*","!res/old","-res/bad/SKILL.md"],"prompts":["res/**/*.md","!**/SKILL.md"],"themes":"no list"}}`,
		git + "src/e.ts":               "",
		git + "res/new/SKILL.md":       aSkill,
		git + "res/old/SKILL.md":       aSkill,
		git + "res/bad/SKILL.md":       aSkill,
		git + "res/deep/er/note.md":    "N",
		git + "themes/not-declared.js": "",
		// Nothing of that: an extension.
		mine + "index.ts": "", "work/single.ts": "",
		// The project's own wins.
		"work/.pi/skills/new/SKILL.md": aSkill, "home/.pi/agent/prompts/p.md": "mine",
	})
	set := s.load(t.Context())
	for kind, want := range map[Kind]string{
		Skills:     "work/.pi/skills/new/SKILL.md " + git + "res/new/SKILL.md " + npm + "skills/a/SKILL.md " + npm + "skills/loose.md",
		Prompts:    "home/.pi/agent/prompts/p.md " + git + "res/deep/er/note.md " + npm + "prompts/deep/p.md",
		Themes:     npm + "themes/t.json",
		Extensions: git + "src/e.ts " + mine + "index.ts work/single.ts " + npm + "extensions/dir/index.js " + npm + "extensions/other/src/m.ts " + npm + "extensions/x.ts",
	} {
		if got := s.items(set, kind); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", kind, got, want)
		}
	}
	if len(set.Skills) != 3 || set.Skills[1].Name != "a" || set.Skills[1].Package != "npm:@s/tools@^1" || set.Skills[1].Scope != User || len(set.Templates) != 2 || len(set.Extensions) != 6 || len(set.Themes) != 1 {
		t.Errorf("skills %+v\ntemplates %+v\nextensions %+v", set.Skills, set.Templates, set.Extensions)
	}
	var notes []string
	for _, n := range set.Notes {
		notes = append(notes, strings.TrimPrefix(n.Path, s.root+"/")+" "+n.Message)
	}
	for _, want := range []string{
		`the skill "new" is in `, `the prompt "/p" is in `, "npm/node_modules/missing is not there: the package npm:missing is not installed", "work/gone is not there", "write git:github.com/u/r",
		`"pi.themes" is no list`,
	} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("no note says %q:\n%s", want, strings.Join(notes, "\n"))
		}
	}
	s.request.Trusted = false
	if got := s.items(s.load(t.Context()), Extensions); strings.Contains(got, "work/") {
		t.Errorf("without trust: %s", got)
	}
	s.request.Trusted, s.request.NoExtensions, s.request.NoSkills = true, true, true
	s.request.Temporary = []Temp{{filepath.Join(s.root, mine), "./local"}}
	s.request.Skills = []string{filepath.Join(s.root, npm, "skills/a")}
	set = s.load(t.Context())
	if got := s.items(set, Extensions) + " " + s.items(set, Skills); got != mine+"index.ts "+npm+"skills/a/SKILL.md" {
		t.Errorf("what the command line names: %s", got)
	}
}

// A package that was fetched shows nothing of this machine.
func TestPackagesStayInside(t *testing.T) {
	root := "home/.pi/agent/npm/node_modules/evil/"
	s := newSandbox(t, map[string]string{
		"home/.pi/agent/settings.json": `{"packages": ["npm:evil"]}`, "home/secret.md": "secret", "home/more/SKILL.md": aSkill,
		root + "package.json": `{"pi":{"prompts":["../../../../../secret.md","/etc/hosts","p.md","link.md","dir/*.md"],"skills":["s"]}}`, root + "p.md": "P",
	})
	for link, to := range map[string]string{"link.md": "home/secret.md", "s": "home/more", "dir": "home"} {
		if err := os.Symlink(filepath.Join(s.root, to), filepath.Join(s.root, root, link)); err != nil {
			t.Fatal(err)
		}
	}
	set := s.load(t.Context())
	if got := s.items(set, Prompts) + s.items(set, Skills); got != root+"p.md" {
		t.Errorf("got %s", got)
	}
	if len(set.Notes) != 4 {
		t.Errorf("notes %v", set.Notes)
	}
}

func TestFilters(t *testing.T) {
	pk := "home/.pi/agent/npm/node_modules/pk/prompts/"
	cases := []struct{ user, project, want string }{
		{`"npm:pk"`, "", "a b c"},
		{`{"source":"npm:pk"}`, "", "a b c"},
		{`{"source":"npm:pk","prompts":[]}`, "", ""},
		{`{"source":"npm:pk","skills":[]}`, "", "a b c"},
		{`{"source":"npm:pk","prompts":["prompts/a.md"]}`, "", "a"},
		{`{"source":"npm:pk","prompts":["./prompts/{a,b}.md","!b.md"]}`, "", "a"},
		{`{"source":"npm:pk","prompts":["!prompts/*","+prompts/b.md"]}`, "", "b"},
		{`{"source":"npm:pk","prompts":["-prompts/c.md","+prompts/c.md"]}`, "", "a b"},
		{`{"source":"npm:pk","autoload":false}`, "", ""},
		{`{"source":"npm:pk","autoload":false,"prompts":["c.md"]}`, "", "c"},
		{`{"source":"npm:pk","autoload":false,"prompts":["+prompts/a.md"]}`, "", "a"},
		{`{"source":"npm:pk","prompts":["a.md","b.md"]}`, `{"source":"npm:pk@1","autoload":false,"prompts":["-prompts/a.md","+prompts/c.md"]}`, "b c"},
		{`"npm:pk"`, `{"source":"npm:pk","autoload":false,"prompts":["!b.md"]}`, "a c"},
		{`{"source":"npm:pk","prompts":[]}`, `{"source":"npm:pk","autoload":false,"prompts":["a.*"]}`, "a"},
		{`"npm:pk"`, `{"source":"npm:pk","prompts":["b.md"]}`, "missing"},
		{"", `{"source":"npm:pk","autoload":false,"prompts":["a.*"]}`, "missing"},
	}
	for _, c := range cases {
		s := newSandbox(t, map[string]string{
			"home/.pi/agent/settings.json": `{"packages":[` + c.user + `]}`, "work/.pi/settings.json": `{"packages":[` + c.project + `]}`, pk + "a.md": "A", pk + "b.md": "B", pk + "c.md": "C",
		})
		set := s.load(t.Context())
		var names []string
		for _, tm := range set.Templates {
			names = append(names, tm.Name)
		}
		if len(set.Notes) > 0 {
			names = append(names, "missing") // the project has none of its own
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("user %s, project %s: %s, want %s (%v)", c.user, c.project, got, c.want, set.Notes)
		}
	}
}

func TestListsOfTheSettings(t *testing.T) {
	s := newSandbox(t, map[string]string{
		"home/.pi/agent/settings.json": `{"prompts":["!no*","+prompts/north.md","-prompts/out.md","more","~/one.md","gone"],"extensions":["-extensions/b.ts","builtin:mcp","-builtin:codemode"],"skills":["!skills/old"],"themes":["-themes/dull.json","~/look.json"]}`,
		"home/.pi/agent/prompts/no.md": "x", "home/.pi/agent/prompts/north.md": "x", "home/.pi/agent/prompts/out.md": "x", "home/.pi/agent/prompts/yes.md": "x", "home/.pi/agent/prompts/sub/deep.md": "x",
		"home/.pi/agent/more/sub/deep2.md": "x", "home/one.md": "x", "home/.pi/agent/extensions/a.ts": "", "home/.pi/agent/extensions/b.ts": "",
		"home/.pi/agent/skills/old/SKILL.md": aSkill, "home/.pi/agent/skills/new/SKILL.md": aSkill,
		"home/.pi/agent/themes/dull.json": "{}", "home/.pi/agent/themes/fine.json": "{}", "home/look.json": "{}",
	})
	set := s.load(t.Context())
	a := "home/.pi/agent/"
	for kind, want := range map[Kind]string{
		Prompts:    a + "prompts/north.md " + a + "more/sub/deep2.md home/one.md -" + a + "prompts/no.md -" + a + "prompts/out.md " + a + "prompts/yes.md",
		Extensions: a + "extensions/a.ts -" + a + "extensions/b.ts",
		Skills:     a + "skills/new/SKILL.md -" + a + "skills/old/SKILL.md",
		Themes:     "home/look.json -" + a + "themes/dull.json " + a + "themes/fine.json",
	} {
		if got := s.items(set, kind); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", kind, got, want)
		}
	}
}

// Whatever the settings say, what is switched is as it was switched, everything else
// of the kind stays, and switching back and forth does not make the list longer.
func TestSwitch(t *testing.T) {
	pk := "home/.pi/agent/npm/node_modules/pk/"
	files := map[string]string{
		pk + "prompts/a.md": "A", pk + "prompts/b[1].md": "B", pk + "skills/s/SKILL.md": aSkill, "home/.pi/agent/prompts/own.md": "x", "home/.pi/agent/skills/k/SKILL.md": aSkill, "work/.pi/prompts/theirs.md": "x",
	}
	s := newSandbox(t, files)
	entry := rapid.SampledFrom([]string{"prompts/a.md", "*.md", "!*", "!a.md", "+prompts/a.md", "-prompts/a.md", "+prompts/b[1].md", "-prompts/own.md", "-skills/s", "+skills/s/SKILL.md", "!skills/k", "skills/*"})
	list := rapid.SliceOfN(entry, 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		object := map[string]any{"source": "npm:pk", "unknown": 1}
		for _, k := range []string{"prompts", "skills"} {
			if rapid.Bool().Draw(t, k+" given") {
				object[k] = list.Draw(t, k)
			}
		}
		if rapid.Bool().Draw(t, "no autoload") {
			object["autoload"] = false
		}
		user := map[string]any{"packages": []any{object}, "prompts": slices.DeleteFunc(list.Draw(t, "own prompts"), func(e string) bool { return !isOverride(e) }), "mine": "kept"}
		if rapid.Bool().Draw(t, "plain") {
			user["packages"] = []any{"npm:pk"}
		}
		text, err := json.Marshal(user)
		if err == nil {
			err = errors.Join(os.WriteFile(filepath.Join(s.agent, "settings.json"), text, 0o600), os.WriteFile(filepath.Join(s.dir, ".pi/settings.json"), []byte("{}"), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		before := s.load(context.Background())
		it := rapid.SampledFrom(before.Items).Draw(t, "item")
		in := it.Scope
		if it.Package != "" && rapid.Bool().Draw(t, "for the project") {
			in = Project
		}
		for range 2 {
			for _, on := range []bool{!it.On, it.On} {
				if err := Switch(context.Background(), s.env, s.agent, it, in, on); err != nil {
					t.Fatal(err)
				}
				after := s.load(context.Background())
				for _, was := range before.Items {
					i := slices.IndexFunc(after.Items, func(o Item) bool { return o.Path == was.Path && o.Kind == was.Kind })
					want := was.On
					if was.Path == it.Path {
						want = on
					}
					if i < 0 || after.Items[i].On != want {
						data, _ := os.ReadFile(filepath.Join(s.agent, "settings.json"))
						t.Fatalf("%s switched to %v: %s is not %v\nbefore %s\nafter  %s", it.Path, on, was.Path, want, text, data)
					}
				}
			}
		}
		data, err := os.ReadFile(filepath.Join(s.agent, "settings.json"))
		if err != nil || !strings.Contains(string(data), `"mine":"kept"`) || strings.Contains(string(text), "unknown") != strings.Contains(string(data), "unknown") || len(data) > len(text)+80 {
			t.Fatalf("%v\nbefore %s\nafter  %s", err, text, data)
		}
	})
	// What belongs to one file is not switched in the other.
	set := s.load(t.Context())
	for _, it := range set.Items {
		in := User
		if it.Scope == User && it.Package == "" {
			in = Project
		} else if it.Scope != Project {
			continue
		}
		if err := Switch(t.Context(), s.env, s.agent, it, in, false); !errors.Is(err, ErrNotHere) {
			t.Errorf("%s in %s: %v", it.Path, in, err)
		}
	}
}
