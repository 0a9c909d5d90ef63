package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/auth/authtest"
)

// These tests run the command as a process: the test binary, told so by a variable,
// with all its requests led to a server of the test.
const serverVariable = "PI_AI_TEST_SERVER"

func TestMain(m *testing.M) {
	if server := os.Getenv(serverVariable); server != "" {
		os.Exit(program(authtest.Redirect(server)))
	}
	os.Exit(m.Run())
}

// world is the vendors, and a home.
type world struct {
	t    *testing.T
	auth *authtest.Server
	llm  *mockllm.Server
	url  string
	home string
	env  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, auth: authtest.New(), llm: mockllm.New(), home: t.TempDir()}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") || strings.HasSuffix(r.URL.Path, "/messages") {
			w.llm.ServeHTTP(rw, r)
			return
		}
		w.auth.ServeHTTP(rw, r)
	}))
	t.Cleanup(srv.Close)
	w.url = srv.URL
	return w
}

func (w *world) command(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), exe, args...)
	// The race detector would let each process sleep for a second at its end.
	cmd.Env = append([]string{"GORACE=atexit_sleep_ms=0", serverVariable + "=" + w.url, "PI_CODING_AGENT_DIR=" + w.home, "HOME=" + w.home, "SystemRoot=" + os.Getenv("SystemRoot")}, w.env...)
	return cmd
}

// run runs a command line to its end.
func (w *world) run(stdin string, args ...string) (stdout, stderr string, status int) {
	w.t.Helper()
	cmd := w.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// want runs a command line and compares what it says.
func (w *world) want(status int, says string, args ...string) {
	w.t.Helper()
	out, errs, got := w.run("", args...)
	if got != status || !strings.Contains(out+errs, says) {
		w.t.Errorf("%v: exit %d, want %d with %q; got\n%s%s", args, got, status, says, out, errs)
	}
}

func (w *world) put(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.home, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) file(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.home, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// interactive runs a login whose input goes on; act gets each address that it shows,
// and may answer.
func (w *world) interactive(input string, act func(address string, stdin io.Writer), args ...string) (stdout, stderr string, status int) {
	w.t.Helper()
	cmd := w.command(args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, input); err != nil {
		w.t.Fatal(err)
	}
	var said strings.Builder
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "https://") {
			act(line, stdin)
		}
	}
	stdin.Close()
	_ = cmd.Wait() // the status says it
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// browse opens a vendor's page as a browser would and gives where it is sent to.
func (w *world) browse(address string) *url.URL {
	client := &http.Client{Transport: w.auth, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(address)
	if err != nil {
		w.t.Error(err)
		return nil
	}
	back, err := res.Location()
	if err != nil {
		w.t.Error(err)
		return nil
	}
	return back
}

// A login in a browser, its key tried at once, and everything that can be done with
// it; no output holds the key.
func TestLoginInABrowser(t *testing.T) {
	const key = "sk-or-v1-the-secret"
	w := newWorld(t)
	w.auth.Handle("openrouter.ai/auth", w.auth.Authorize("callback_url", nil))
	w.auth.Handle("openrouter.ai/api/v1/auth/keys", func(r *authtest.Request) authtest.Response {
		if refused := w.auth.Redeem(r); refused != nil {
			return *refused
		}
		return authtest.Response{Body: map[string]string{"key": key}}
	})
	w.auth.Handle("openrouter.ai/api/v1/models/user", func(r *authtest.Request) authtest.Response {
		return authtest.Response{Body: map[string]any{"data": []map[string]any{{"id": "lab/only-mine", "name": "Mine", "context_length": 1000}}}}
	})
	w.want(0, "openrouter  ", "status")
	w.llm.Queue(mockllm.Say("ok"), mockllm.Say("A brook."), mockllm.Say("ok"))
	page := make(chan string, 1)
	out, errs, status := w.interactive("", func(address string, _ io.Writer) {
		back := w.browse(address)
		go func() {
			res, err := http.Get(back.String())
			if err != nil {
				page <- err.Error()
				return
			}
			res.Body.Close()
			page <- res.Status
		}()
	}, "login", "openrouter")
	if status != 0 || !strings.Contains(out, "Signed in to OpenRouter.\nopenrouter/lab/only-mine  ok (") {
		t.Fatalf("exit %d\n%s%s", status, out, errs)
	}
	if got := <-page; got != "200 OK" {
		t.Errorf("the browser shows %s", got)
	}
	said := out + errs
	for _, args := range [][]string{{"status"}, {"models", "openrouter/"}, {"ask", "-m", "openrouter/lab/only-mine", "A small river?"}, {"check"}} {
		out, errs, status := w.run("", args...)
		if status != 0 {
			t.Errorf("%v: exit %d\n%s%s", args, status, out, errs)
		}
		said += out + errs
	}
	for _, want := range []string{"openrouter                     ready  OAuth", "openrouter/lab/only-mine  Mine  1k in", "A brook.\n", "openrouter/lab/only-mine  ok ("} {
		if !regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(want), "                     ", " +")).MatchString(said) {
			t.Errorf("%q was not said in\n%s", want, said)
		}
	}
	if strings.Contains(said, key) || strings.Contains(said, "the-secret") {
		t.Error("the key was shown")
	}
	if !strings.Contains(w.file("auth.json"), key) {
		t.Error("the key was not stored")
	}
	if info, err := os.Stat(filepath.Join(w.home, "auth.json")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, r := range w.llm.Requests() {
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("asked with %q", r.Header.Get("Authorization"))
		}
	}
	w.want(0, "Removed the credential of openrouter", "logout", "openrouter")
	w.want(1, "nothing is stored for openrouter", "logout", "openrouter")
	w.want(1, "no provider is configured", "check")
}

