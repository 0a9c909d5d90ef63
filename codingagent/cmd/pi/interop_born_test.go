//go:build interop && unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/rpc/client"
)

// goExtension gives the reference the one command that its rpc mode lacks: to go
// on from another entry.
const goExtension = `export default (pi) => pi.registerCommand("go", {
  handler: async (args, ctx) => {
    const [id, how] = args.split(" ");
    await ctx.navigateTree(id, { summarize: how === "summarize" });
  },
});
`

// talker is one of the two programs in its rpc mode.
type talker struct {
	*client.Client
	navigate func(entry string, summarize bool) error
}

// ours starts this program in rpc mode.
func (s *sandbox) ours(args ...string) talker {
	c := s.rpc(args...)
	return talker{c, func(entry string, summarize bool) error {
		_, err := c.Navigate(s.t.Context(), entry, client.NavigateOptions{Summarize: summarize})
		return err
	}}
}

// theirs starts the reference in rpc mode.
func (s *sandbox) theirs(args ...string) talker {
	s.t.Helper()
	node, pkg := s.interop()
	s.put("../go.ts", goExtension)
	var errs bytes.Buffer
	c := must(client.Start(context.Background(), client.Process{
		Path: node, Exact: true, Args: append([]string{filepath.Join(pkg, "dist/bundle/cli.js"), "--mode", "rpc", "-e", "../go.ts"}, args...),
		Dir: s.dir, Env: []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "PI_OFFLINE=1"}, Stderr: &errs,
	}))(s.t)
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Errorf("the reference ended with %v\n%s", err, errs.String())
		}
	})
	return talker{c, func(entry string, summarize bool) error {
		how := ""
		if summarize {
			how = " summarize"
		}
		_, err := c.Prompt(s.t.Context(), "/go "+entry+how, client.PromptOptions{})
		return err
	}}
}

