//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/internal/gittest"
	"github.com/pi-go/pi/codingagent/internal/npm/npmtest"
)

// shop is a sandbox with a registry.
func shop(t *testing.T) (*sandbox, *npmtest.Registry) {
	s, reg := newSandbox(t), npmtest.Start(t)
	s.put("../home/.npmrc", "registry="+reg.URL+"\n")
	return s, reg
}

func skillPackage(name, version, text string) npmtest.Package {
	return npmtest.Package{Name: name, Version: version, Files: map[string]string{
		"skills/pdf/SKILL.md": "---\ndescription: reads PDF\n---\n" + text, "prompts/hello.md": "Say hello from " + text, "index.js": version,
	}}
}

func (s *sandbox) gone(names ...string) {
	s.t.Helper()
	for _, n := range names {
		if _, err := os.Lstat(filepath.Join(s.dir, n)); err == nil {
			s.t.Errorf("there is %s", n)
		}
	}
}

func TestPackageCommands(t *testing.T) {
	s, reg := shop(t)
	git := gittest.Start(t)
	reg.Publish(skillPackage("@s/tools", "1.0.0", "the tools"))
	first := git.Commit("u/r", map[string]string{"prompts/g.md": "G"})
	agent := s.home + "/.pi/agent"
	npmDir, gitDir := agent+"/npm/node_modules/@s/tools", agent+"/git/127.0.0.1/u/r"
	source := git.URL + "/u/r"

	s.run("list").want(t, 0, "No packages installed.\n")
	s.run("install", "npm:@s/tools").want(t, 0, "Installing npm:@s/tools...\nInstalled npm:@s/tools\n")
	s.run("install", source).want(t, 0, "Installing "+source+"...\nInstalled "+source+"\n")
	s.put("nothing/readme.md", "No package.")
	if o := s.run("install", "./nothing"); o.code != 0 || !strings.Contains(o.err, s.dir+"/nothing has no skills, prompts, themes or extensions") {
		t.Errorf("a package without anything: %+v", o)
	}
	s.run("remove", "./nothing").want(t, 0, "Removing ./nothing...\nRemoved ./nothing\n")
	s.put("here/skills/mine/SKILL.md", "---\ndescription: mine\n---\nMine.")
	s.run("install", "-l", "./here", "--approve").want(t, 0, "Installing ./here...\nInstalled ./here\n")
	s.run("--approve", "list").want(t, 0, "User packages:\n  npm:@s/tools\n    "+npmDir+"\n  "+source+"\n    "+gitDir+"\nProject packages:\n  ../here\n    "+s.dir+"/here\n")
	s.run("list").want(t, 0, "User packages:\n  npm:@s/tools\n    "+npmDir+"\n  "+source+"\n    "+gitDir+"\n", "not trusted")
	var list []map[string]any
	if o := s.run("list", "--json", "-a"); json.Unmarshal([]byte(o.out), &list) != nil || len(list) != 3 || list[0]["version"] != "1.0.0" || list[2]["scope"] != "project" {
		t.Errorf("%+v", o)
	}
	if got := s.get("../home/.pi/agent/settings.json"); !strings.Contains(got, `"retry":{"baseDelayMs":1}`) || !strings.Contains(got, `"npm:@s/tools"`) {
		t.Errorf("settings %s", got)
	}

	// What the packages hold takes part.
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
	s.run("--model", "mock/m", "-na", "-p", "/hello").want(t, 0, "ok\n", "not trusted")
	if body := string(s.llm.Requests()[0].Body); !strings.Contains(body, "Say hello from the tools") || !strings.Contains(body, "reads PDF") {
		t.Errorf("the model gets %s", body)
	}

	c := s.rpc("--model", "mock/m", "-na", "--no-mcp")
	if commands := must(c.Commands(t.Context()))(t); len(commands) != 3 || commands[0].SourceInfo.Source != "npm:@s/tools" && commands[0].SourceInfo.Source != source || commands[0].SourceInfo.Origin != "package" || commands[0].SourceInfo.BaseDir == "" {
		t.Errorf("commands %+v", commands)
	}
	reg.Publish(skillPackage("@s/tools", "1.1.0", "new tools"))
	second := git.Commit("u/r", map[string]string{"prompts/g.md": "G2"})
	s.run("update", "-na", "--offline").want(t, 0, "Skipped package updates (offline mode)\npi itself is updated by what installed it; pi update self runs the command of the setting selfUpdateCommand.\n", "not trusted")
	s.run("update", "-na", "--extensions").want(t, 0, "Updating npm:@s/tools...\nUpdating "+source+"...\nUpdated npm:@s/tools (1.0.0 -> 1.1.0)\nUpdated "+source+" ("+first[:12]+" -> "+second[:12]+")\n", "not trusted")
	s.run("update", "-na", "npm:@s/tools").want(t, 0, "Packages are already up to date\n", "not trusted")
	s.run("update", "-na", "@s/tools").want(t, 1, "", "no matching package found for @s/tools; did you mean npm:@s/tools?")
	s.run("update", "-na", "self").want(t, 0, "pi itself is updated by what installed it, such as go install github.com/pi-go/pi/codingagent/cmd/pi@latest. The setting selfUpdateCommand, or PI_SELF_UPDATE_COMMAND, makes this command do it.\n", "not trusted")

	s.run("remove", "./here", "-na").want(t, 1, "Removing ./here...\n", "no matching package found for ./here")
	s.run("uninstall", "-l", "./here", "-a").want(t, 0, "Removing ./here...\nRemoved ./here\n")
	s.run("remove", "-na", source).want(t, 0, "Removing "+source+"...\nRemoved "+source+"\n", "not trusted")
	s.run("remove", "-na", "npm:@s/tools@9").want(t, 0, "Removing npm:@s/tools@9...\nRemoved npm:@s/tools@9\n", "not trusted")
	s.gone("../home/.pi/agent/npm/node_modules/@s", "../home/.pi/agent/git/127.0.0.1")
	s.run("list", "-a").want(t, 0, "No packages installed.\n")
}