// A client id comes from models.json, and a code can be pasted.
func TestLoginByAPastedCode(t *testing.T) {
	w := newWorld(t)
	w.want(1, `put it into "oauthClientId" of the provider in models.json, or into PI_OAUTH_CLIENT_ID_ANTHROPIC`, "login", "anthropic")
	if n := len(w.auth.Requests()); n != 0 {
		t.Errorf("%d requests without a client id", n)
	}
	w.put("models.json", "{\n  // mine\n  \"providers\": {\"anthropic\": {\"oauthClientId\": \"my-client\",}}}")
	w.auth.Handle("claude.ai/oauth/authorize", w.auth.Authorize("", nil))
	w.auth.Handle("platform.claude.com/v1/oauth/token", w.auth.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600}))
	w.llm.Queue(mockllm.Say("ok"))
	out, errs, status := w.interactive("2\n", func(address string, stdin io.Writer) {
		back := w.browse(address)
		fmt.Fprintf(stdin, "not it\n%s#%s\n", back.Query().Get("code"), back.Query().Get("state"))
	}, "login", "anthropic")
	if status != 0 || !strings.Contains(out, "Signed in to Anthropic.") || !strings.Contains(errs, "white space") {
		t.Errorf("exit %d\n%s%s", status, out, errs)
	}
	if q := w.auth.Requests()[0].Values; q.Get("client_id") != "my-client" {
		t.Errorf("authorize %v", q)
	}
	if text := w.file("auth.json"); !strings.Contains(text, `"refresh": "rt-1"`) {
		t.Errorf("stored %s", text)
	}
	w.put("models.json", "{ oops")
	w.want(0, "models.json is not used: "+filepath.Join(w.home, "models.json")+":1:3", "status")
}

// The id of the installation is made once, and a port that is in use is said so.
func TestBusyPort(t *testing.T) {
	// Another loopback address, so that no other test is in the way.
	const host = "127.0.0.3"
	l, err := net.Listen("tcp", host+":1455")
	if err != nil {
		t.Skipf("this machine has no second loopback address with a free port: %v", err)
	}
	defer l.Close()
	w := newWorld(t)
	w.env = []string{"PI_OAUTH_CALLBACK_HOST=" + host}
	w.put("settings.json", `{"theme": "dark"}`)
	w.want(1, "port 1455 of this machine, and another program uses it", "login", "openai")
	first := w.file("settings.json")
	if !regexp.MustCompile(`^\{"theme": "dark", ?"deviceId": ?"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\}$`).MatchString(first) {
		t.Errorf("settings %s", first)
	}
	w.want(1, "port 1455", "login", "openai")
	if again := w.file("settings.json"); again != first {
		t.Errorf("settings became %s", again)
	}
}