// seeing configures models that take images and think.
func (s *sandbox) seeing() {
	s.put("../home/.pi/agent/settings.json", `{"retry":{"enabled":false},"compaction":{"keepRecentTokens":600}}`)
	s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": {
		"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "sk-mock-secret", "models": [{"id": "m", "input": ["text", "image"]}]},
		"mocka": {"baseUrl": %q, "api": "anthropic-messages", "apiKey": "sk-mock-secret", "models": [{"id": "a", "reasoning": true, "input": ["text", "image"]}]}
	}}`, s.llm.URL+"/v1", s.llm.URL))
}

func dot(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// live takes a program through a session with all that a file can hold: images
// of a person and of a tool, thinking, results that are errors, shell commands,
// a failed answer, a branch that was left with a summary, one that was left
// without, a name, a compaction with something kept, and a fork. It gives the
// session as it was before the compaction, as it was at the end, and the fork.
func (s *sandbox) live(p talker) (whole, summed, forked string) {
	s.t.Helper()
	t, ctx := s.t, s.t.Context()
	s.put("a.txt", "the content\n")
	s.put("dot.png", string(dot(t)))
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ask := func(text string, answers ...mockllm.Answer) {
		t.Helper()
		s.llm.Queue(answers...)
		_, err := p.Ask(ctx, text, client.PromptOptions{})
		ok(err)
	}
	point := func(text string) string {
		t.Helper()
		for _, m := range must(p.ForkMessages(ctx))(t) {
			if m.Text == text {
				return m.EntryID
			}
		}
		t.Fatalf("no message %q", text)
		return ""
	}
	long := strings.Repeat("a long story. ", 200)
	ask("the beginning", mockllm.Say(long))
	s.llm.Queue(
		mockllm.Blocks(mockllm.Thinking("sig-1", "Let me see."), mockllm.Text("Looking."), mockllm.ToolCall("call_1", "read", `{"path":"a.txt"}`), mockllm.ToolCall("call_2", "read", `{"path":"not-there.txt"}`)),
		mockllm.Blocks(mockllm.Thinking("sig-2", "Hm."), mockllm.Text("a dot")))
	_, err := p.Ask(ctx, "what is it?", client.PromptOptions{Images: []*ai.Image{{Data: base64.StdEncoding.EncodeToString(dot(t)), MIMEType: "image/png"}}})
	ok(err)
	must(p.Bash(ctx, "echo shown; exit 3", client.BashOptions{}))(t)
	must(p.Bash(ctx, "echo hidden-from-the-model", client.BashOptions{Hidden: true}))(t)
	ask("a dead end", mockllm.Say("left with a summary"))
	s.llm.Queue(mockllm.Say("what the dead end was"))
	ok(p.navigate(point("a dead end"), true))
	ask("another dead end", mockllm.Say("left without one"))
	ok(p.navigate(point("another dead end"), false))
	ask("the way on", mockllm.Blocks(mockllm.ToolCall("call_3", "read", `{"path":"dot.png"}`)), mockllm.Say("a picture: "+long))
	s.llm.Queue(mockllm.Failure(400, "invalid_request_error", "not now"))
	if _, err := p.Ask(ctx, "one that fails", client.PromptOptions{}); err == nil {
		t.Error("the failed answer is none")
	}
	ok(p.SetSessionName(ctx, "a whole life"))
	file := must(p.State(ctx))(t).SessionFile
	whole = readFile(t, file)
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("the summary of it all") }) // of one request or two
	if c := must(p.Compact(ctx, ""))(t); c.Summary == "" || c.FirstKeptEntryID == "" {
		t.Errorf("compacted to %+v", c)
	}
	s.llm.Respond(nil)
	ask("after the summary", mockllm.Blocks(mockllm.ToolCall("call_4", "bash", `{"command":"echo run; exit 5"}`)), mockllm.Say("the end"))
	summed = readFile(t, file)
	must(p.Fork(ctx, point("the way on")))(t)
	ask("from the fork", mockllm.Say("forked"))
	return whole, summed, readFile(t, must(p.State(ctx))(t).SessionFile)
}

// What each program says in words of its own: the sentence before a summary, and
// those around what a person ran. What they speak about must be the same.
var (
	aSummary = regexp.MustCompile(`(?s)^[^\n]+\n\n<summary>\n(.*?)\n?</summary>$`)
	aCommand = regexp.MustCompile("(?s)^[^`\n]+`([^`]+)`:?\n```\n(.*?)\n+```\n+[^\n]*code (\\d+)[^\n]*$")
)

func worded(text string) string {
	text = aSummary.ReplaceAllString(text, "<summary>$1</summary>")
	return aCommand.ReplaceAllString(text, "<ran>$1</ran><output>$2</output><code>$3</code>")
}

// asked gives a request without what each program says in words of its own: the
// prompt, what describes the tools, and what introduces summaries, commands of the
// person and images of tools.
func asked(t *testing.T, r *mockllm.Request) any {
	t.Helper()
	body := r.JSON()
	if body == nil {
		t.Fatalf("the request is %s", r.Body)
	}
	if _, ok := body["system"]; ok {
		body["system"] = "the prompt"
	}
	before := any("")
	for _, m := range body["messages"].([]any) {
		m := m.(map[string]any)
		content := normal(m["content"])
		switch c := content.(type) {
		case string:
			content = worded(c)
		case []any:
			for i, b := range c {
				b := b.(map[string]any)
				text, ok := b["text"].(string)
				switch {
				case ok && i == 0 && before == "tool": // of a protocol whose tools give text only
					b["text"] = "images of the results above"
				case ok:
					b["text"] = worded(text)
				}
			}
		}
		if m["role"] == "system" || m["role"] == "developer" {
			content = "the prompt"
		}
		m["content"], before = content, m["role"]
	}
	body["tools"] = undescribed(body["tools"])
	return body
}

func undescribed(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = undescribed(v[i])
		}
	case map[string]any:
		if _, text := v["description"].(string); text {
			delete(v, "description")
		}
		for k := range v {
			v[k] = undescribed(v[k])
		}
	}
	return v
}

// differences lists where two values differ.
func differences(ours, theirs any, at string) []string {
	var out []string
	switch a := ours.(type) {
	case map[string]any:
		if b, ok := theirs.(map[string]any); ok {
			keys := maps.Clone(a)
			maps.Copy(keys, b)
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				x, inOurs := a[k]
				y, inTheirs := b[k]
				switch {
				case !inOurs:
					out = append(out, fmt.Sprintf("%s.%s: only theirs: %s", at, k, short(y)))
				case !inTheirs:
					out = append(out, fmt.Sprintf("%s.%s: only ours: %s", at, k, short(x)))
				default:
					out = append(out, differences(x, y, at+"."+k)...)
				}
			}
			return out
		}
	case []any:
		if b, ok := theirs.([]any); ok {
			for i := range max(len(a), len(b)) {
				switch here := fmt.Sprintf("%s[%d]", at, i); {
				case i >= len(a):
					out = append(out, here+": only theirs: "+short(b[i]))
				case i >= len(b):
					out = append(out, here+": only ours: "+short(a[i]))
				default:
					out = append(out, differences(a[i], b[i], here)...)
				}
			}
			return out
		}
	}
	if x, y := short(ours), short(theirs); x != y {
		out = append(out, fmt.Sprintf("%s: ours %s, theirs %s", at, x, y))
	}
	return out
}

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestInteropSessionsBornInEither lets a session live in one program, and both
// open it: they must show their clients the same, and ask the model the same.
func TestInteropSessionsBornInEither(t *testing.T) {
	for _, model := range []string{"mock/m", "mocka/a"} {
		for _, born := range []string{"ours", "theirs"} {
			t.Run(born+" "+model, func(t *testing.T) {
				s := newSandbox(t)
				s.seeing()
				start := map[string]func(...string) talker{"ours": s.ours, "theirs": s.theirs}
				whole, summed, forked := s.live(start[born]("--model", model))
				for stage, c := range map[string]struct {
					data string
					told []string
				}{
					"whole":     {whole, []string{"the beginning", "sig-1", "the content", base64.StdEncoding.EncodeToString(dot(t)), "echo shown", "what the dead end was", "the way on", "a picture", "go on"}},
					"summed up": {summed, []string{"the summary of it all", "a picture", "after the summary", "echo run", "go on"}},
					"forked":    {forked, []string{"the beginning", "sig-1", "what the dead end was", "from the fork", "go on"}},
				} {
					ours, theirs := s.opened(s.ours, stage+"/ours.jsonl", c.data), s.opened(s.theirs, stage+"/theirs.jsonl", c.data)
					for _, d := range differences(ours, theirs, stage) {
						t.Error(d)
					}
					text := short(theirs["requests"])
					for _, want := range c.told {
						if !strings.Contains(text, want) && !(model == "mock/m" && want == "sig-1") { // a protocol without signatures
							t.Errorf("%s: the model is not told %q: %s", stage, want, text)
						}
					}
					for _, no := range []string{"hidden-from-the-model", "left with", "another dead end"} {
						if strings.Contains(text, no) {
							t.Errorf("%s: the model is told %q: %s", stage, no, text)
						}
					}
				}
			})
		}
	}
}

// opened lets a program open a session and go on with it, and gives what it shows
// its client and what it asks the model.
func (s *sandbox) opened(start func(...string) talker, name, data string) map[string]any {
	s.t.Helper()
	t, ctx := s.t, s.t.Context()
	s.put(name, data)
	p := start("--session", name)
	out := map[string]any{}
	for _, command := range []string{"get_messages", "get_entries", "get_tree", "get_fork_messages", "get_session_stats", "get_last_assistant_text"} {
		var answer any
		if err := p.Do(ctx, command, nil, &answer); err != nil {
			t.Fatal(err)
		}
		out[command] = shown(answer)
	}
	s.llm.Reset()
	s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("call_9", "read", `{"path":"a.txt"}`)), mockllm.Say("done"))
	must(p.Ask(ctx, "go on", client.PromptOptions{}))(t)
	var requests []any
	for _, r := range s.llm.Requests() {
		requests = append(requests, asked(t, r))
	}
	out["requests"] = requests
	return out
}

// shown leaves out of an answer what need not be the same: the file's name, the
// estimate of what the context holds, which counts each program's own words, zeros,
// and our notes of where a branch was left, which our clients do not see.
func shown(answer any) any {
	switch v := answer.(type) {
	case map[string]any:
		delete(v, "sessionFile")
		delete(v, "contextUsage")
		for name, zero := range map[string]any{"excludeFromContext": false, "cacheWrite1h": 0.0} {
			if v[name] == zero {
				delete(v, name)
			}
		}
		for k := range v {
			v[k] = shown(v[k])
		}
	case []any:
		var kept []any
		for _, member := range v {
			entry, _ := member.(map[string]any)
			if node, ok := entry["entry"].(map[string]any); ok {
				entry = node
			}
			if entry["customType"] != "pi.leaf" {
				kept = append(kept, shown(member))
			}
		}
		return kept
	}
	return answer
}
