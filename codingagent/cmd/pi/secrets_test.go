//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// Keys are planted everywhere a person can put them; whatever pi then does, fails at
// or writes, none of them is in it. The server is as unkind as some are: it repeats
// what it was sent.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	s := newSandbox(t)
	secrets := map[string]string{
		"of a variable": "mark-env-5b1f", "of auth.json": "mark-stored-77aa", "of a command": "mark-command-91cc", "of models.json": "mark-file-c0de",
		"of a header": "mark-header-3d3d", "of the command line": "mark-option-e4e4", "of a sign-in": "mark-access-f00d", "that renews it": "mark-refresh-beef",
	}
	keyless := func(api string) string {
		return fmt.Sprintf(`{"baseUrl":%q,"api":%q,"models":[{"id":"x","maxTokens":1000}]`, s.llm.URL+map[string]string{"openai-completions": "/v1"}[api], api)
	}
	s.put("../home/.pi/agent/models.json", `{"providers":{
		"env":`+keyless("openai-completions")+`,"apiKey":"$PLANTED"},
		"stored":`+keyless("openai-completions")+`},
		"command":`+keyless("anthropic-messages")+`,"apiKey":"!echo `+secrets["of a command"]+`"},
		"file":`+keyless("openai-completions")+`,"apiKey":"`+secrets["of models.json"]+`"},
		"header":`+keyless("anthropic-messages")+`,"apiKey":"none","headers":{"x-team":"`+secrets["of a header"]+`"}}}}`)
	s.put("../home/.pi/agent/auth.json", `{"stored":{"type":"api_key","key":"`+secrets["of auth.json"]+`"},
		"anthropic":{"type":"oauth","access":"`+secrets["of a sign-in"]+`","refresh":"`+secrets["that renews it"]+`","expires":99999999999999}}`)
	s.llm.Respond(func(r *mockllm.Request) mockllm.Answer {
		if strings.Contains(string(r.Body), "unkind") {
			return mockllm.Failure(401, "authentication_error", fmt.Sprintf("Incorrect API key provided: %v", r.Header))
		}
		return mockllm.Say("fine")
	})
	var said strings.Builder
	run := func(args ...string) {
		t.Helper()
		cmd := s.command(t.Context(), args...)
		cmd.Env = append(cmd.Env, "PLANTED="+secrets["of a variable"])
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run() // many of these fail, and that is what is looked at
		fmt.Fprintf(&said, "$ pi %s\n%s", strings.Join(args[:1], " "), out.String())
	}
	for _, p := range []string{"env", "stored", "command", "file", "header"} {
		for _, prompt := range []string{"kind", "unkind"} {
			run("-p", prompt, "--model", p+"/x")
			run("--mode", "json", "-p", prompt, "--model", p+"/x")
		}
	}
	run("-p", "unkind", "--model", "env/x", "--api-key", secrets["of the command line"])
	if n := len(s.llm.Requests()); n < 21 {
		t.Fatalf("only %d requests came\n%s", n, said.String())
	}
	seen := map[string]bool{}
	for _, r := range s.llm.Requests() {
		for _, secret := range secrets {
			seen[secret] = seen[secret] || strings.Contains(fmt.Sprint(r.Header), secret)
		}
	}
	for where, secret := range secrets {
		if !seen[secret] && !strings.Contains(secret, "access") && !strings.Contains(secret, "refresh") {
			t.Errorf("the key %s was never sent, so that this test proves nothing of it", where)
		}
	}
	run("prompt", "show", "--json")
	run("config", "explain")
	run("auth", "list")
	run("auth", "list", "--json")
	run("auth", "check", "--provider", "anthropic", "--json")
	run("auth", "check", "--provider", "stored")
	run("--list-models")
	run("completion", "complete", "--", "--model", "")
	run("-p", "x", "--model", "stored/nothing")
	for i, f := range s.sessionFiles() {
		run("sessions", "export", f, fmt.Sprintf("%d.html", i))
		run("sessions", "export", "--whole", f, fmt.Sprintf("%d.jsonl", i))
		run("sessions", "show", f)
		run("sessions", "check", f)
	}
	run("sessions", "search", "--json", "authentication")
	// Files that are broken are quoted in errors, but not their keys.
	s.put("../home/.pi/agent/models.json", `{"providers":{"file":{"apiKey":"`+secrets["of models.json"]+`","models":5}}}`)
	run("--list-models")
	s.put("../home/.pi/agent/models.json", `{"providers":{"file":{"apiKey":"`+secrets["of models.json"]+`" "models":[]}}}`)
	run("--list-models")
	run("auth", "check", "--provider", "stored")

	texts := map[string]string{"what was said": said.String()}
	err := filepath.WalkDir(filepath.Dir(s.home), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "auth.json" || e.Name() == "models.json" {
			return err
		}
		data, err := os.ReadFile(path)
		texts[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 20 {
		t.Errorf("only %d files are there", len(texts))
	}
	for name, text := range texts {
		for where, secret := range secrets {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("the key %s is in %s: …%s", where, name, text[max(0, i-200):min(len(text), i+60)])
			}
		}
	}
}
