package packages_test

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/codingagent/internal/gittest"
	"github.com/pi-go/pi/codingagent/internal/npm/npmtest"
	"github.com/pi-go/pi/codingagent/packages"
	"github.com/pi-go/pi/codingagent/settings"
)

// world is a home, a project and servers.
type world struct {
	t                  *testing.T
	home, agent, dir   string
	reg                *npmtest.Registry
	said               []string
	options            packages.Options
	userFile, projFile string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"), reg: npmtest.Start(t)}
	w.agent = filepath.Join(w.home, ".pi", "agent")
	for _, d := range []string{w.agent, filepath.Join(w.dir, ".pi")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.userFile, w.projFile = filepath.Join(w.agent, "settings.json"), filepath.Join(w.dir, ".pi", "settings.json")
	w.options = packages.Options{
		AgentDir: w.agent, Dir: w.dir, Home: w.home, Trusted: true,
		Environ:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "npm_config_registry=" + w.reg.URL, "GIT_CONFIG_NOSYSTEM=1"},
		Progress: func(line string) { w.said = append(w.said, line) },
	}
	return w
}

func (w *world) manager() *packages.Manager { return packages.New(w.options) }

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) install(scope settings.Scope, source string) packages.Installed {
	w.t.Helper()
	done, err := w.manager().Install(w.t.Context(), scope, source)
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

// packagesOf gives the list of a settings file.
func (w *world) packagesOf(path string) string {
	w.t.Helper()
	var v struct{ Packages []json.RawMessage }
	if err := json.Unmarshal([]byte(w.read(path)), &v); err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, raw := range v.Packages {
		out = append(out, string(raw))
	}
	return strings.Join(out, " ")
}

// none fails if there is a path.
func (w *world) none(paths ...string) {
	w.t.Helper()
	for _, p := range paths {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			w.t.Errorf("there is %s (%v)", p, err)
		}
	}
}

// tidy fails if work in progress was left behind.
func (w *world) tidy() {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Dir(w.home), func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasPrefix(d.Name(), ".pi-") || strings.HasSuffix(d.Name(), ".lock")) {
			w.t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

func pkg(name, version string, manifest map[string]any, files ...string) npmtest.Package {
	p := npmtest.Package{Name: name, Version: version, Manifest: manifest, Files: map[string]string{"v.txt": version}}
	for _, f := range files {
		p.Files[f] = "of " + name
	}
	return p
}

func deps(pairs ...string) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return map[string]any{"dependencies": m}
}

