//go:build unix

package interactive_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// fresh is a place where nothing was ever configured.
func fresh(t *testing.T) *console {
	t.Helper()
	c := place(t)
	if err := os.RemoveAll(c.home); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(c.home, 0o755); err != nil {
		t.Fatal(err)
	}
	// Nothing of this machine may be found.
	c.env = []string{"OLLAMA_HOST=127.0.0.1:1"}
	return c
}

func TestFirstRun(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := fresh(t)
		c.put("../home/.pi/agent/settings.json", `{"theme":"dark"}`)
		c.start(width, 30)
		c.wait("Connect a model", "Try it without")
		c.golden(fmt.Sprintf("first-%d", width))
		c.resized(width+7, 26, "Connect a model", "Try it without")
		c.resized(width, 30, "Connect a model", "Try it without")
		c.keys("1")
		c.wait("Sign in", "OpenRouter")
		c.golden(fmt.Sprintf("signin-%d", width))
		c.resized(width+7, 26, "Sign in", "OpenRouter")
		c.resized(width, 30, "Sign in", "OpenRouter")
		c.keys("claude pro", enter)
		c.wait("PI_OAUTH_CLIENT_ID_ANTHROPIC", "Connect a model")
		c.keys("2")
		c.wait("Paste a key of", "Anthropic")
		c.keys("groq", enter)
		c.wait("── Groq")
		c.keys("sk-mock-secret") // finish fails if this was ever shown
		c.wait("•••")
		c.resized(width+7, 26, "── Groq", "•••")
		c.resized(width, 30, "── Groq", "•••")
		c.keys(escape)
		c.wait("Connect a model")
		c.keys("help", enter) // just begins to write
		c.wait("no language model")
		c.gone("Working")
		c.keys("/login", enter)
		c.wait("Connect a provider")
		c.wait("This machine")
		c.keys("this machine", enter) // what the first screen has is there later, too
		c.wait("No server with a model answered", "Connect a model")
		c.keys(escape)
		c.gone("Connect a model")
		c.keys("/quit", enter)
		c.finish(0)
	})
}

// TestFirstRunElsewhere starts where terminals and homes are not as usual.
func TestFirstRunElsewhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		env  []string
	}{
		{"SSH", []string{"SSH_CONNECTION=10.0.0.1 1 10.0.0.2 22", "SSH_TTY=/dev/pts/0"}},
		{"tmux", []string{"TERM=tmux-256color", "TMUX=/tmp/tmux-1/default,1,0"}},
		{"screen", []string{"TERM=screen"}},
		{"linux console", []string{"TERM=linux", "COLORTERM="}},
		{"no colour", []string{"NO_COLOR=1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := fresh(t)
			c.env = append(c.env, tc.env...)
			c.start(80, 24)
			c.wait("Connect a model")
			c.keys("4")
			c.wait("demo/guide answers")
			c.keys("help", enter)
			c.gone("Working")
			c.leave()
		})
	}
}

func TestAHomeThatIsReadOnly(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		// Root may write anywhere; a file in the way is as good as a lack of rights.
		c := fresh(t)
		c.put("../home/.pi", "in the way")
		c.start(80, 24)
		c.wait("Connect a model")
		c.ask("hello", "--no-session")
		c.leave(ctrlC)
		return
	}
	c := fresh(t)
	if err := os.Chmod(c.home, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(c.home, 0o755) })
	c.start(80, 24)
	c.wait("Connect a model")
	c.ask("hello", "--no-session")
	c.leave(ctrlC)
}

func TestAServerOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, port := range []string{"1234", "8000", "8080"} { // of LM Studio, vLLM and llama.cpp
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = conn.Close()
			t.Skipf("something of this machine listens on port %s", port)
		}
	}
	c := fresh(t)
	c.start(80, 30)
	c.wait("Connect a model")
	c.keys("3")
	c.wait("No server with a model answered", "Connect a model")
	c.leave()
	c.put("../home/.pi/agent/models.json", c.modelsFile())
	c.open(80, 30) // whoever has a model is not told that there is none
	c.keys("/login local", enter)
	c.wait("No server with a model answered")
	c.gone("Connect a model")
	c.leave()
	if err := os.Remove(filepath.Join(c.home, ".pi", "agent", "models.json")); err != nil {
		t.Fatal(err)
	}

	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"tiny:1b","max_model_len":32000},{"id":"other:7b"}]}`))
	})
	mux.Handle("/", c.llm)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.llm.Queue(mockllm.Say("from this machine"), mockllm.Say("still here"))
	c.env[0] = "OLLAMA_HOST=127.0.0.1:" + port
	c.start(80, 30)
	c.wait("Connect a model")
	c.keys("3")
	c.wait("Models on this machine", "tiny:1b", "other:7b")
	for _, width := range []int{40, 120, 200, 80} {
		c.resized(width, 30, "Models on this machine", "tiny:1b", "other:7b")
	}
	c.keys("tiny", enter)
	c.wait("Ollama is connected", "of 32k")
	c.ask("hi", "from this machine")
	c.leave()
	c.start(80, 30) // it is described by now
	c.wait("of 32k", "tiny:1b")
	c.ask("hi again", "still here")
	c.leave()
}

func TestAKeyIsTypedUnseenAndChecked(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../home/.pi/agent/models.json", strings.Replace(c.modelsFile(), `{"providers": {`, fmt.Sprintf(`{"providers": {"groq": {"baseUrl": %q}, `, c.llm.URL+"/v1"), 1))
	c.llm.Queue(
		mockllm.Failure(401, "invalid_api_key", "no such key"),
		mockllm.Failure(403, "permission", "not from here"),
		mockllm.Failure(429, "quota", "you have used all of it"),
	)
	auth := filepath.Join(c.home, ".pi", "agent", "auth.json")
	stored := func() bool {
		data, err := os.ReadFile(auth)
		return err == nil && strings.Contains(string(data), "sk-mock-secret")
	}
	c.open(80, 30)
	login := func() {
		c.keys("/login groq", enter)
		c.wait("── Groq")
		c.keys("sk-mock-secret") // finish fails if this was ever shown
		c.wait("•••")
		c.keys(enter)
	}
	login()
	c.wait("does not take this key", "no such key")
	if stored() {
		t.Error("a key that was refused is stored")
	}
	login()
	c.wait("could not be checked", "Store it all the same")
	c.keys(enter)
	c.wait("Nothing was changed")
	if stored() {
		t.Error("a key that nobody wanted to be stored is stored")
	}
	login()
	c.wait("is connected")
	if !stored() {
		t.Error("the key is not stored")
	}
	c.leave()
}