// A pre-flight finds a key that is refused and a model that nobody has.
func TestCheckAsAProcess(t *testing.T) {
	w := newWorld(t)
	w.env = []string{"GROQ_API_KEY=gsk-env-secret", "DEEPSEEK_API_KEY=bad-secret"}
	w.put("settings.json", `{"defaultProvider": "groq", "defaultModel": "no-such-model", "enabledModels": ["deepseek/*", "own/thing", "deepseek/deepseek-chat:high"]}`)
	w.llm.Respond(func(r *mockllm.Request) mockllm.Answer {
		if strings.Contains(r.Header.Get("Authorization"), "bad-secret") {
			return mockllm.Answer{Status: http.StatusUnauthorized, Body: `{"error":{"message":"Authentication Fails","type":"authentication_error","code":"invalid_request_error"}}`}
		}
		return mockllm.Say("ok")
	})
	out, errs, status := w.run("", "check")
	if !strings.Contains(out, `own/thing  not checked: provider own is neither`) {
		t.Errorf("a provider that nobody has is not told:\n%s", out)
	}
	if status != 1 || !strings.Contains(out, "groq/no-such-model  FAILED (config): settings.json names it, but provider groq has no model") {
		t.Errorf("exit %d\n%s%s", status, out, errs)
	}
	for _, want := range []string{`deepseek/\S+  FAILED \(auth\): .*Authentication Fails`, `groq/\S+  ok \(`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s was not said in\n%s", want, out)
		}
	}
	if strings.Contains(out+errs, "secret") {
		t.Errorf("a key was shown:\n%s%s", out, errs)
	}
	out, errs, status = w.run("", "ask", "-m", "deepseek/deepseek-v4-pro", "x")
	if status != 1 || out != "" || !strings.HasPrefix(errs, "pi-ai: ") || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "Authentication Fails") {
		t.Errorf("a refused question: exit %d, %q %q", status, out, errs)
	}
}

// A models.json describes providers of one's own and sends built-in ones elsewhere:
// all commands know them.
func TestProvidersOfModelsJSON(t *testing.T) {
	w := newWorld(t)
	w.put("models.json", `{"providers": {
		"cellar": {"baseUrl": "https://llm.example/v1", "api": "openai-completions", "apiKey": "$CELLAR_KEY", "models": [
			{"id": "small", "name": "Small One", "cost": {"input": 1000000, "output": 0}}, {"id": "big", "cost": {"input": 2000000}}]},
		"groq": {"baseUrl": "https://proxy.example/v1", "apiKey": "sk-file-secret"},
		"keyless": {"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "m"}]},
		"broken": {"baseUrl": "ftp://x"}}}`)
	w.put("settings.json", `{"defaultProvider": "cellar", "defaultModel": "huge", "enabledModels": ["cellar/big"]}`)
	w.env = []string{"CELLAR_KEY=sk-cellar-secret"}
	w.llm.Queue(mockllm.Say("From the cellar."), mockllm.Say("By way of the proxy."), mockllm.Say("ok"), mockllm.Say("ok"))
	w.want(0, "cellar  ready  models.json\n", "status", "cellar")
	w.want(0, `keyless  -  give it an "apiKey" in models.json`, "status", "keyless")
	w.want(0, `models.json:6:25: providers.broken.baseUrl: expected an address`, "status", "cellar")
	w.want(0, "cellar/small  Small One", "models", "cellar/")
	w.want(0, "From the cellar.\n", "ask", "-m", "cellar/small", "Who is there?")
	w.want(0, "By way of the proxy.\n", "ask", "-m", "groq/openai/gpt-oss-20b", "Who is there?")
	all := w.llm.Requests()
	if len(all) != 2 || all[0].Header.Get("Authorization") != "Bearer sk-cellar-secret" || all[1].Header.Get("Authorization") != "Bearer sk-file-secret" {
		t.Fatalf("%d requests", len(all))
	}
	out, errs, status := w.run("", "check")
	for _, want := range []string{`cellar/small  ok \(`, `groq/\S+  ok \(`, "cellar/huge  FAILED \\(config\\): settings.json names it"} {
		if status != 1 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("exit %d; %s was not said in\n%s%s", status, want, out, errs)
		}
	}
	if strings.Contains(out+errs, "secret") {
		t.Errorf("a key was shown:\n%s%s", out, errs)
	}
}