func TestNPMPackages(t *testing.T) {
	w := newWorld(t)
	w.reg.Publish(pkg("dep", "1.0.0", nil))
	w.reg.Publish(pkg("@s/tools", "1.0.0", deps("dep", "^1")))
	w.reg.Publish(pkg("other", "3.1.0", map[string]any{"scripts": map[string]any{"postinstall": "touch " + filepath.Join(w.dir, "owned")}, "hasInstallScript": true}))
	w.write(w.userFile, `{
  "mine": {"kept": [1, 2]},
  "packages": [{"source": "npm:@s/tools@0.1", "skills": [], "other": true}, "./loc"]
}`)
	done := w.install(settings.User, "npm:@s/tools")
	dir := filepath.Join(w.agent, "npm/node_modules/@s/tools")
	if done.Dir != dir || done.From != "" || done.To != "1.0.0" {
		t.Errorf("%+v", done)
	}
	if w.read(filepath.Join(dir, "v.txt")) != "1.0.0" || w.read(filepath.Join(dir, "node_modules/dep/v.txt")) != "1.0.0" {
		t.Error("files are wrong")
	}
	if done := w.install(settings.User, "npm:other@3.1.0"); len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "not run") {
		t.Errorf("notes %q", done.Notes)
	}
	w.none(filepath.Join(w.dir, "owned"))
	if got := w.read(w.userFile); !strings.Contains(got, `"mine": {"kept": [1, 2]}`) {
		t.Errorf("settings %s", got)
	}
	var tools struct {
		Source string
		Skills *[]string
		Other  bool
	}
	var list struct{ Packages []json.RawMessage }
	if err := errors.Join(json.Unmarshal([]byte(w.read(w.userFile)), &list), json.Unmarshal(list.Packages[0], &tools)); err != nil || tools.Source != "npm:@s/tools" || tools.Skills == nil || !tools.Other || len(list.Packages) != 3 {
		t.Errorf("%+v of %s: %v", tools, w.read(w.userFile), err)
	}
	root := filepath.Join(w.agent, "npm")
	if got := w.read(filepath.Join(root, "package.json")); !strings.Contains(got, `"@s/tools": "^1.0.0"`) || !strings.Contains(got, `"other": "3.1.0"`) || !strings.Contains(got, `"name": "pi-extensions"`) {
		t.Errorf("package.json %s", got)
	}
	if got := w.read(filepath.Join(root, "package-lock.json")); !strings.Contains(got, `"node_modules/@s/tools/node_modules/dep"`) || !strings.Contains(got, "sha512-") {
		t.Errorf("package-lock.json %s", got)
	}
	if got := w.read(filepath.Join(root, ".gitignore")); got != "*\n!.gitignore\n" {
		t.Errorf(".gitignore %q", got)
	}

	// Nothing is newer, then something is; what is pinned stays.
	m := w.manager()
	if changed, err := m.Update(t.Context(), ""); err != nil || len(changed) != 0 {
		t.Errorf("%+v, %v", changed, err)
	}
	w.reg.Publish(pkg("@s/tools", "1.1.0", nil))
	w.reg.Publish(pkg("other", "4.0.0", nil))
	changed, err := m.Update(t.Context(), "")
	if err != nil || len(changed) != 1 || changed[0].From != "1.0.0" || changed[0].To != "1.1.0" || w.read(filepath.Join(dir, "v.txt")) != "1.1.0" {
		t.Errorf("%+v, %v", changed, err)
	}
	w.none(filepath.Join(dir, "node_modules"))
	if got := w.read(filepath.Join(root, "package-lock.json")); strings.Contains(got, "tools/node_modules/dep") {
		t.Errorf("the lock file names what is gone: %s", got)
	}
	// A pinned one that is gone, or of another version, is made right.
	w.write(filepath.Join(root, "node_modules/other/package.json"), `{"name":"other","version":"2.0.0"}`)
	if changed, err := w.manager().Update(t.Context(), "npm:other"); err != nil || len(changed) != 1 || changed[0].To != "3.1.0" {
		t.Errorf("%+v, %v", changed, err)
	}

	if err := m.Remove(t.Context(), settings.User, "tools"); !errors.Is(err, packages.ErrNotConfigured) {
		t.Error(err)
	}
	if err := m.Remove(t.Context(), settings.User, "@s/tools"); err == nil || !strings.Contains(err.Error(), "did you mean npm:@s/tools?") {
		t.Error(err)
	}
	if err := m.Remove(t.Context(), settings.User, "npm:@s/tools@9"); err != nil {
		t.Error(err)
	}
	w.none(filepath.Join(root, "node_modules/@s"))
	if got := w.packagesOf(w.userFile); got != `"./loc" "npm:other@3.1.0"` {
		t.Errorf("packages %s", got)
	}
	if got := w.read(filepath.Join(root, "package.json")) + w.read(filepath.Join(root, "package-lock.json")); strings.Contains(got, "tools") {
		t.Errorf("npm still knows it: %s", got)
	}
	w.tidy()
}

