//go:build interop && unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/internal/gittest"
)

// referenceOnline runs the TypeScript pi with the network of this machine, that is
// with registries on loopback, and gives how it ended.
func (s *sandbox) referenceOnline(args ...string) outcome {
	s.t.Helper()
	node, pkg := s.interop()
	cmd := exec.CommandContext(s.t.Context(), node, append([]string{filepath.Join(pkg, "dist/bundle/cli.js")}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH"), "PI_SKIP_VERSION_CHECK=1", "npm_config_update_notifier=false", "npm_config_cache=" + s.home + "/.npm"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// Each program lists, uses, updates and removes what the other has installed.
func TestInteropPackages(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("the reference installs packages with npm, which is not installed")
	}
	s, reg := shop(t)
	git := gittest.Start(t)
	dep := skillPackage("dep", "1.0.0", "dep")
	reg.Publish(dep)
	ours, theirs := skillPackage("@s/ours", "1.0.0", "ours"), skillPackage("theirs", "1.0.0", "theirs")
	ours.Manifest = map[string]any{"dependencies": map[string]any{"dep": "^1"}}
	theirs.Manifest = ours.Manifest
	ours.Files = map[string]string{"prompts/from-ours.md": "From ours", "index.js": ""}
	theirs.Files = map[string]string{"prompts/from-theirs.md": "From theirs", "index.js": ""}
	reg.Publish(ours)
	reg.Publish(theirs)
	git.Commit("u/r", map[string]string{"prompts/from-git.md": "From git"})
	s.put("loc/prompts/from-here.md", "From here")
	source := git.URL + "/u/r"
	ok := func(o outcome) outcome {
		t.Helper()
		if o.code != 0 {
			t.Fatalf("%+v", o)
		}
		return o
	}
	ok(s.run("install", "npm:@s/ours"))
	ok(s.run("install", source))
	ok(s.referenceOnline("install", "npm:theirs"))
	ok(s.referenceOnline("install", "./loc"))
	same := func() {
		t.Helper()
		here, there := ok(s.run("list")).out, ok(s.referenceOnline("list")).out
		if here != there {
			t.Errorf("pi lists\n%s\nthe reference\n%s", here, there)
		}
	}
	same()
	if got := ok(s.run("list")).out; strings.Count(got, "\n") != 9 {
		t.Errorf("the list is\n%s", got)
	}
	dir := filepath.Join(s.home, ".pi/agent/npm/node_modules")
	whole := func(names ...string) {
		t.Helper()
		for _, n := range names {
			if _, err := os.Stat(filepath.Join(dir, n)); err != nil {
				t.Error(err)
			}
		}
	}
	// npm, which the reference has run, did not take ours away, nor what it needs.
	whole("@s/ours/prompts/from-ours.md", "theirs/index.js", "dep/index.js") // which it has put beside those that need it

	// Both give their models what the packages of both hold.
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
	for _, name := range []string{"ours", "theirs", "git", "here"} {
		for who, o := range map[string]outcome{"pi": s.run("--model", "mock/m", "--no-session", "-p", "/from-"+name), "the reference": s.referenceOnline("--model", "mock/m", "--no-session", "-p", "/from-"+name)} {
			all := s.llm.Requests()
			if o.code != 0 || !strings.Contains(string(all[len(all)-1].Body), "From "+name) {
				t.Errorf("%s does not know /from-%s: %+v", who, name, o)
			}
		}
	}

	// Each updates the other's.
	ours.Version, theirs.Version = "1.1.0", "1.1.0"
	reg.Publish(ours)
	reg.Publish(theirs)
	git.Commit("u/r", map[string]string{"prompts/from-git.md": "From git, later"})
	ok(s.run("update", "npm:theirs"))
	ok(s.referenceOnline("update", "npm:@s/ours"))
	ok(s.referenceOnline("update", source))
	for _, n := range []string{"@s/ours", "theirs"} {
		if data, err := os.ReadFile(filepath.Join(dir, n, "package.json")); err != nil || !strings.Contains(string(data), `"1.1.0"`) {
			t.Errorf("%s: %s, %v", n, data, err)
		}
	}
	if got := s.get("../home/.pi/agent/git/127.0.0.1/u/r/prompts/from-git.md"); got != "From git, later" {
		t.Errorf("the repository has %q", got)
	}
	ok(s.run("update"))

	// A filter that pi config writes counts there.
	ok(s.run("config", "disable", "from-ours.md"))
	ok(s.run("config", "disable", "from-here.md"))
	same()
	for _, name := range []string{"ours", "here"} {
		ok(s.referenceOnline("--model", "mock/m", "--no-session", "-p", "/from-"+name))
		all := s.llm.Requests()
		if strings.Contains(string(all[len(all)-1].Body), "From "+name) {
			t.Errorf("the reference uses /from-%s, which is off", name)
		}
	}

	// Each removes the other's, and leaves the rest.
	ok(s.run("remove", "npm:theirs"))
	ok(s.run("remove", "./loc"))
	whole("@s/ours/index.js")
	same()
	if _, err := os.Stat(filepath.Join(dir, "@s/ours/node_modules/dep/index.js")); err != nil {
		whole("dep/index.js")
	}
	ok(s.referenceOnline("remove", "npm:@s/ours"))
	ok(s.referenceOnline("remove", source))
	s.run("list").want(t, 0, "No packages installed.\n")
	s.gone("../home/.pi/agent/npm/node_modules/@s/ours", "../home/.pi/agent/npm/node_modules/theirs", "../home/.pi/agent/npm/node_modules/dep", "../home/.pi/agent/git/127.0.0.1/u/r")
}

// Sources mean the same, but for those that we refuse for what they would be.
func TestInteropPackageIdentity(t *testing.T) {
	s, reg := shop(t)
	reg.Publish(skillPackage("tools", "1.0.0", "x"))
	s.put("loc/index.js", "")
	s.run("install", "npm:tools@1.0.0")
	s.run("install", "./loc")
	if o := s.referenceOnline("remove", s.dir+"/loc"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	s.put("../home/.pi/agent/settings.json", `{"packages":["npm:tools@1.0.0", {"source":"../../../work/loc","skills":[]}]}`)
	if here, there := s.run("list").out, s.referenceOnline("list").out; here != there {
		t.Errorf("pi lists\n%s\nthe reference\n%s", here, there)
	}
	// There it is installed anew, here it is refused.
	if o := s.run("install", "github:u/r"); o.code != 1 {
		t.Errorf("%+v", o)
	}
}