func TestPackageCommandsRefuse(t *testing.T) {
	s, reg := shop(t)
	for _, c := range []struct{ args, text string }{
		{"install", "pi install needs the source"},
		{"install a b", `unexpected argument "b"; the usage is pi install SOURCE`},
		{"install github:u/r", "write git:github.com/u/r, or ./github:u/r"},
		{"install ./none", "there is no " + s.dir + "/none"},
		{"install lodash", "written npm:lodash"},
		{"install npm:none", "has none of that name"},
		{"install --offline npm:none", "pi is offline"},
		{"install --lcoal npm:none", "pi install: unknown option --lcoal (did you mean --local?)"},
		{"install --local=yes npm:none", "takes no value"},
		{"install -l -na npm:none", "the project is not trusted"},
		{"remove npm:none", "no matching package found for npm:none"},
		{"list extra", `pi list: unexpected argument "extra"`},
		{"update a b", `unexpected argument "b"`},
		{"update --all --self", "--all takes no other target"},
		{"update --models x", "--models takes no other target"},
		{"update --extension=a --extension b", "given twice"},
		{"update --extension a --extensions", "--extension takes no other target"},
		{"update npm:a --self", "pi update npm:a takes no other target"},
		{"update npm:none", "no matching package found for npm:none"},
		{"config --local --no-approve", "not trusted"},
		{"config enable", "needs the path"},
		{"config enable nothing", "there is no resource nothing"},
		{"config list x", "takes no more words"},
		{"config lsit", "did you mean list?"},
	} {
		if o := s.run(strings.Fields(c.args)...); o.code != 1 || !strings.Contains(o.err, c.text) {
			t.Errorf("pi %s: exit %d, %q lacks %q", c.args, o.code, o.err, c.text)
		}
	}
	s.gone("../home/.pi/agent/npm/node_modules")
	if n := len(reg.Requests()); n != 1 {
		t.Errorf("requests %v", reg.Requests())
	}
	if got := s.get("../home/.pi/agent/settings.json"); strings.Contains(got, "packages") {
		t.Errorf("settings %s", got)
	}
}

