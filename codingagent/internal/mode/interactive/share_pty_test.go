//go:build unix

package interactive_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
		c.resized(width+7, 26, "→ No, keep it here")
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

// gateway is a Radius gateway that takes artifacts.
type gateway struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // method, address, key and form
	bodies []string
	answer string
	status int
}

func newGateway(t *testing.T) *gateway {
	g := &gateway{status: http.StatusCreated, answer: `{"artifact":{"id":"a1","canonical_url":"https://radius.example/a/a1"}}`}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if r.Method != http.MethodPost {
			fmt.Fprint(w, `{"models":[]}`)
			return
		}
		g.asked = append(g.asked, strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("Content-Type")}, " "))
		g.bodies = append(g.bodies, string(body))
		w.WriteHeader(g.status)
		fmt.Fprint(w, g.answer)
	}))
	t.Cleanup(g.Close)
	return g
}

// People who are signed in to Radius share with their organization, unless the
// settings say otherwise.
func TestShareByRadius(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		g := newGateway(t)
		c := place(t)
		models := strings.Replace(c.modelsFile(), `"providers": {`, `"providers": {"radius": {"baseUrl": "`+g.URL+`/v1", "oauth": "radius", "apiKey": "sk-radius"}, `, 1)
		c.put(agentFiles+"models.json", models)
		c.program("gh", "exit 1\n")
		c.llm.Queue(mockllm.Say("pears"))
		c.open(width, 30)
		c.ask("what is green", "pears")
		c.keys("/name of pears", enter)
		c.keys("/share", enter)
		c.wait("── Upload all", "→ No, keep it here", "It holds what was said")
		c.resize(width+7, 26)
		c.wait("→ No, keep it here")
		c.keys(enter)
		c.gone("── Upload")
		c.keys("/share", enter)
		c.wait("── Upload all")
		c.keys(down, enter)
		c.wait("Shared with your Radius", "radius.example/a/a1")
		c.until("the address is on the clipboard", func(string) bool { return c.screen.Clipboard() == "https://radius.example/a/a1" })
		g.mu.Lock()
		g.status, g.answer = http.StatusForbidden, `{"error":"the organization takes none"}`
		g.mu.Unlock()
		c.keys("/share", enter)
		c.wait("── Upload all")
		c.keys(down, enter)
		c.wait("takes none")
		shareByGist(c, "\x1b[C")
		c.keys("/share", enter)
		c.wait("gh is not signed in")
		c.leave()
		g.mu.Lock()
		defer g.mu.Unlock()
		if want := "POST /v1/artifacts?title=of+pears&visibility=organization Bearer sk-radius application/x-ndjson"; len(g.asked) != 2 || g.asked[0] != want {
			t.Fatalf("the gateway was asked %q", g.asked)
		}
		lines := strings.Split(strings.TrimSpace(g.bodies[0]), "\n")
		var first, before, last struct {
			Type, CustomType, ID, ParentID string
			Data                           struct {
				SystemPrompt string
				Tools        []struct{ Name string }
			}
		}
		for i, v := range map[int]any{0: &first, len(lines) - 2: &before, len(lines) - 1: &last} {
			if err := json.Unmarshal([]byte(lines[i]), v); err != nil {
				t.Fatal(err)
			}
		}
		if first.Type != "session" || last.CustomType != "pi.share" || last.ParentID != before.ID || !strings.Contains(last.Data.SystemPrompt, "pi") || len(last.Data.Tools) < 4 {
			t.Errorf("%d lines, the first %s, the last %.300s", len(lines), lines[0], lines[len(lines)-1])
		}
		if !strings.Contains(g.bodies[0], "pears") {
			t.Error("the conversation is not in it")
		}
	})
}

// Whoever wants Radius, and is not signed in there, is told; nothing goes elsewhere. A
// viewer of one's own is named for a gist.
func TestShareElsewhere(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put(agentFiles+"settings.json", `{"sessionShareDestination":"radius"}`)
	c.env = append(c.env, "PI_SHARE_VIEWER_URL=https://viewer.example/s/")
	c.llm.Queue(mockllm.Say("pears"))
	c.program("gh", `case "$1 $2" in
"auth status") touch "$HOME/asked"; exit 0;;
"gist create") echo https://gist.example/someone/abc123;;
esac
`)
	c.open(80, 30)
	c.ask("what is green", "pears")
	c.keys("/share", enter)
	c.wait("Nobody is signed in to Radius", "/login radius")
	if _, err := os.Stat(filepath.Join(c.home, "asked")); err == nil {
		t.Error("gh was asked")
	}
	shareByGist(c, "\x1b[D")
	c.keys("/share", enter)
	c.wait("── Upload all")
	c.keys(down, enter)
	c.wait("Shared: https://viewer.example/s/#abc123", "The gist: https://gist.example/someone/abc123")
	c.leave()
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

// shareByGist changes the setting, from which gist is a key away.
func shareByGist(c *console, key string) {
	c.t.Helper()
	c.keys("/settings", enter)
	c.wait("── Settings")
	c.keys("share by")
	c.wait("→ Share by")
	c.keys(key)
	c.until("it is by gist", func(s string) bool {
		return strings.Contains(strings.Join(strings.Fields(s), " "), "→ Share by gist")
	})
	c.leaveSettings()
}