// What is missing is said, and no more.
func TestStatusSaysWhatIsMissing(t *testing.T) {
	for _, tc := range []struct {
		env, says, provider string
	}{
		{"", "set AZURE_OPENAI_API_KEY, and AZURE_OPENAI_RESOURCE_NAME or AZURE_OPENAI_BASE_URL\n", "azure"},
		{"AZURE_OPENAI_API_KEY=k", "-  set AZURE_OPENAI_RESOURCE_NAME or AZURE_OPENAI_BASE_URL\n", "azure"},
		{"AZURE_OPENAI_API_KEY=k AZURE_OPENAI_RESOURCE_NAME=r", "ready  AZURE_OPENAI_API_KEY\n", "azure"},
		{"", "set CLOUDFLARE_API_KEY and CLOUDFLARE_ACCOUNT_ID\n", "cloudflare-workers-ai"},
		{"CLOUDFLARE_API_KEY=k", "-  set CLOUDFLARE_ACCOUNT_ID\n", "cloudflare-workers-ai"},
		{"CLOUDFLARE_API_KEY=k CLOUDFLARE_ACCOUNT_ID=a", "ready  CLOUDFLARE_API_KEY\n", "cloudflare-workers-ai"},
		{"CLOUDFLARE_API_KEY=k CLOUDFLARE_ACCOUNT_ID=a", "-  set CLOUDFLARE_GATEWAY_ID\n", "cloudflare-ai-gateway"},
		{"GOOGLE_CLOUD_PROJECT=p", "gcloud auth application-default login writes them) and GOOGLE_CLOUD_LOCATION\n", "google-vertex"},
		{"", "set AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n", "amazon-bedrock"},
		{"AWS_PROFILE=p", "ready  AWS_PROFILE\n", "amazon-bedrock"},
		{"", "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN or ANTHROPIC_OAUTH_TOKEN, or pi-ai login anthropic (with an \"oauthClientId\"", "anthropic"},
	} {
		w := newWorld(t)
		w.env = strings.Fields(tc.env)
		w.want(0, tc.says, "status", tc.provider)
	}
	w := newWorld(t)
	w.put("models.json", `{"providers": {"azure": {"apiKey": "k"}}}`)
	w.want(0, "azure  -  set AZURE_OPENAI_RESOURCE_NAME", "status", "azure")
	w.put("models.json", `{"providers": {"azure": {"apiKey": "k", "baseUrl": "https://azure.example"}}}`)
	w.want(0, "azure  ready  models.json", "status", "azure")
	w.want(1, "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN or ANTHROPIC_OAUTH_TOKEN", "ask", "-m", "anthropic/claude-haiku-4-5", "x")
	w.want(1, "set AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE", "ask", "-m", "amazon-bedrock/amazon.nova-lite-v1:0", "x")
}

// A resource of Azure is asked for with its key.
func TestLoginToAzure(t *testing.T) {
	w := newWorld(t)
	out, errs, status := w.run("sk-azure\nmine\n", "login", "-no-check", "azure")
	if status != 0 || !strings.Contains(w.file("auth.json"), `"AZURE_OPENAI_RESOURCE_NAME": "mine"`) {
		t.Errorf("exit %d\n%s%s%s", status, out, errs, w.file("auth.json"))
	}
	w.want(0, "azure  ready  stored credential", "status", "azure")
}