// A package that does all it can to get out, or to run.
func TestHostilePackages(t *testing.T) {
	s, reg := shop(t)
	evil := func(version string, entries ...tar.Header) {
		p := skillPackage("evil", version, "EVIL")
		p.Manifest = map[string]any{
			"scripts": map[string]any{"preinstall": "touch owned", "install": "touch owned", "postinstall": "touch " + s.dir + "/owned"}, "hasInstallScript": true,
			"pi": map[string]any{"skills": []string{"../../../../../secret", "skills"}, "prompts": []string{"/etc/hosts"}},
		}
		p.Entries = entries
		reg.Publish(p)
	}
	evil("1.0.0", tar.Header{Name: "package/secret", Linkname: "../../../../secret", Typeflag: tar.TypeSymlink})
	evil("2.0.0", tar.Header{Name: "package/../../../../owned", Mode: 0o755, Size: 3, Typeflag: tar.TypeReg})
	s.put("../home/.pi/secret/SKILL.md", "---\ndescription: SECRET\n---\nSECRET")
	s.run("install", "npm:evil@1.0.0").want(t, 0, "Installing npm:evil@1.0.0...\nInstalled npm:evil@1.0.0\n", "evil 1.0.0 has scripts for its installation; they were not run")
	s.run("install", "npm:evil@2.0.0").want(t, 1, "Installing npm:evil@2.0.0...\n", "would be outside of it")
	s.gone("owned", "../owned", "../home/owned", "../home/.pi/agent/owned", "../home/.pi/agent/npm/owned", "../home/.pi/agent/npm/node_modules/evil/secret")
	s.llm.Queue(mockllm.Say("ok"))
	if o := s.run("--model", "mock/m", "-p", "hi"); o.code != 0 || !strings.Contains(o.err, "not in the package") {
		t.Errorf("%+v", o)
	}
	if body := string(s.llm.Requests()[0].Body); strings.Contains(body, "SECRET") {
		t.Errorf("the model gets %s", body)
	}
	// Of a project that nobody trusts nothing is fetched.
	s.put(".pi/settings.json", `{"packages":["npm:evil","npm:more"],"npmCommand":["touch","owned"]}`)
	reg.Forget()
	s.llm.Queue(mockllm.Say("ok"))
	s.run("--model", "mock/m", "-p", "hi")
	s.run("update", "--extensions")
	for _, r := range reg.Requests() {
		if strings.Contains(r, "more") {
			t.Errorf("asked for %s", r)
		}
	}
	s.gone("owned", ".pi/npm")
}

// Packages that are named and not there are fetched before the first prompt; what can
// not be fetched stops nothing.
func TestPackagesAreInstalledAtStart(t *testing.T) {
	s, reg := shop(t)
	reg.Publish(skillPackage("tools", "1.0.0", "the tools"))
	s.put("../home/.pi/agent/settings.json", `{"packages":["npm:tools","npm:lost"]}`)
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
	s.run("--offline", "--model", "mock/m", "-p", "hi").want(t, 0, "ok\n", "the package npm:tools is not installed", "the package npm:lost is not installed")
	if len(reg.Requests()) > 0 {
		t.Errorf("requests %v", reg.Requests())
	}
	s.run("--model", "mock/m", "-p", "/hello").want(t, 0, "ok\n", "Installing npm:tools...", "install npm:lost: look up the npm package lost", "its resources are left out")
	if body := string(s.llm.Requests()[1].Body); !strings.Contains(body, "Say hello from the tools") {
		t.Errorf("the model gets %s", body)
	}
}

