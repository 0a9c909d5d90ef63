package packages_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/internal/gittest"
	"github.com/pi-go/pi/codingagent/internal/npm/npmtest"
	"github.com/pi-go/pi/codingagent/settings"
)

// A package may depend on repositories and on tarballs at an address, which depend on
// further packages.
func TestDependenciesFromElsewhere(t *testing.T) {
	w := newWorld(t)
	git := gittest.Start(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	first := git.Commit("u/helper", map[string]string{
		"package.json": `{"name":"helper","version":"2.0.0","dependencies":{"low":"^1.0.0"},"scripts":{"prepare":"touch built"}}`, "index.js": "one", "sub/x.js": "x",
	})
	git.Commit("u/helper", map[string]string{"index.js": "two"})
	git.Serve("u/helper")
	w.reg.Publish(npmtest.Package{Name: "low", Version: "1.2.0", Files: map[string]string{"low.js": "low"}})
	w.reg.Publish(npmtest.Package{Name: "far", Version: "3.0.0", Manifest: map[string]any{"dependencies": map[string]any{"low": "1"}}, Files: map[string]string{"far.js": "far"}})
	w.reg.Publish(npmtest.Package{Name: "top", Version: "1.0.0", Manifest: map[string]any{"dependencies": map[string]any{
		"helper": "git+" + git.URL + "/u/helper#" + first, "far": strings.TrimSuffix(w.reg.URL, "/") + "/far/-/far-3.0.0.tgz",
	}}, Files: map[string]string{"skills/a/SKILL.md": "x"}})
	done := w.install(settings.User, "npm:top")
	in := func(name string) string { return w.read(filepath.Join(done.Dir, "node_modules", name)) }
	if in("helper/index.js") != "one" || in("helper/sub/x.js") != "x" || in("far/far.js") != "far" || in("low/low.js") != "low" {
		t.Error("something is not as it should be")
	}
	w.none(filepath.Join(done.Dir, "node_modules/helper/.git"), filepath.Join(done.Dir, "node_modules/helper/built"))
	lock := w.read(filepath.Join(w.agent, "npm/package-lock.json"))
	if !strings.Contains(lock, "/u/helper#"+first) {
		t.Errorf("the lock file does not name the commit: %s", lock)
	}
	if notes := strings.Join(done.Notes, "\n"); !strings.Contains(notes, "helper 2.0.0 is a repository that has to be built") {
		t.Errorf("notes %q", notes)
	}
	w.tidy()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What can not be fetched is an error that says why.
func TestDependenciesThatCanNotBeFetched(t *testing.T) {
	w := newWorld(t)
	git := gittest.Start(t)
	git.Commit("u/none", map[string]string{"a": "no package"})
	git.Serve("u/none")
	for want, why := range map[string]string{
		"file:../x":                            "a path of the machine",
		"git+" + git.URL + "/u/none":           "no package.json",
		"git+" + git.URL + "/u/nowhere":        "fetch ",
		"git+" + git.URL + "/u/none#semver:^1": "can not be asked for",
		"https://":                             "is not the name of a host",
		"ext::sh -c touch% owned":              "",
		w.reg.URL + "none.tgz":                 "not found",
	} {
		w.reg.Publish(npmtest.Package{Name: "top", Version: "1.0.0", Manifest: map[string]any{"dependencies": map[string]any{"x": want}}})
		_, err := w.manager().Install(t.Context(), settings.User, "npm:top")
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "the dependency x is") {
			t.Errorf("%s: %v, want %q", want, err, why)
		}
	}
	w.tidy()
}
