//go:build unix

package interactive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// program puts a program in front of all others of that name.
func (c *console) program(name, script string) {
	c.t.Helper()
	c.put("../bin/"+name, "#!/bin/sh\n"+script)
	bin := filepath.Join(filepath.Dir(c.dir), "bin")
	if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
		c.t.Fatal(err)
	}
	c.env = append(c.env, "PATH="+bin+":"+os.Getenv("PATH"))
}

func TestShareCommand(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.llm.Queue(mockllm.Say("pears"))
		c.program("gh", `case "$1 $2" in
"auth status") exit 0;;
"gist create") echo "- Creating gist" >&2; for f; do :; done; cp "$f" "$HOME/uploaded.html"; echo "$*" > "$HOME/how"; echo https://gist.example/abc123;;
esac
`)
		c.open(width, 30)
		c.keys("/share", enter)
		c.wait("nothing to share")
		c.ask("what is green", "pears")
		c.keys("/share", enter)
		c.wait("── Upload all", "→ No, keep it here", "It holds what was said")
		c.resize(width+7, 26)
		c.wait("→ No, keep it here")
		c.keys(enter)
		c.gone("── Upload")
		if c.file("../home/how") != "" {
			t.Fatal("it was uploaded without consent")
		}
		c.keys("/share", enter)
		c.wait("── Upload all")
		c.keys(down, enter)
		c.wait("Shared: https://gist.example/abc123")
		c.until("the address is on the clipboard", func(string) bool { return c.screen.Clipboard() == "https://gist.example/abc123" })
		c.leave()
		if how := c.file("../home/how"); !strings.Contains(how, "--public=false") {
			t.Errorf("gh was called with %s", how)
		}
		if page := c.file("../home/uploaded.html"); !strings.Contains(page, "pears") {
			t.Errorf("the page is %.200s", page)
		}
	})
}

func TestShareNeedsGH(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("pears"))
	c.start(80, 30, "--model", "mock/m", "what is green")
	c.wait("pears")
	c.gone("Working")
	c.keys("/share", enter)
	if _, err := os.Stat("/usr/bin/gh"); err == nil {
		t.Skip("gh is installed")
	}
	c.wait("Sharing needs gh", "/export")
	c.leave()

	c = place(t)
	c.llm.Queue(mockllm.Say("plums"))
	c.program("gh", "echo You are not logged into any GitHub hosts. >&2; exit 1\n")
	c.start(80, 30, "--model", "mock/m", "what is blue")
	c.wait("plums")
	c.gone("Working")
	c.keys("/share", enter)
	c.wait("gh auth login", "not logged into")
	c.leave()
}

// Reports have facts and no text of the conversation, and no keys.
func TestReports(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.env = append(c.env, "OPENAI_API_KEY=sk-variable-secret")
		c.put(agentFiles+"settings.json", `{"theme":"dark","externalEditor":"vi # hush-editor","shellCommandPrefix":"export T=hush-prefix"}`)
		c.llm.Queue(mockllm.Say("hush answer"))
		c.open(width, 40)
		c.ask("hush question", "hush answer")
		c.keys("/bug", enter)
		c.wait("── What is wrong?")
		c.keys("it blinks", enter)
		c.wait("A report is in", "Nothing was")
		c.keys("/bug it hums", enter)
		c.keys("/debug", enter)
		c.wait("pi-debug.log")
		c.leave()
		bugs, err := filepath.Glob(filepath.Join(c.home, ".pi/agent/bug-*.md"))
		if err != nil || len(bugs) == 0 {
			t.Fatalf("reports %v, %v", bugs, err)
		}
		all := c.file(agentFiles + "pi-debug.log")
		if !strings.Contains(all, "goroutine") {
			t.Errorf("the dump is %.200s", all)
		}
		for _, b := range bugs {
			data, err := os.ReadFile(b)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(b); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the mode of %s is %v, %v", b, info.Mode(), err)
			}
			all += string(data)
		}
		if !strings.Contains(all, "it blinks") && !strings.Contains(all, "it hums") || !strings.Contains(all, "model: mock/m") {
			t.Errorf("facts are missing:\n%s", all)
		}
		for _, secret := range []string{"hush", "sk-variable-secret", "sk-mock-secret"} {
			if strings.Contains(all, secret) {
				t.Errorf("a report has %q:\n%s", secret, all)
			}
		}
	})
}

// A failed answer that is tried again leaves one block, that of the last failure.
func TestFailuresAreOneBlock(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.llm.Queue(
			mockllm.Failure(503, "overloaded", "first trouble"), mockllm.Failure(503, "overloaded", "second trouble"), mockllm.Say("at last"),
			mockllm.Failure(503, "overloaded", "third trouble"), mockllm.Failure(503, "overloaded", "fourth trouble"),
			mockllm.Failure(503, "overloaded", "fifth trouble"), mockllm.Failure(503, "overloaded", "sixth trouble"),
		)
		c.open(width, 40)
		c.ask("go", "at last")
		if s := c.gone("trouble"); strings.Contains(s, "Error") {
			t.Errorf("a failure is left:\n%s", s)
		}
		c.ask("again", "sixth trouble")
		c.gone("third trouble")
		if s := c.gone("fifth trouble"); strings.Count(s, "Error: ") != 1 {
			t.Errorf("not one failure:\n%s", s)
		}
		c.leave()
		c.start(width, 40, "-c")
		c.wait("sixth trouble", "at last")
		if s := c.gone("first trouble"); strings.Count(s, "Error: ") != 1 {
			t.Errorf("not one failure when it is shown again:\n%s", s)
		}
		c.leave()
	})
}
