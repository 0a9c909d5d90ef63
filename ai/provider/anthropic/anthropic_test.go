package anthropic_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/provider/anthropic"
)

// ask sends one request with this environment and credentials.
func ask(t *testing.T, env map[string]string, store auth.Store) (*ai.AssistantMessage, *mockllm.Request) {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(mockllm.Say("Hello."))
	models := ai.ModelsConfig{
		HTTPClient: srv.Client(), Credentials: store, Env: func(name string) string { return env[name] },
	}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		t.Fatal(err)
	}
	m := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, ai.Options{}).Result()
	if r := srv.Requests(); len(r) > 0 {
		return m, r[0]
	}
	return m, nil
}

func TestCredentials(t *testing.T) {
	stored := func(c auth.Credential) auth.Store {
		return auth.NewMemoryStore(map[string]*auth.Credential{"anthropic": &c})
	}
	for _, tt := range []struct {
		name        string
		env         map[string]string
		store       auth.Store
		key, bearer string
		betas       string
	}{
		{"key", map[string]string{"ANTHROPIC_API_KEY": "k"}, nil, "k", "", ""},
		{"gateway token", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t"}, nil, "", "Bearer t", ""},
		{"login token", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_OAUTH_TOKEN": "sk-ant-oat01-t"}, nil, "", "Bearer sk-ant-oat01-t", "oauth-2025-04-20"},
		{"stored key", map[string]string{"ANTHROPIC_AUTH_TOKEN": "t"}, stored(auth.Credential{Type: auth.TypeAPIKey, Key: "s"}), "s", "", ""},
		{"key in the wrong place", map[string]string{"ANTHROPIC_API_KEY": "sk-ant-oat01-t"}, nil, "", "Bearer sk-ant-oat01-t", "oauth-2025-04-20"},
	} {
		m, r := ask(t, tt.env, tt.store)
		if m.Err() != nil || r == nil {
			t.Errorf("%s: %v", tt.name, m.Err())
			continue
		}
		if r.Header.Get("x-api-key") != tt.key || r.Header.Get("Authorization") != tt.bearer || r.Header.Get("anthropic-beta") != tt.betas {
			t.Errorf("%s: key %q, bearer %q, betas %q", tt.name, r.Header.Get("x-api-key"), r.Header.Get("Authorization"), r.Header.Get("anthropic-beta"))
		}
		if ua := r.Header.Get("User-Agent"); !strings.HasPrefix(ua, "pi-go/") {
			t.Errorf("%s: the program calls itself %q", tt.name, ua)
		}
	}
	m, r := ask(t, nil, nil)
	if r != nil || m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, "ANTHROPIC_API_KEY") {
		t.Errorf("without a key: %s %q", m.StopReason, m.ErrorMessage)
	}
}

// A login that another program stored is used while it lasts. When it has expired
// and there is no client id to renew it, it stays byte for byte, is read again in
// case the other program renewed it, and the error names the ways on.
func TestStoredLoginOfAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth.json")
	stored := func(access string, expires time.Time) string {
		return fmt.Sprintf(`{"anthropic": {"type":"oauth",  "access":"sk-ant-oat01-%s","refresh":"r","expires":%d, "unknown": [1,2.0]}}`, access, expires.UnixMilli())
	}
	store := auth.NewFileStore(path)
	for _, tt := range []struct {
		name    string
		expires time.Time
		works   bool
	}{
		{"valid", time.Now().Add(time.Hour), true},
		{"about to expire", time.Now().Add(time.Minute), true},
		{"expired", time.Now().Add(-time.Hour), false},
		{"renewed by the other program", time.Now().Add(time.Hour), true},
	} {
		text := stored(strings.ReplaceAll(tt.name, " ", "-"), tt.expires)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, r := ask(t, nil, store)
		if tt.works {
			want := "Bearer sk-ant-oat01-" + strings.ReplaceAll(tt.name, " ", "-")
			if m.Err() != nil || r.Header.Get("Authorization") != want || r.Header.Get("anthropic-beta") != "oauth-2025-04-20" {
				t.Errorf("%s: %v", tt.name, m.Err())
			}
		} else if r != nil || m.Failure == nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, "PI_OAUTH_CLIENT_ID_ANTHROPIC") ||
			!strings.Contains(m.ErrorMessage, "the program that made it") || !strings.Contains(m.ErrorMessage, "API key") {
			t.Errorf("%s: %v", tt.name, m.Err())
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%s: the file became %s, %v", tt.name, after, err)
		}
	}
}

// A program with one provider holds that provider and nothing else: no other
// protocol, no agent, no terminal, and little size.
func TestWhatAProgramLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	build := func(bin string, flags ...string) string {
		t.Helper()
		path := filepath.Join(dir, bin)
		args := append([]string{"build", "-trimpath", "-o", path}, flags...)
		cmd := exec.CommandContext(t.Context(), "go", append(args, "./testdata/ask")...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	info, err := os.Stat(build("stripped", "-ldflags=-s -w"))
	if err != nil {
		t.Fatal(err)
	}
	const most = 12 << 20
	if info.Size() > most {
		t.Errorf("the program has %.1f MiB, more than %d", float64(info.Size())/(1<<20), most>>20)
	}
	t.Logf("the program has %.1f MiB", float64(info.Size())/(1<<20))
	symbols, err := exec.CommandContext(t.Context(), "go", "tool", "nm", build("symbols")).Output()
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/pi-go/pi/"
	linked := make(map[string]bool) // packages of ours
	for line := range strings.Lines(string(symbols)) {
		// A symbol is PACKAGE.Name, behind prefixes such as type:.eq. and go:itab.*
		for rest := line; ; {
			_, name, found := strings.Cut(rest, ours)
			if !found {
				break
			}
			pkg := name[:strings.IndexAny(name+" ", ".,()[]*; \n")]
			linked[pkg], rest = true, name
		}
	}
	if !linked["ai"] || !linked["ai/api/anthropicmessages"] || !linked["ai/provider/anthropic"] {
		t.Fatalf("the symbols are not even those of the packages that the program uses: %v", linked)
	}
	for pkg := range linked {
		layer, rest, _ := strings.Cut(pkg, "/")
		switch kind, name, _ := strings.Cut(rest, "/"); {
		case layer != "ai",
			kind == "api" && name != "anthropicmessages", kind == "provider" && name != "anthropic" && !strings.HasPrefix(name, "anthropic/"),
			kind == "faux", kind == "aitest", kind == "otel", kind == "aws":
			t.Errorf("the program links %s", pkg)
		}
	}
	for _, foreign := range []string{
		"github.com/gdamore/tcell", "github.com/yuin/goldmark", "github.com/aws/", "golang.org/x/oauth2", "text/template",
		"catalog.providerOpenRouterData", "catalog.providerOpenAIData",
	} {
		if strings.Contains(string(symbols), foreign) {
			t.Errorf("the program links %s", foreign)
		}
	}
}

func Example() {
	srv := mockllm.New() // stands for the vendor
	srv.Queue(mockllm.Say("Four."))
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	req := ai.Request{System: "Answer in one word.", Messages: []ai.Message{ai.UserText("Two and two?")}}
	for ev := range models.Stream(context.Background(), model, req, ai.Options{APIKey: "key"}).Events() {
		if ev.Type == ai.EventTextDelta {
			fmt.Println(ev.Delta)
		}
	}
	// Output: Four.
}