func TestConfigSwitches(t *testing.T) {
	s, reg := shop(t)
	reg.Publish(skillPackage("tools", "1.0.0", "the tools"))
	s.run("install", "npm:tools").want(t, 0, "Installing npm:tools...\nInstalled npm:tools\n")
	s.put("../home/.pi/agent/prompts/own.md", "own")
	dir := s.home + "/.pi/agent"
	root := dir + "/npm/node_modules/tools"
	s.run("config").want(t, 0, "Skills:\n  [x] "+root+"/skills/pdf/SKILL.md (user, npm:tools)\nPrompts:\n  [x] "+dir+"/prompts/own.md (user)\n  [x] "+root+"/prompts/hello.md (user, npm:tools)\n")
	s.run("config", "disable", "prompts/own.md").want(t, 0, dir+"/prompts/own.md is off now\n")
	s.run("config", "disable", "skills/pdf").want(t, 0, root+"/skills/pdf/SKILL.md is off now\n")
	s.run("config", "list").want(t, 0, "Skills:\n  [ ] "+root+"/skills/pdf/SKILL.md (user, npm:tools)\nPrompts:\n  [ ] "+dir+"/prompts/own.md (user)\n  [x] "+root+"/prompts/hello.md (user, npm:tools)\n")
	s.run("list").want(t, 0, "User packages:\n  npm:tools (filtered)\n    "+root+"\n")
	s.run("config", "enable", "skills/pdf").want(t, 0, root+"/skills/pdf/SKILL.md is on now\n")
	s.run("list").want(t, 0, "User packages:\n  npm:tools\n    "+root+"\n")
	s.run("config", "disable", "-l", "-a", "hello.md").want(t, 0, root+"/prompts/hello.md is off now\n")
	if got := s.get(".pi/settings.json"); !strings.Contains(got, `"autoload"`) || !strings.Contains(got, `"-prompts/hello.md"`) {
		t.Errorf("the project's settings: %s", got)
	}
	var items []map[string]any
	if o := s.run("config", "--json", "-a"); json.Unmarshal([]byte(o.out), &items) != nil || len(items) != 3 || items[2]["on"] != false {
		t.Errorf("%+v", o)
	}
}

// Killed at any moment, an install leaves the version that was there or the new one,
// whole, and the next install works.
func TestInstallIsKilled(t *testing.T) {
	s, reg := shop(t)
	version := func(v string) npmtest.Package {
		p := skillPackage("tools", v, v)
		p.Manifest = map[string]any{"dependencies": map[string]any{"dep": "1"}}
		for _, n := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
			p.Files["files/"+n] = v
		}
		return p
	}
	reg.Publish(npmtest.Package{Name: "dep", Version: "1.0.0"})
	reg.Publish(version("1.0.0"))
	reg.Publish(version("2.0.0"))
	s.run("install", "npm:tools@1.0.0").want(t, 0, "Installing npm:tools@1.0.0...\nInstalled npm:tools@1.0.0\n")
	root := filepath.Join(s.home, ".pi/agent/npm/node_modules/tools")
	whole := func() string {
		have, err := os.ReadFile(filepath.Join(root, "index.js"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"files/a", "files/z", "node_modules/dep/package.json"} {
			data, err := os.ReadFile(filepath.Join(root, n))
			if err != nil || strings.HasPrefix(n, "files") && !bytes.Equal(data, have) {
				t.Fatalf("%s of %s is %q: %v", n, have, data, err)
			}
		}
		return string(have)
	}
	// In the middle of the download for certain, then anywhere.
	release := reg.Hold("tools", "2.0.0")
	for i := range 12 {
		want := []string{"2.0.0", "1.0.0"}[i%2]
		cmd := s.command(t.Context(), "install", "npm:tools@"+want)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			for !strings.Contains(strings.Join(reg.Requests(), " "), "tools-2.0.0.tgz") {
				time.Sleep(time.Millisecond) // another process asks: there is nothing to wait on
			}
		} else {
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // a random point
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		release()
		if have := whole(); i == 0 && have != "1.0.0" {
			t.Errorf("%s after the first kill", have)
		}
		// The lock of a process that was killed is not waited for in this test.
		if err := os.RemoveAll(filepath.Join(s.home, ".pi/agent/npm.lock")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(s.home, ".pi/agent/settings.json.lock")); err != nil {
		t.Fatal(err)
	}
	s.run("install", "npm:tools@2.0.0").want(t, 0, "Installing npm:tools@2.0.0...\nInstalled npm:tools@2.0.0\n")
	if have := whole(); have != "2.0.0" {
		t.Errorf("%s in the end", have)
	}
	s.gone("../home/.pi/agent/npm/.pi-stage", "../home/.pi/agent/npm/.pi-aside")
}
