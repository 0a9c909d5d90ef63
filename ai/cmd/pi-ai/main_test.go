package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
)

// session is the program with a scripted provider and a typed input.
type session struct {
	*app
	t        *testing.T
	out, err bytes.Buffer
	path     string
}

func start(t *testing.T, input string, responses ...faux.Response) *session {
	t.Helper()
	s := &session{t: t, path: filepath.Join(t.TempDir(), "auth.json")}
	open := faux.New(faux.Config{ID: "open", Models: []*ai.Model{
		{ID: "dear", Name: "Dear One", Input: []string{"text"}, ContextWindow: 100, Cost: ai.Rates{Input: 5, Output: 9}},
		{ID: "cheap", Name: "Cheap One", Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 2_000_000, MaxTokens: 8000, Cost: ai.Rates{Input: 1, Output: 2}},
	}})
	open.Queue(responses...)
	locked := faux.New(faux.Config{ID: "locked", Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"LOCKED_KEY"}}}})
	locked.Queue(faux.Say("ok"))
	s.app = &app{in: strings.NewReader(input), out: &s.out, err: &s.err, models: ai.ModelsConfig{
		Credentials: auth.NewFileStore(s.path), Env: func(string) string { return "" },
	}.New(open, locked)}
	return s
}

// want runs a command line and compares what it says and how it ends.
func (s *session) want(code int, says string, args ...string) {
	s.t.Helper()
	s.out.Reset()
	s.err.Reset()
	err := s.run(context.Background(), args)
	got := s.out.String()
	if err != nil {
		got += "error: " + err.Error() + "\n"
	}
	if exitCode(err) != code || !strings.Contains(got, says) {
		s.t.Errorf("%v: exit %d, want %d with %q; got\n%s", args, exitCode(err), code, says, got)
	}
}

func TestCommandLine(t *testing.T) {
	s := start(t, "")
	s.want(2, "name a command")
	s.want(2, `there is no command "modles"; did you mean models?`, "modles")
	s.want(0, "pi-ai ask -m", "help")
	s.want(0, ai.Version, "version")
	s.want(2, "name one provider (there is nobody to ask", "login")
	s.want(2, "flag provided but not defined", "login", "-x")
	s.want(2, "flag provided but not defined", "models", "-x")
	s.want(2, `no provider "lockd"; did you mean locked?`, "login", "lockd")
	s.want(2, `no provider "lockd"; did you mean locked?`, "check", "lockd")
	s.want(2, `no provider "lockd"; did you mean locked?`, "logout", "lockd")
	s.want(2, `no provider "zzzzzz"; pi-ai status lists them`, "logout", "zzzzzz")
	s.want(2, "PROVIDER/MODEL", "ask", "hello")
	s.want(1, `has no model "chep"; did you mean cheap?`, "ask", "-m", "open/chep", "hello")
	s.want(2, "no thinking level", "ask", "-m", "open/cheap", "-thinking", "much", "hello")
	s.want(2, "there is no question", "ask", "-m", "open/cheap")
	s.want(2, "flag provided but not defined", "ask", "-x")
}

func TestStatusAndModels(t *testing.T) {
	s := start(t, "")
	s.want(0, "open    ready  no key needed\nlocked  -      set LOCKED_KEY\n", "status")
	s.want(0, "open/cheap  Cheap One  2M in  8k out  $1/$2  thinks sees\n", "models", "CHEAP")
	s.want(1, "no model", "models", "nothing like it")
	s.want(0, "locked  -  set LOCKED_KEY\n", "status", "locked")
	s.want(2, `no provider "lockd"; did you mean locked?`, "status", "open", "lockd")
	if s.out.Len() > 0 {
		t.Errorf("a wrong name still shows %s", &s.out)
	}
}

func TestKeys(t *testing.T) {
	s := start(t, "my secret\nother\nx\n1\nthird\n")
	s.want(0, "Signed in to locked.\nlocked/faux-1  ok (", "login", "locked")
	text, err := os.ReadFile(s.path)
	if err != nil || !strings.Contains(string(text), `"key": "my secret"`) || strings.Contains(s.out.String()+s.err.String(), "secret") {
		t.Errorf("%s, %v; said %s %s", text, err, &s.out, &s.err)
	}
	s.want(0, "locked  ready  stored credential", "status")
	s.want(1, "what was stored for locked does not work yet", "login", "-key", "locked") // the script has ended
	s.want(0, "Signed in to locked.\n", "login", "-no-check")                            // chosen by its number
	s.want(0, "Removed", "logout", "locked")
	s.want(1, "nothing is stored", "logout", "locked")
	s.want(1, "", "login", "locked") // the input has ended
}

func TestAsk(t *testing.T) {
	s := start(t, "from standard input",
		faux.Calls(faux.Thinking("Hm.", ""), faux.Text("Hello there.")), faux.Say("Read it."), faux.Say("As events."), faux.Failure(errors.New("no luck")))
	s.want(0, "Hello there.\n", "ask", "-m", "open/cheap", "-thinking", "low", "Hi", "you")
	if !strings.Contains(s.err.String(), "Hm.") || !strings.Contains(s.err.String(), "tokens in") {
		t.Errorf("beside the answer: %q", s.err.String())
	}
	s.want(0, "Read it.\n", "ask", "-m", "open/cheap", "-")
	s.in = strings.NewReader("")
	s.want(0, `{"type":"text_delta","contentIndex":0,"delta":"As event"}`+"\n", "ask", "-m", "open/cheap", "-json", "x")
	if !strings.Contains(s.out.String(), `{"type":"done","message":{"role":"assistant"`) {
		t.Errorf("events %s", s.out.String())
	}
	s.want(1, "no luck", "ask", "-m", "open/cheap", "x")
	if s.out.Len() > 0 {
		t.Errorf("besides the error: %q", &s.out)
	}
}

func TestCheck(t *testing.T) {
	s := start(t, "", faux.Say("ok"), faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "bad key"}), faux.Say("ok"))
	s.want(0, "open/cheap  ok (", "check")
	s.want(1, "open/dear  FAILED (auth): bad key\nerror: 1 of 1 failed\n", "check", "open/dear")
	s.want(1, "locked/faux-1  FAILED (auth)", "check", "open", "locked")
}

// A file that is none, or one without end, is not read.
func TestWhatIsNoFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := readConfig(large); err != nil || string(text) != "{" {
		t.Fatalf("%q %v", text, err)
	}
	if err := os.Truncate(large, maxConfig+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{large: "more than 16 MiB", os.DevNull: "no file", dir: "", filepath.Join(dir, "none"): ""} {
		if text, err := readConfig(path); err == nil || len(text) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d bytes, %v", path, len(text), err)
		}
	}
}
