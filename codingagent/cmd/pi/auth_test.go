//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// The states of pi auth check, with their exit codes and their JSON.
func TestAuthCheck(t *testing.T) {
	const file = "../home/.pi/agent/auth.json"
	later := time.Now().Add(time.Hour).UnixMilli()
	stored := fmt.Sprintf(`{"groq":{"type":"api_key","key":"gsk-stored"},"anthropic":{"type":"oauth","access":"tok","refresh":"r","expires":%d},`+
		`"xai":{"type":"oauth","access":"old","refresh":"r","expires":5},"deepseek":{"type":"api_key","key":"!exit 3"}}`, later)
	cases := []struct {
		name, auth string
		args       []string
		code       int
		out, err   string
	}{
		{"nothing named", stored, nil, 2, "", "name a provider"},
		{"a stored key", stored, []string{"--provider", "groq"}, 0, "ready\n", ""},
		{"by its name", stored, []string{"--provider=GROQ", "--json"}, 0, `{"status":"ready","provider":"groq","authType":"api_key"}` + "\n", ""},
		{"with the key", stored, []string{"--provider", "groq", "--credentials"}, 0, "gsk-stored\n", ""},
		{
			"with the key in JSON", stored,
			[]string{"--provider", "groq", "--credentials", "--json"},
			0,
			`{"status":"ready","provider":"groq","authType":"api_key","credentials":"gsk-stored"}` + "\n", "",
		},
		{"by a model", stored, []string{"--model", "groq/openai/gpt-oss-120b"}, 0, "ready\n", ""},
		{"a sign-in", stored, []string{"--provider", "anthropic", "--json"}, 0, `{"status":"ready","provider":"anthropic","authType":"oauth"}` + "\n", ""},
		{
			"a sign-in that has ended", stored,
			[]string{"--provider", "xai", "--json", "--no-refresh"},
			1,
			`{"status":"not_ready","provider":"xai","authType":"oauth","reason":"credential_not_available"}` + "\n", "has ended",
		},
		{
			"a command that fails", stored,
			[]string{"--provider", "deepseek", "--json"},
			1,
			`{"status":"not_ready","provider":"deepseek","authType":"api_key","reason":"credential_not_available"}` + "\n", "deepseek",
		},
		{"nothing stored", stored, []string{"--provider", "mistral", "--json"}, 1, `{"status":"not_ready","provider":"mistral","reason":"credentials_not_configured"}` + "\n", ""},
		{"no such provider", stored, []string{"--provider", "grok", "--json"}, 1, `{"status":"not_ready","provider":"grok","reason":"provider_not_found"}` + "\n", "did you mean groq?"},
		{"no such model", stored, []string{"--model", "nope-9", "--json"}, 2, `{"status":"invalid","provider":"nope-9","reason":"invalid_state"}` + "\n", "nope-9"},
		{"a file that is broken", `{"groq":`, []string{"--provider", "groq"}, 2, "invalid\n", "auth.json"},
		{"an option that is not there", stored, []string{"--provder", "groq"}, 2, "", "did you mean --provider?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			s.put(file, c.auth)
			want := []string{c.err}
			if c.err == "" {
				want = nil
			}
			s.run(append([]string{"auth", "check"}, c.args...)...).want(t, c.code, c.out, want...)
			if got := s.get(file); got != c.auth {
				t.Errorf("auth.json became %s", got)
			}
		})
	}
}

