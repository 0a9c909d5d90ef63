//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func TestOneTurn(t *testing.T) {
	for _, model := range []string{"mock/m", "mocka/a"} {
		t.Run(model, func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Queue(mockllm.Say("na", "ïve ", "東京"))
			s.run("--model", model, "-p", "hi").want(t, 0, "naïve 東京\n")
			if got := s.roles(); got != "system user assistant:stop" {
				t.Errorf("stored %s", got)
			}
		})
	}
}

func TestToolLoop(t *testing.T) {
	for _, model := range []string{"mock/m", "mocka/a"} {
		t.Run(model, func(t *testing.T) {
			s := newSandbox(t)
			s.put("a.txt", "the content")
			s.llm.Queue(
				mockllm.Blocks(mockllm.Text("Looking."), mockllm.ToolCall("t1", "read", `{"path":`, `"a.txt"}`)),
				mockllm.Say("done"),
			)
			s.run("--model", model, "-p", "read it").want(t, 0, "done\n")
			if body := string(s.llm.Requests()[1].Body); !strings.Contains(body, "the content") {
				t.Errorf("the second request lacks the file:\n%s", body)
			}
			if got := s.roles(); got != "system user assistant:toolUse toolResult assistant:stop" {
				t.Errorf("stored %s", got)
			}
		})
	}
}

func TestParallelTools(t *testing.T) {
	s := newSandbox(t)
	// Each command waits for the other's file: one after the other would hang.
	wait := func(mine, other string) string {
		args, err := json.Marshal(map[string]string{"command": "touch " + mine + "; while ! test -e " + other + "; do sleep 0.01; done; echo " + mine})
		if err != nil {
			t.Fatal(err)
		}
		return string(args)
	}
	s.llm.Queue(
		mockllm.Blocks(mockllm.ToolCall("t1", "bash", wait("one", "two")), mockllm.ToolCall("t2", "bash", wait("two", "one"))),
		mockllm.Say("done"),
	)
	s.run("--model", "mock/m", "-p", "both").want(t, 0, "done\n")
	var results []string
	for _, m := range s.stored() {
		if m["role"] == "toolResult" {
			results = append(results, m["toolCallId"].(string))
		}
	}
	if !slices.Equal(results, []string{"t1", "t2"}) {
		t.Errorf("results in the order %v", results)
	}
}

