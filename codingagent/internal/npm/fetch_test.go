package npm_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/internal/npm"
	"github.com/pi-go/pi/codingagent/internal/npm/npmtest"
)

func deps(pairs ...string) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return map[string]any{"dependencies": m}
}

func publish(r *npmtest.Registry, name, version string, manifest map[string]any) {
	r.Publish(npmtest.Package{Name: name, Version: version, Manifest: manifest})
}

func client(reg *npmtest.Registry) *npm.Registry {
	return &npm.Registry{Config: npm.Config{}.ParseConfig("registry="+reg.URL, nil), OS: "linux", CPU: "amd64"}
}

func spec(t *testing.T, s string) npm.Spec {
	t.Helper()
	got, err := npm.ParseSpec(s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// places gives a tree as "dir=version" lines.
func places(tree *npm.Tree) string {
	var out []string
	for _, p := range tree.Places {
		out = append(out, strings.ReplaceAll(p.Dir, "node_modules/", "")+"="+p.Manifest.Version)
	}
	return strings.Join(out, " ")
}

func TestPick(t *testing.T) {
	reg := npmtest.Start(t)
	for _, v := range []string{"1.0.0", "1.2.0", "1.10.0", "2.0.0-beta.1"} {
		publish(reg, "@s/a", v, nil)
	}
	reg.Publish(npmtest.Package{Name: "@s/a", Version: "1.11.0", Manifest: map[string]any{"deprecated": "do not use"}, Tag: "bad"})
	reg.Publish(npmtest.Package{Name: "@s/a", Version: "1.9.0", Tag: "latest"})
	reg.Publish(npmtest.Package{Name: "@s/a", Version: "3.0.0", Tag: "next"})
	for want, version := range map[string]string{
		"@s/a": "1.9.0", "@s/a@next": "3.0.0", "@s/a@^1": "1.9.0", "@s/a@>1.9.0 <2": "1.10.0", "@s/a@1.11": "1.11.0", "@s/a@1.0.0": "1.0.0",
		"@s/a@v1.2.0": "1.2.0", "@s/a@2.0.0-beta.1": "2.0.0-beta.1", "@s/a@^2.0.0-a": "2.0.0-beta.1", "@s/a@*": "1.9.0",
	} {
		m, err := client(reg).Pick(t.Context(), spec(t, want))
		if err != nil || m.Version != version {
			t.Errorf("%s is %+v, %v, want %s", want, m, err, version)
		}
	}
	for want, text := range map[string]string{
		"@s/a@4": "no version in the range 4; its newest version is 1.9.0", "@s/a@1.0.1": "no version 1.0.1", "@s/a@nxt": "no tag nxt", "none": "has none of that name",
	} {
		if _, err := client(reg).Pick(t.Context(), spec(t, want)); err == nil || !strings.Contains(err.Error(), text) || !errors.Is(err, npm.ErrNotFound) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestTree(t *testing.T) {
	reg := npmtest.Start(t)
	publish(reg, "app", "1.0.0", map[string]any{
		"dependencies": map[string]any{"a": "^1", "b": "1.x", "z": "npm:d@2"}, "devDependencies": map[string]any{"missing": "1"}, "peerDependencies": map[string]any{"missing": "1"},
		"optionalDependencies": map[string]any{"mac": "1", "lin": "1", "gone": "1"},
	})
	publish(reg, "a", "1.0.0", deps("d", "^1", "b", "^1"))
	publish(reg, "b", "1.0.0", deps("d", "^2", "c", "1"))
	publish(reg, "c", "1.0.0", deps("d", "^2", "a", "*", "e", "latest"))
	publish(reg, "d", "1.0.0", nil)
	publish(reg, "d", "1.5.0", nil)
	publish(reg, "d", "2.0.0", nil)
	publish(reg, "e", "1.0.0", map[string]any{"hasInstallScript": true})
	publish(reg, "mac", "1.0.0", map[string]any{"os": []string{"darwin"}})
	publish(reg, "lin", "1.0.0", map[string]any{"os": []string{"!win32"}, "cpu": "x64"})
	want := ".=1.0.0 a=1.0.0 b=1.0.0 b/d=2.0.0 c=1.0.0 c/d=2.0.0 d=1.5.0 e=1.0.0 lin=1.0.0 z=2.0.0"
	for range 3 {
		tree, err := client(reg).Resolve(t.Context(), spec(t, "app"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Replace(places(tree), "z=", "z=", 1); got != want {
			t.Errorf("tree %s\nwant %s", got, want)
		}
		if len(tree.Notes) != 1 || !strings.Contains(tree.Notes[0], "e 1.0.0 has scripts") {
			t.Errorf("notes %q", tree.Notes)
		}
	}
	tree, err := client(reg).Resolve(t.Context(), spec(t, "app"), npm.Locked{"d": {{Version: "1.0.0"}}})
	if err != nil || !strings.Contains(places(tree), " d=1.0.0") {
		t.Errorf("with a lock file: %v, %v", tree, err)
	}
	if _, err := client(reg).Resolve(t.Context(), spec(t, "app"), npm.Locked{"d": {{Version: "1.5.0", Integrity: "sha512-AAAA"}}}); !errors.Is(err, npm.ErrIntegrity) {
		t.Errorf("a checksum that is not that of the lock file: %v", err)
	}
}

func TestTreesThatCanNotBe(t *testing.T) {
	reg := npmtest.Start(t)
	publish(reg, "circle", "1.0.0", deps("x", "1"))
	publish(reg, "x", "1.0.0", deps("y", "1"))
	publish(reg, "x", "2.0.0", deps("y", "2"))
	publish(reg, "y", "1.0.0", deps("x", "2"))
	publish(reg, "y", "2.0.0", deps("x", "1"))
	publish(reg, "simple-circle", "1.0.0", deps("p", "1"))
	publish(reg, "p", "1.0.0", deps("q", "1"))
	publish(reg, "q", "1.0.0", deps("p", "1"))
	publish(reg, "git", "1.0.0", deps("g", "github:u/r"))
	publish(reg, "file", "1.0.0", deps("g", "file:../x"))
	publish(reg, "evil", "1.0.0", deps("../../x", "1"))
	publish(reg, "lost", "1.0.0", deps("nowhere", "1"))
	publish(reg, "mac", "1.0.0", map[string]any{"os": []string{"darwin"}})
	publish(reg, "needs-mac", "1.0.0", deps("mac", "1"))
	for name, text := range map[string]string{
		"circle": "circle", "git": "set npmCommand to use npm", "file": "a path of the machine", "evil": "not the name of an npm package",
		"lost": "lost 1.0.0: look up the npm package nowhere", "mac": "not for this system", "needs-mac": "needs-mac needs mac 1.0.0, which is not for this system",
	} {
		r := client(reg)
		r.Limits.Packages = 50
		if _, err := r.Resolve(t.Context(), spec(t, name), nil); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tree, err := client(reg).Resolve(t.Context(), spec(t, "simple-circle"), nil)
	if err != nil || places(tree) != ".=1.0.0 p=1.0.0 q=1.0.0" {
		t.Errorf("%v, %v", tree, err)
	}
}

// unpack resolves and unpacks into a fresh directory, and gives what is in it.
func unpack(t *testing.T, r *npm.Registry, name string) (files []string, outside []string, err error) {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "in", "side")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	tree, err := r.Resolve(t.Context(), spec(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Unpack(t.Context(), tree, dir)
	walked := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, relErr := filepath.Rel(dir, path)
		switch {
		case relErr != nil:
			return relErr
		case d.Type()&fs.ModeSymlink != 0:
			t.Errorf("there is a link: %s", path)
		case strings.HasPrefix(rel, "..") && !d.IsDir():
			outside = append(outside, path)
		case !d.IsDir():
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if walked != nil {
		t.Fatal(walked)
	}
	slices.Sort(files)
	return files, outside, err
}

func TestUnpack(t *testing.T) {
	reg := npmtest.Start(t)
	reg.Publish(npmtest.Package{Name: "@s/app", Version: "1.0.0", Files: map[string]string{"src/a.js": "a", "README.md": "r"}, Manifest: deps("d", "1")})
	reg.Publish(npmtest.Package{Name: "d", Version: "1.0.0", OnlyShasum: true, Entries: []tar.Header{
		{Name: "package/run", Mode: 0o4755, Size: 3, Typeflag: tar.TypeReg},
		{Name: "package/link", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink},
		{Name: "package/hard", Linkname: "package/package.json", Typeflag: tar.TypeLink},
		{Name: "package/dev", Typeflag: tar.TypeChar},
		{Name: "other/deep/file", Mode: 0o600, Size: 1, Typeflag: tar.TypeReg},
	}})
	files, outside, err := unpack(t, client(reg), "@s/app")
	want := "README.md node_modules/d/deep/file node_modules/d/package.json node_modules/d/run package.json src/a.js"
	if got := strings.Join(files, " "); err != nil || got != want || len(outside) > 0 {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}

// A link that comes first must not lead a later file out.
func TestUnpackRefusesWhatIsHostile(t *testing.T) {
	reg := npmtest.Start(t)
	file := func(name string, size int64) tar.Header {
		return tar.Header{Name: name, Mode: 0o644, Size: size, Typeflag: tar.TypeReg}
	}
	cases := []struct {
		p    npmtest.Package
		text string
	}{
		{npmtest.Package{Name: "up", Entries: []tar.Header{file("package/../../evil", 1)}}, "outside"},
		{npmtest.Package{Name: "up-first", Entries: []tar.Header{file("../evil", 1)}}, "outside"},
		{npmtest.Package{Name: "absolute", Entries: []tar.Header{file("/tmp/evil", 1)}}, "outside"},
		{npmtest.Package{Name: "backslash", Entries: []tar.Header{file(`package\..\..\evil`, 1)}}, "outside"},
		{npmtest.Package{Name: "inner", Entries: []tar.Header{file("package/a/../../b", 1)}}, "outside"},
		{npmtest.Package{Name: "over-a-file", Entries: []tar.Header{file("package/package.json/x", 1)}}, ""},
		{npmtest.Package{Name: "huge", Entries: []tar.Header{file("package/zeros", 1<<20)}}, "larger than"},
		{npmtest.Package{Name: "many", Entries: slices.Repeat([]tar.Header{file("package/f", 1)}, 30)}, "more than 20 files"},
		{npmtest.Package{Name: "no-gzip", Tarball: []byte("plain")}, "no gzip"},
		{npmtest.Package{Name: "changed", Integrity: "sha512-" + strings.Repeat("A", 86) + "=="}, "checksum is wrong"},
		{npmtest.Package{Name: "odd-sum", Integrity: "md5-AAAA"}, "known kind"},
		{npmtest.Package{Name: "short-sum", Integrity: "sha512-AAAA"}, "can not be read"},
		{npmtest.Package{Name: "impostor", Files: map[string]string{"package.json": `{"name":"other"}`}}, `that of "other"`},
		{npmtest.Package{Name: "no-manifest", Files: map[string]string{"package.json": ``}}, "package.json"},
		{npmtest.Package{Name: "big-tarball", Tarball: make([]byte, 200<<10)}, "larger than"},
	}
	for _, c := range cases {
		c.p.Version = "1.0.0"
		reg.Publish(c.p)
		r := client(reg)
		r.Limits = npm.Limits{Unpacked: 100 << 10, Files: 20, Tarball: 150 << 10}
		_, outside, err := unpack(t, r, c.p.Name)
		if err == nil || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "fetch "+c.p.Name+" 1.0.0") {
			t.Errorf("%s: %v", c.p.Name, err)
		}
		if len(outside) > 0 {
			t.Errorf("%s wrote %v", c.p.Name, outside)
		}
	}
	reg.Publish(npmtest.Package{Name: "through-a-link", Version: "1.0.0", Entries: []tar.Header{
		{Name: "package/out", Linkname: "../..", Typeflag: tar.TypeSymlink}, file("package/out/evil", 1),
	}})
	if files, outside, err := unpack(t, client(reg), "through-a-link"); err != nil || len(outside) > 0 || !slices.Contains(files, "out/evil") {
		t.Errorf("through a link: %v, %v, %v", files, outside, err)
	}
}

func TestLogin(t *testing.T) {
	reg := npmtest.Start(t)
	publish(reg, "@corp/a", "1.0.0", nil)
	reg.RequireToken("tok-123")
	host := strings.TrimPrefix(reg.URL, "http:")
	rc := "@corp:registry=" + reg.URL + "\nregistry=http://127.0.0.1:1/\n" + host + ":_authToken=${NPM_TOKEN}\n"
	variable := func(name string) string { return map[string]string{"NPM_TOKEN": "tok-123"}[name] }
	r := &npm.Registry{Config: npm.Config{}.ParseConfig(rc, variable)}
	if _, _, err := unpack(t, r, "@corp/a"); err != nil {
		t.Error(err)
	}
	// The same for a file that may not see the environment, and for another directory of the server.
	for _, text := range []string{rc, strings.Replace(rc, host, host+"else/", 1)} {
		r := &npm.Registry{Config: npm.Config{}.ParseConfig(text, nil)}
		if _, err := r.Pick(t.Context(), spec(t, "@corp/a")); err == nil || !strings.Contains(err.Error(), "refuses access") || strings.Contains(err.Error(), "tok-123") {
			t.Errorf("without the token: %v", err)
		}
	}
}

func TestConfig(t *testing.T) {
	c := npm.Config{}.ParseEnviron([]string{"NPM_CONFIG_REGISTRY=https://env.example/r", "npm_config_userconfig=/u/rc", "OTHER=1"})
	c = c.ParseConfig("; comment\n# another\nregistry = https://file.example/\n@s:registry=\"https://scope.example\"\nbroken\n", nil)
	for name, want := range map[string]string{"a": "https://env.example/r/", "@s/a": "https://scope.example/"} {
		u, err := c.Registry(name)
		if err != nil || u.String() != want {
			t.Errorf("%s is at %v, %v", name, u, err)
		}
	}
	foreign := npm.Config{}.ParseConfig("registry=http://registry.npmjs.org/\n@s:registry=http://elsewhere.example/\n@t:registry=https://right.example/", nil)
	for name, want := range map[string]string{"a": npm.PublicRegistry, "@s/a": npm.PublicRegistry, "@t/a": "https://right.example/"} {
		if u, err := foreign.Registry(name); err != nil || u.String() != want {
			t.Errorf("of a file of somebody else: %s is at %v, %v", name, u, err)
		}
	}
	if c.UserConfig() != "/u/rc" {
		t.Error(c.UserConfig())
	}
	if _, err := (npm.Config{}).ParseConfig("registry=ftp://user:secret@x/", func(string) string { return "" }).Registry("a"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a registry that is none: %v", err)
	}
}

func TestOffline(t *testing.T) {
	reg := npmtest.Start(t)
	r := client(reg)
	r.Offline = true
	if _, err := r.Pick(t.Context(), spec(t, "a")); !errors.Is(err, npm.ErrOffline) || len(reg.Requests()) != 0 {
		t.Errorf("%v, %v", err, reg.Requests())
	}
}

func ExampleParseSpec() {
	s, err := npm.ParseSpec("@scope/tool@^1.2")
	fmt.Println(s.Name, s.Want, err)
	// Output: @scope/tool ^1.2 <nil>
}