func TestAuthPrint(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/auth.json", fmt.Sprintf(`{"groq":{"type":"api_key","key":"!echo gsk-printed"},"anthropic":{"type":"oauth","access":"oat-secret","refresh":"r","expires":%d}}`,
		time.Now().Add(time.Hour).UnixMilli()))
	s.run("auth", "print-api-key", "--provider", "groq").want(t, 0, "gsk-printed\n")
	s.run("auth", "print-api-key", "--provider", "anthropic").want(t, 1, "", "print-bearer-token")
	s.run("auth", "print-api-key", "--provider", "mistral").want(t, 1, "", "MISTRAL_API_KEY")
	s.run("auth", "print-bearer-token", "--provider", "anthropic", "--min-expiry", "30m").want(t, 0, "oat-secret\n")
	s.run("auth", "print-bearer-token", "--provider", "groq").want(t, 1, "", "nobody is signed in")
	s.run("auth", "print-bearer-token", "--provider", "anthropic", "--min-expiry", "5x").want(t, 1, "", "30m")
	s.run("auth", "print-api-key").want(t, 2, "", "--provider")
	s.run("auth", "logni").want(t, 1, "", "did you mean login?")
	s.run("auth", "login", "groq").want(t, 1, "", "needs a terminal")
	s.run("auth", "logout", "groq").want(t, 0, "Removed what was stored for groq. Variables and models.json are as they were.\n")
	s.run("auth", "logout", "groq").want(t, 0, "Nothing is stored for groq. Variables and models.json are as they were.\n")
	s.run("auth", "logout", "nobody").want(t, 1, "", "no provider")
	for _, args := range [][]string{{"auth"}, {"auth", "help"}, {"auth", "--help"}} {
		if o := s.run(args...); o.code != 0 || !strings.Contains(o.out, "--min-expiry") {
			t.Errorf("%v: exit %d\n%s%s", args, o.code, o.out, o.err)
		}
	}
	var list []struct {
		Provider, AuthType, Source string
		Configured                 bool
		Variables                  []string
	}
	o := s.run("auth", "list", "--json")
	if err := json.Unmarshal([]byte(o.out), &list); err != nil {
		t.Fatalf("%v: %s%s", err, o.out, o.err)
	}
	if len(list) < 40 || !list[0].Configured || list[len(list)-1].Configured || strings.Contains(o.out, "oat-secret") {
		t.Errorf("list %s", o.out)
	}
	if o := s.run("auth", "list"); !strings.Contains(o.out, "anthropic  ") || !strings.Contains(o.out, "set GROQ_API_KEY") {
		t.Errorf("list %s%s", o.out, o.err)
	}
}

// At a terminal a key is asked for without being shown, tried, and stored.
func TestAuthLogin(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers":{"groq":{"baseUrl":%q}}}`, s.llm.URL+"/v1"))
	s.llm.Respond(func(r *mockllm.Request) mockllm.Answer {
		if !strings.Contains(r.Header.Get("Authorization"), "gsk-typed-secret") {
			return mockllm.Failure(401, "invalid_api_key", "bad key")
		}
		return mockllm.Say("ok")
	})
	login := func(keys string, args ...string) (string, int) {
		cmd := s.command(t.Context(), append([]string{"auth", "login"}, args...)...)
		file, err := pty.Start(cmd)
		if err != nil {
			t.Skipf("no terminal can be made here: %v", err)
		}
		defer file.Close()
		var seen strings.Builder
		buf := make([]byte, 4096)
		sent := false
		for {
			n, err := file.Read(buf)
			seen.Write(buf[:n])
			if !sent && strings.Contains(seen.String(), "not shown: ") {
				sent = true
				if _, err := io.WriteString(file, keys); err != nil {
					t.Fatal(err)
				}
			}
			if err != nil {
				break // the program has ended
			}
		}
		_ = cmd.Wait() // the code says it
		return seen.String(), cmd.ProcessState.ExitCode()
	}
	path := filepath.Join(s.home, ".pi/agent/auth.json")
	if seen, code := login("\x03", "groq"); code != 130 || !strings.Contains(seen, "nothing was changed") {
		t.Errorf("Ctrl+C: exit %d\n%s", code, seen)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("something was stored")
	}
	seen, code := login("gsk-typed-secret\r", "GROQ")
	if code != 0 || !strings.Contains(seen, "Signed in to Groq") || !strings.Contains(seen, " answers (") || strings.Contains(seen, "typed") {
		t.Errorf("exit %d\n%s", code, seen)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "gsk-typed-secret") {
		t.Errorf("stored %s, %v", data, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if seen, code = login("gsk-bad\r", "groq"); code != 1 || !strings.Contains(seen, "it is stored, but groq/") {
		t.Errorf("a bad key: exit %d\n%s", code, seen)
	}
}