func TestJSONMode(t *testing.T) {
	for _, model := range []string{"mock/m", "mocka/a"} {
		t.Run(model, func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Queue(mockllm.Say("he", "llo\u2028"))
			o := s.run("--model", model, "--mode", "json", "-p", "hi")
			if o.code != 0 || o.err != "" {
				t.Errorf("exit %d, stderr %q", o.code, o.err)
			}
			var types []string
			for line := range strings.Lines(o.out) {
				var ev struct {
					Type    string
					Event   struct{ Type, Delta string } `json:"assistantMessageEvent"`
					Message struct{ Role string }
				}
				if err := json.Unmarshal([]byte(line), &ev); err != nil {
					t.Fatalf("line %q: %v", line, err)
				}
				name := ev.Type
				if ev.Event.Type != "" {
					name += ":" + ev.Event.Type
				} else if ev.Message.Role != "" {
					name += ":" + ev.Message.Role
				}
				types = append(types, name)
			}
			want := "session agent_start turn_start message_start:system message_end:system message_start:user message_end:user message_start:assistant " +
				"message_update:text_start message_update:text_delta message_update:text_delta message_update:text_end message_end:assistant " +
				"turn_end:assistant agent_end agent_settled"
			if got := strings.Join(types, " "); got != want {
				t.Errorf("events\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRetries(t *testing.T) {
	s := newSandbox(t)
	s.llm.Queue(mockllm.Status(429, "retry-after", "0"), mockllm.Status(529), mockllm.Say("at last"))
	s.run("--model", "mock/m", "-p", "hi").want(t, 0, "at last\n")
	if n := len(s.llm.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestFailuresInBothModes(t *testing.T) {
	cases := []struct {
		name   string
		answer mockllm.Answer
		want   string
	}{
		{"refused key", mockllm.Failure(401, "authentication_error", "bad key"), "bad key"},
		{"overflow", mockllm.Failure(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"), "prompt is too long"},
		{"html from a proxy", mockllm.HTML(403), "403"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return c.answer })
			s.run("--model", "mocka/a", "-p", "hi").want(t, 1, "", c.want)
			o := s.run("--model", "mocka/a", "--mode", "json", "-p", "hi")
			last := strings.TrimSpace(o.out)
			if o.code != 1 || !strings.Contains(last, `"stopReason":"error"`) || !strings.HasSuffix(last, `{"type":"agent_settled","aborted":false}`) {
				t.Errorf("json: exit %d\n%s", o.code, o.out)
			}
		})
	}
}

func TestErrorAfter200KeepsWhatCame(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/settings.json", `{"retry":{"enabled":false}}`)
	s.llm.Queue(mockllm.Raw("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n" +
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Half an ans\"}}\n\n" +
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"))
	s.run("--model", "mocka/a", "-p", "hi").want(t, 1, "", "Overloaded")
	messages := s.stored()
	last, err := json.Marshal(messages[len(messages)-1])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(last, []byte("Half an ans")) {
		t.Errorf("stored %s", last)
	}
}

func TestLengthStopFails(t *testing.T) {
	s := newSandbox(t)
	answer := mockllm.Say("cut of")
	answer.Stop = "length"
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return answer })
	s.run("--model", "mock/m", "-p", "hi").want(t, 1, "cut of\n", "output limit")
	if o := s.run("--model", "mock/m", "--mode", "json", "-p", "hi"); o.code != 1 {
		t.Errorf("json: exit %d", o.code)
	}
}

func TestResume(t *testing.T) {
	s := newSandbox(t)
	s.llm.Queue(mockllm.Say("first answer"), mockllm.Say("second answer"))
	s.run("--model", "mocka/a", "-p", "first").want(t, 0, "first answer\n")
	s.run("-c", "-p", "second").want(t, 0, "second answer\n") // with the session's model
	body := string(s.llm.Requests()[1].Body)
	for _, want := range []string{"first answer", "second", `"model":"a"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the second request lacks %q", want)
		}
	}
	if got := s.roles(); got != "system user assistant:stop user assistant:stop" {
		t.Errorf("stored %s", got)
	}
	id := filepath.Base(s.sessionFiles()[0])
	id = strings.TrimSuffix(id[strings.IndexByte(id, '_')+1:], ".jsonl")
	s.llm.Queue(mockllm.Say("by id"), mockllm.Say("by path"))
	s.run("--session", id[:20], "-p", "x").want(t, 0, "by id\n")
	s.run("--session", s.sessionFiles()[0], "-p", "x").want(t, 0, "by path\n")
	if n := len(s.stored()); n != 9 {
		t.Errorf("%d messages, want 9", n)
	}
}

func TestNoSessionLeavesNothing(t *testing.T) {
	s := newSandbox(t)
	s.llm.Queue(mockllm.Say("ok"))
	s.run("--model", "mock/m", "--no-session", "-p", "hi").want(t, 0, "ok\n")
	if files := s.sessionFiles(); len(files) != 0 {
		t.Errorf("files %v", files)
	}
}

func TestPromptFromPipeFilesAndArguments(t *testing.T) {
	s := newSandbox(t)
	s.put("f.txt", "file body\n")
	s.llm.Queue(mockllm.Say("ok"), mockllm.Say("second"))
	s.runWith("piped\n", "--model", "mock/m", "-p", "@f.txt", "one", "two").want(t, 0, "second\n")
	var texts []string
	for _, m := range s.stored() {
		if m["role"] == "user" {
			texts = append(texts, m["content"].([]any)[0].(map[string]any)["text"].(string))
		}
	}
	want := []string{"piped\n\n<file name=\"" + filepath.Join(s.dir, "f.txt") + "\">\nfile body\n</file>\n\none", "two"}
	if !slices.Equal(texts, want) {
		t.Errorf("prompts %q, want %q", texts, want)
	}
}

func TestWrongInputIsAnsweredClearly(t *testing.T) {
	s := newSandbox(t)
	s.put("hello.txt", "x")
	cases := []struct {
		args string
		want []string
	}{
		{"--modle m -p hi", []string{"unknown option --modle", "--model"}},
		{"--model mock/n -p hi", []string{`"mock/n"`, "did you mean mock/m?"}},
		{"--model anthropic/claude-sonet-5 -p hi", []string{"did you mean", "claude-sonnet-5"}},
		{"--model anthropic/claude-sonnet-5 -p hi", []string{"no API key for provider anthropic: set ANTHROPIC_API_KEY or "}},
		{"-p @helo.txt", []string{"file not found", "did you mean hello.txt?"}},
		{"-p @.", []string{"is a directory; name a file"}},
		{"--mode jsn -p hi", []string{"did you mean json?"}},
		{"--model mock/m -p", []string{"there is no prompt"}},
		{"--model mock/m --mode json", []string{"there is no prompt"}},
		{"--session nothere -p hi --model mock/m", []string{`no session matches "nothere"`}},
		{"--session hello.txt/x.jsonl -p hi --model mock/m", []string{"hello.txt"}},
		{"--session-id a/b -p hi --model mock/m", []string{"a/b"}},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) { s.run(strings.Fields(c.args)...).want(t, 1, "", c.want...) })
	}
	if files := s.sessionFiles(); len(files) > 1 {
		t.Errorf("failed starts left sessions behind: %v", files)
	}
}

func TestWithoutAModelScriptsGetNoDemo(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", "{}")
	for _, mode := range []string{"text", "json"} {
		s.run("--mode", mode, "-p", "hi").want(t, 1, "", "no model is available", "ANTHROPIC_API_KEY", "models.json", "--model demo/guide")
	}
}

func TestAServerWithoutAKeyIsExplained(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": {"box": {"baseUrl": %q, "api": "openai-completions", "models": [{"id": "m"}]}}}`, s.llm.URL+"/v1"))
	s.run("-p", "hi").want(t, 1, "", "no model is available", `give box an "apiKey" in `)
	s.run("--model", "box/m", "-p", "hi").want(t, 1, "", `key of box: models.json gives none; add "apiKey"`)
	s.llm.Queue(mockllm.Say("ok"))
	s.run("--model", "box/m", "--api-key", "x", "-p", "hi").want(t, 0, "ok\n")
}

func TestUnusableWishesAreMentioned(t *testing.T) {
	s := newSandbox(t)
	for settings, want := range map[string]string{
		`{"defaultProvider": "mock", "defaultModel": "gone"}`: "The default model mock/gone can not be used now. Going on with ",
		`{"defaultModel": "m"}`:                               "The setting defaultModel (m) needs a defaultProvider beside it.",
	} {
		s.put("../home/.pi/agent/settings.json", settings)
		s.llm.Queue(mockllm.Say("ok"))
		if o := s.run("-p", "hi"); o.code != 0 || !strings.Contains(o.err, want) {
			t.Errorf("%s: exit %d, stderr %q", settings, o.code, o.err)
		}
	}
	s.llm.Queue(mockllm.Say("ok"))
	o := s.run("--model", "mock/m", "-t", "raed,re*,grep", "-xt", "zzzzzz", "-p", "hi")
	if o.code != 0 || strings.Count(o.err, "there is no tool") != 2 || !strings.Contains(o.err, `"raed"; did you mean read?`) || !strings.Contains(o.err, `"zzzzzz"; the tools are read, bash`) {
		t.Errorf("exit %d, stderr %q", o.code, o.err)
	}
}

func TestBrokenModelsFileIsReportedAndTheRestWorks(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", "{\n  \"providers\": {\n    oops\n  }\n}")
	o := s.run("--model", "demo/guide", "-p", "hello")
	if o.code != 0 || !strings.Contains(o.out, "demo/guide") {
		t.Errorf("exit %d, stdout %q", o.code, o.out)
	}
	if !strings.Contains(o.err, "models.json:3:5: ") {
		t.Errorf("stderr %q", o.err)
	}
}

func TestStoredKeysAreUsed(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": {"groq": {"baseUrl": %q}}}`, s.llm.URL+"/v1"))
	s.put("../home/.pi/agent/auth.json", `{"groq": {"type": "api_key", "key": "sk-mock-secret", "later": 1}}`)
	s.llm.Queue(mockllm.Say("ok"))
	s.run("--model", "groq/openai/gpt-oss-120b", "-p", "hi").want(t, 0, "ok\n")
	if got := s.llm.Requests()[0].Header.Get("Authorization"); got != "Bearer sk-mock-secret" {
		t.Errorf("Authorization %q", got)
	}
	s.put("../home/.pi/agent/auth.json", "{\n oops")
	o := s.run("--model", "groq/openai/gpt-oss-120b", "-p", "hi")
	if o.code != 1 || !strings.Contains(o.err, "auth.json:2:2") || !strings.Contains(o.err, "GROQ_API_KEY") {
		t.Errorf("exit %d, stderr %q", o.code, o.err)
	}
}

func TestDemoCreatesAndContinues(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", "{}")
	if o := s.run("--model", "demo/guide", "-p", "create hello.txt with hi there"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	if got := s.get("hello.txt"); got != "hi there\n" {
		t.Errorf("hello.txt holds %q", got)
	}
	o := s.run("-c", "-p", "show hello.txt")
	if o.code != 0 || !strings.Contains(o.out, "hi there") {
		t.Errorf("exit %d, stdout %q, stderr %q", o.code, o.out, o.err)
	}
	if n := len(s.sessionFiles()); n != 1 {
		t.Errorf("%d session files, want 1", n)
	}
}

func TestListModels(t *testing.T) {
	s := newSandbox(t)
	o := s.run("--list-models")
	for _, want := range []string{"provider  model", "mock      m", "mocka     a"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the list lacks %q:\n%s", want, o.out)
		}
	}
	s.run("--list-models", "zzz").want(t, 0, "No models matching \"zzz\"\n", "")
	s.put("../home/.pi/agent/models.json", `{"providers": {}}`)
	if o := s.run("--list-models"); o.code != 0 || o.err != "" || !strings.HasPrefix(o.out, "No model is available. Do one of these:") {
		t.Errorf("without models: %d %q %q", o.code, o.out, o.err)
	}
}

func TestHelpAndVersion(t *testing.T) {
	s := newSandbox(t)
	s.run("--version").want(t, 0, version+"\n")
	if o := s.run("--help"); o.code != 0 || !strings.Contains(o.out, "--list-models") {
		t.Errorf("help: exit %d\n%s", o.code, o.out)
	}
	if entries, err := os.ReadDir(filepath.Join(s.home, ".pi/agent")); err != nil || len(entries) != 2 {
		t.Errorf("help left files behind: %v %v", entries, err)
	}
}

func TestReaderThatLeavesIsNoFailure(t *testing.T) {
	s := newSandbox(t)
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer {
		return mockllm.Say(strings.Split(strings.Repeat("word ", 20_000), " ")...)
	})
	cmd := s.command(t.Context(), "--model", "mock/m", "--mode", "json", "-p", "hi")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil || errs.Len() != 0 {
		t.Errorf("%v, stderr %q", err, errs.String())
	}
}

func TestSignalInTheMiddleOfAnAnswer(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newSandbox(t)
			release := make(chan struct{})
			defer close(release)
			answer := mockllm.Say("the first half", " and the rest")
			at := bytes.Index(mockllm.Stream("openai-completions", "m", answer), []byte(" and the rest"))
			s.llm.Queue(answer.Via(mockllm.Delivery{Hold: release, HoldAt: at}))
			o := s.stopped(sig, func(stdout io.Reader) {
				for lines := bufio.NewScanner(stdout); lines.Scan(); {
					if strings.Contains(lines.Text(), `"delta":"the first half"`) {
						return
					}
				}
			}, "--model", "mock/m", "--mode", "json", "-p", "hi")
			if o.code != code || strings.Contains(o.err, "goroutine") {
				t.Errorf("exit %d, want %d; stderr %q", o.code, code, o.err)
			}
			if got := s.roles(); got != "system user assistant:aborted" {
				t.Errorf("stored %s", got)
			}
		})
	}
}

func TestSignalDuringACommandLeavesNoProcess(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"sleep 100 & echo $! > one; echo $$ > two; sleep 100"}`)))
			o := s.stopped(sig, func(io.Reader) { s.waitFor("two") }, "--model", "mock/m", "-p", "hi")
			if o.code != code {
				t.Errorf("exit %d, want %d; stderr %q", o.code, code, o.err)
			}
			for _, name := range []string{"one", "two"} {
				pid, err := strconv.Atoi(strings.TrimSpace(s.get(name)))
				if err != nil {
					t.Fatal(err)
				}
				if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
					t.Errorf("process %d (%s) is still there", pid, name)
				}
			}
			if got := s.roles(); got != "system user assistant:toolUse toolResult" {
				t.Errorf("stored %s", got)
			}
		})
	}
}