func TestGitPackages(t *testing.T) {
	w := newWorld(t)
	git := gittest.Start(t)
	w.reg.Publish(pkg("dep", "1.0.0", nil))
	w.reg.Publish(pkg("dep", "1.1.0", nil))
	first := git.Commit("u/tools", map[string]string{
		"package.json": `{"name":"tools","version":"0.1.0","dependencies":{"dep":"^1"},"devDependencies":{"none":"1"},"scripts":{"prepare":"touch owned"}}`, "skills/a/SKILL.md": "x",
		"package-lock.json": `{"lockfileVersion":3,"packages":{"":{},"node_modules/dep":{"version":"1.0.0"}}}`,
	})
	git.Git("u/tools", "tag", "v1")
	second := git.Commit("u/tools", map[string]string{"new.txt": "n"})
	source := git.URL + "/u/tools"
	done := w.install(settings.User, source)
	dir := filepath.Join(w.agent, "git/127.0.0.1/u/tools")
	if done.Dir != dir || done.To != second {
		t.Errorf("%+v, want %s at %s", done, dir, second)
	}
	if w.read(filepath.Join(dir, "node_modules/dep/v.txt")) != "1.0.0" {
		t.Error("the lock file does not count")
	}
	w.none(filepath.Join(dir, "owned"), filepath.Join(dir, "node_modules/none"))
	third := git.Commit("u/tools", map[string]string{"new.txt": "n2"})
	if changed, err := w.manager().Update(t.Context(), ""); err != nil || len(changed) != 1 || changed[0].From != second || changed[0].To != third || w.read(filepath.Join(dir, "new.txt")) != "n2" {
		t.Errorf("%+v, %v", changed, err)
	}
	if changed, err := w.manager().Update(t.Context(), ""); err != nil || len(changed) != 0 {
		t.Errorf("%+v, %v", changed, err)
	}
	for ref, want := range map[string]string{"v1": first, "main": third, second: second, second[:9]: second} {
		if done := w.install(settings.User, source+"@"+ref); done.To != want {
			t.Errorf("@%s is at %s, want %s", ref, done.To, want)
		}
		if changed, err := w.manager().Update(t.Context(), ""); err != nil || len(changed) != 0 {
			t.Errorf("update of @%s: %+v, %v", ref, changed, err)
		}
	}
	for ref, text := range map[string]string{"nope": "no branch, tag or commit nope", strings.Repeat("1", 40): "git fetch"} {
		if _, err := w.manager().Install(t.Context(), settings.User, source+"@"+ref); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("@%s: %v", ref, err)
		}
	}
	if _, err := w.manager().Install(t.Context(), settings.User, git.URL+"/u/none"); err == nil {
		t.Error("a repository that is not there was installed")
	}
	if _, err := w.manager().Install(t.Context(), settings.User, git.URL+"/u/tools/inside"); err == nil || !strings.Contains(err.Error(), "remove that first") {
		t.Error(err)
	}
	if err := w.manager().Remove(t.Context(), settings.User, source); err != nil {
		t.Error(err)
	}
	w.none(filepath.Join(w.agent, "git/127.0.0.1"))
	w.tidy()
}

// A tag named like a commit must not stand in for it.
func TestGitCommitIsVerified(t *testing.T) {
	w := newWorld(t)
	git := gittest.Start(t)
	good := git.Commit("u/r", map[string]string{"a": "good"})
	git.Commit("u/r", map[string]string{"a": "evil"})
	git.Git("u/r", "tag", good)
	git.Serve("u/r")
	done := w.install(settings.User, git.URL+"/u/r@"+good)
	if done.To != good || w.read(filepath.Join(done.Dir, "a")) != "good" {
		t.Errorf("%+v", done)
	}
}

// Hooks of the user's templates and of the environment do not run.
func TestGitRunsNothing(t *testing.T) {
	w := newWorld(t)
	git := gittest.Start(t)
	git.Commit("u/r", map[string]string{"a": "1", ".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = ext::sh -c touch% owned\n"})
	owned := filepath.Join(w.home, "owned")
	hook := "#!/bin/sh\ntouch " + owned + "\n"
	for _, h := range []string{"post-checkout", "post-merge", "reference-transaction"} {
		w.write(filepath.Join(w.home, "templates/hooks", h), hook)
		w.write(filepath.Join(w.home, "hooks", h), hook)
		for _, d := range []string{"templates/hooks", "hooks"} {
			if err := os.Chmod(filepath.Join(w.home, d, h), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.write(filepath.Join(w.home, ".gitconfig"), "[init]\n\ttemplateDir = "+w.home+"/templates\n[core]\n\thooksPath = "+w.home+"/hooks\n[submodule]\n\trecurse = true\n")
	w.options.Environ = append(w.options.Environ, "GIT_TEMPLATE_DIR="+w.home+"/templates", "GIT_DIR="+w.home)
	w.install(settings.User, git.URL+"/u/r")
	git.Commit("u/r", map[string]string{"a": "2"})
	if _, err := w.manager().Update(t.Context(), ""); err != nil {
		t.Error(err)
	}
	w.none(owned)
}

func TestLocalPackages(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.dir, "pk/skills/a/SKILL.md"), "x")
	done := w.install(settings.User, "./pk")
	if done.Dir != filepath.Join(w.dir, "pk") {
		t.Errorf("%+v", done)
	}
	w.install(settings.Project, filepath.Join(w.dir, "pk"))
	w.install(settings.Project, "pk/") // the same again
	if got := w.packagesOf(w.userFile); got != `"../../../work/pk"` {
		t.Errorf("user %s", got)
	}
	if got := w.packagesOf(w.projFile); got != `"../pk"` {
		t.Errorf("project %s", got)
	}
	for text, want := range map[string]string{"./none": "there is no " + w.dir, "lodash": "written npm:lodash", "@s/x": "written npm:@s/x"} {
		if _, err := w.manager().Install(t.Context(), settings.User, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := w.manager().Remove(t.Context(), settings.User, "pk"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "pk/skills/a/SKILL.md")); err != nil || w.packagesOf(w.userFile) != "" {
		t.Errorf("%v, %s", err, w.packagesOf(w.userFile))
	}
}

func TestProjectNeedsTrust(t *testing.T) {
	w := newWorld(t)
	w.reg.Publish(pkg("a", "1.0.0", nil))
	w.write(w.projFile, `{"packages":["npm:a"],"npmCommand":["touch","owned"]}`)
	w.write(filepath.Join(w.dir, ".pi/npm/.npmrc"), "registry=http://127.0.0.1:1/")
	w.options.Trusted = false
	m := w.manager()
	if _, err := m.Install(t.Context(), settings.Project, "npm:a"); !errors.Is(err, packages.ErrUntrusted) {
		t.Error(err)
	}
	if err := m.Remove(t.Context(), settings.Project, "npm:a"); !errors.Is(err, packages.ErrUntrusted) {
		t.Error(err)
	}
	if changed, err := m.Update(t.Context(), ""); err != nil || len(changed) > 0 || len(m.List(t.Context())) > 0 {
		t.Errorf("%v, %v", changed, err)
	}
	if done, errs := m.Ensure(t.Context()); len(done)+len(errs) > 0 || len(w.reg.Requests()) > 0 {
		t.Errorf("%v, %v, %v", done, errs, w.reg.Requests())
	}
	w.options.Trusted = true
	if err := os.Remove(filepath.Join(w.dir, ".pi/npm/.npmrc")); err != nil {
		t.Fatal(err)
	}
	done, errs := w.manager().Ensure(t.Context())
	if len(errs) > 0 || len(done) != 1 || done[0].Dir != filepath.Join(w.dir, ".pi/npm/node_modules/a") {
		t.Errorf("%v, %v", done, errs)
	}
}

func TestOffline(t *testing.T) {
	w := newWorld(t)
	w.write(w.userFile, `{"packages":["npm:a","git:127.0.0.1/u/r","./here"]}`)
	w.options.Offline = true
	m := w.manager()
	for _, source := range []string{"npm:a", "git:127.0.0.1/u/r"} {
		if _, err := m.Install(t.Context(), settings.User, source); !errors.Is(err, packages.ErrOffline) {
			t.Errorf("%s: %v", source, err)
		}
	}
	if _, err := m.Update(t.Context(), ""); !errors.Is(err, packages.ErrOffline) {
		t.Error(err)
	}
	if _, errs := m.Ensure(t.Context()); len(errs) != 2 || !errors.Is(errs[0], packages.ErrOffline) {
		t.Error(errs)
	}
	w.options.NPMCommand = []string{"touch", "owned"}
	if _, err := w.manager().Install(t.Context(), settings.User, "npm:a"); !errors.Is(err, packages.ErrOffline) || len(w.reg.Requests()) > 0 {
		t.Error(err, w.reg.Requests())
	}
}

// A package that is bad leaves the one that was there, and the settings, as they
// are.
func TestBadPackagesChangeNothing(t *testing.T) {
	w := newWorld(t)
	w.reg.Publish(pkg("a", "1.0.0", deps("d", "1")))
	w.reg.Publish(pkg("d", "1.0.0", nil))
	w.install(settings.User, "npm:a")
	before := w.read(w.userFile)
	lock := w.read(filepath.Join(w.agent, "npm/package-lock.json"))
	evil := pkg("a", "2.0.0", nil)
	evil.Entries = []tar.Header{{Name: "package/../../../../evil", Mode: 0o644, Size: 1, Typeflag: tar.TypeReg}}
	changed := pkg("a", "2.1.0", nil)
	changed.Integrity = "sha512-" + strings.Repeat("A", 86) + "=="
	changed2 := pkg("d", "2.0.0", nil)
	changed2.Integrity = changed.Integrity
	w.reg.Publish(evil)
	w.reg.Publish(changed)
	w.reg.Publish(changed2)
	w.reg.Publish(pkg("a", "2.2.0", deps("d", "2")))
	for _, source := range []string{"npm:a@2.0.0", "npm:a@2.1.0", "npm:a@2.2.0", "npm:a@3", "npm:none"} {
		if _, err := w.manager().Install(t.Context(), settings.User, source); err == nil {
			t.Errorf("%s was installed", source)
		}
		dir := filepath.Join(w.agent, "npm/node_modules/a")
		if w.read(filepath.Join(dir, "v.txt")) != "1.0.0" || w.read(filepath.Join(dir, "node_modules/d/v.txt")) != "1.0.0" {
			t.Errorf("after %s the old one is not there", source)
		}
		if w.read(w.userFile) != before || w.read(filepath.Join(w.agent, "npm/package-lock.json")) != lock {
			t.Errorf("%s changed the settings or the lock file", source)
		}
		w.tidy()
	}
}

// Several at once, as several processes do it: all are there in the end, and
// whoever looks meanwhile sees one version or the other.
func TestInstallsAtOnce(t *testing.T) {
	w := newWorld(t)
	names := []string{"a", "b", "@s/c", "@s/d"}
	for _, n := range names {
		w.reg.Publish(pkg(n, "1.0.0", nil))
	}
	w.reg.Publish(pkg("v", "1.0.0", deps("a", "1")))
	w.reg.Publish(pkg("v", "2.0.0", deps("a", "1")))
	w.install(settings.User, "npm:v@1.0.0")
	w.options.Progress = nil
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	readers.Go(func() {
		path := filepath.Join(w.agent, "npm/node_modules/v/package.json")
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := os.ReadFile(path); err != nil {
				t.Errorf("in between: %v", err)
				return
			}
		}
	})
	for _, n := range append(names, "v@2.0.0", "v@1.0.0", "v@2.0.0") {
		writers.Go(func() {
			if _, err := packages.New(w.options).Install(t.Context(), settings.User, "npm:"+n); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	var got []string
	for _, e := range w.manager().List(t.Context()) {
		if !e.Installed {
			t.Errorf("%s is not there", e.Dir)
		}
		got = append(got, e.Source.Name)
	}
	slices.Sort(got)
	if strings.Join(got, " ") != "@s/c @s/d a b v" {
		t.Errorf("packages %v", got)
	}
	if text := w.read(filepath.Join(w.agent, "npm/package.json")); strings.Count(text, "1.0.0") < 4 {
		t.Errorf("package.json %s", text)
	}
	w.tidy()
}

func TestTemporary(t *testing.T) {
	w := newWorld(t)
	git := gittest.Start(t)
	git.Commit("u/r", map[string]string{"a": "1"})
	w.reg.Publish(pkg("a", "1.0.0", nil))
	m := w.manager()
	top := filepath.Join(w.agent, "tmp/extensions")
	for source, want := range map[string]string{
		"npm:a":                        filepath.Join(top, "npm/f35b2129/node_modules/a"),
		"git:" + git.URL + "/u/r":      filepath.Join(top, "git-127.0.0.1/bbfde4da/u/r"),
		"git:" + git.URL + "/u/r@main": "",
	} {
		dir, note, err := m.Temporary(t.Context(), source)
		if err != nil || note != "" || want != "" && dir != want {
			t.Errorf("%s is in %s, %q, %v", source, dir, note, err)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(top); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	w.none(w.userFile)
	w.reg.Publish(pkg("a", "1.1.0", nil))
	dir, _, err := m.Temporary(t.Context(), "npm:a")
	if err != nil || w.read(filepath.Join(dir, "v.txt")) != "1.1.0" {
		t.Errorf("%v", err)
	}
	w.reg.RequireToken("no more")
	if dir, note, err := m.Temporary(t.Context(), "npm:a"); err != nil || !strings.Contains(note, "the copy that is there is used") || w.read(filepath.Join(dir, "v.txt")) != "1.1.0" {
		t.Errorf("%q, %v", note, err)
	}
	w.options.Offline = true
	if dir, note, err := w.manager().Temporary(t.Context(), "npm:a"); err != nil || note != "" || dir == "" {
		t.Errorf("%q, %v", note, err)
	}
	if _, _, err := w.manager().Temporary(t.Context(), "npm:b"); !errors.Is(err, packages.ErrOffline) {
		t.Error(err)
	}
	if dir, _, err := w.manager().Temporary(t.Context(), w.dir); err != nil || dir != w.dir {
		t.Errorf("%s, %v", dir, err)
	}
}

// The user's own command is used, and told that no script may run.
func TestNPMCommand(t *testing.T) {
	w := newWorld(t)
	log := filepath.Join(w.home, "log")
	for _, name := range []string{"npm", "pnpm", "bun"} {
		path := filepath.Join(w.home, "bin", name)
		w.write(path, "#!/bin/sh\necho \"$(basename $0) $* scripts-off=$npm_config_ignore_scripts\" >> "+log+"\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(w.agent, "npm")
	for name, want := range map[string]string{
		"npm":  "npm install a@^1 --prefix " + root + " --legacy-peer-deps --no-audit --no-fund --ignore-scripts scripts-off=true\nnpm uninstall a --prefix " + root + " --legacy-peer-deps --no-audit --no-fund --ignore-scripts scripts-off=true\n",
		"pnpm": "pnpm install a@^1 --prefix " + root + " --config.auto-install-peers=false --config.strict-peer-dependencies=false --config.strict-dep-builds=false --config.ignore-scripts=true scripts-off=true\npnpm uninstall a --prefix " + root + " --config.ignore-scripts=true scripts-off=true\n",
		"bun":  "bun install a@^1 --cwd " + root + " --omit=peer --ignore-scripts scripts-off=true\nbun uninstall a --cwd " + root + " --ignore-scripts scripts-off=true\n",
	} {
		w.write(log, "")
		w.options.NPMCommand = []string{"env", filepath.Join(w.home, "bin", name)}
		w.install(settings.User, "npm:a@^1")
		if err := w.manager().Remove(t.Context(), settings.User, "npm:a"); err != nil {
			t.Error(err)
		}
		if got := w.read(log); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if len(w.reg.Requests()) > 0 {
		t.Errorf("requests %v", w.reg.Requests())
	}
	w.options.NPMCommand = []string{filepath.Join(w.home, "no-such-npm")}
	if _, err := w.manager().Install(t.Context(), settings.User, "npm:b"); err == nil || w.packagesOf(w.userFile) != "" {
		t.Errorf("%v, %s", err, w.packagesOf(w.userFile))
	}
}
