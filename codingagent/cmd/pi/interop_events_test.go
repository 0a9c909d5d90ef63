//go:build interop && unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// wire is a program in rpc mode, line by line as it is on the wire.
type wire struct {
	t      *testing.T
	in     io.Writer
	out    *bufio.Scanner
	shapes shapes
}

// shapes are the keys of records: of each kind of record, for each path into
// it how many of the records have it. "" counts the records.
type shapes map[string]map[string]int

// add counts the keys of a record.
func (s shapes) add(record map[string]any) {
	kind := fmt.Sprint(record["type"])
	for _, path := range []string{"command", "assistantMessageEvent.type", "toolName", "message.role", "message.toolName", "message.stopReason", "reason"} {
		if v := at(record, path); v != nil {
			kind += " " + fmt.Sprint(v)
		}
	}
	if s[kind] == nil {
		s[kind] = map[string]int{}
	}
	s[kind][""]++
	seen := map[string]bool{}
	keys(record, "", seen)
	for path := range seen {
		s[kind][path]++
	}
}

// at gives the member of nested objects that a dotted path leads to.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// keys collects the paths of all members of a value. Members of lists that say
// what they are have it in their path.
func keys(v any, path string, seen map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			seen[path+"."+name] = true
			keys(member, path+"."+name, seen)
		}
	case []any:
		for _, member := range v {
			kind := at(member, "type")
			if kind == nil {
				kind = at(member, "role")
			}
			if kind == nil {
				kind = ""
			}
			keys(member, fmt.Sprintf("%s[%v]", path, kind), seen)
		}
	}
}

// differ lists where the keys of two programs differ: what only one has, and
// what one has always and the other sometimes.
func (s shapes) differ(theirs shapes) []string {
	var out []string
	word := func(s shapes, kind, path string) string {
		switch n := s[kind][path]; n {
		case 0:
			return "never"
		case s[kind][""]:
			return "always"
		default:
			return "sometimes"
		}
	}
	kinds := map[string]map[string]bool{}
	for _, s := range []shapes{s, theirs} {
		for kind, paths := range s {
			if kinds[kind] == nil {
				kinds[kind] = map[string]bool{}
			}
			for path := range paths {
				kinds[kind][path] = true
			}
		}
	}
	for kind, paths := range kinds {
		for path := range paths {
			if ours, theirs := word(s, kind, path), word(theirs, kind, path); ours != theirs {
				out = append(out, fmt.Sprintf("%s %s: ours %s, theirs %s", kind, path, ours, theirs))
			}
		}
	}
	slices.Sort(out)
	return out
}

// read counts the keys of what json mode wrote.
func (s shapes) read(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		s.add(record)
	}
}

// until reads records to the first of a type, of a command if that is given.
func (w *wire) until(kind, command string) {
	w.t.Helper()
	for w.out.Scan() {
		var record map[string]any
		if err := json.Unmarshal(w.out.Bytes(), &record); err != nil {
			w.t.Fatalf("%q: %v", w.out.Text(), err)
		}
		w.shapes.add(record)
		if record["type"] == kind && (command == "" || record["command"] == command) {
			return
		}
	}
	w.t.Fatalf("the program ended before %s %s", kind, command)
}

// ask sends a command and reads to its answer.
func (w *wire) ask(command, members string) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.in, `{"id":"x","type":%q%s}`+"\n", command, members); err != nil {
		w.t.Fatal(err)
	}
	w.until("response", command)
}

// recorded takes a program through all events that need no extension and gives
// the keys of what it wrote.
func recorded(t *testing.T, s *sandbox, cmd *exec.Cmd) shapes {
	t.Helper()
	s.put("a.txt", "one\ntwo\n")
	s.put("c.txt", "one\ntwo\n")
	s.put("../home/.pi/agent/settings.json", `{"retry":{"baseDelayMs":1},"compaction":{"keepRecentTokens":1},"defaultThinkingLevel":"low"}`)
	s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": {
		"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "sk-mock-secret", "models": [{"id": "m"}]},
		"mocka": {"baseUrl": %q, "api": "anthropic-messages", "apiKey": "sk-mock-secret", "models": [{"id": "a", "reasoning": true}]}
	}}`, s.llm.URL+"/v1", s.llm.URL))
	call := func(n int, name, args string) mockllm.Block {
		return mockllm.ToolCall(fmt.Sprintf("call_%d", n), name, args)
	}
	s.llm.Queue(
		mockllm.Failure(500, "server_error", "it is broken"),
		mockllm.Blocks(mockllm.Thinking("sig", "hm"), mockllm.Text("Looking."),
			call(1, "bash", `{"command":"echo hi"}`), call(2, "bash", `{"command":"exit 3"}`),
			call(3, "read", `{"path":"a.txt"}`), call(4, "read", `{"path":"none.txt"}`),
			call(5, "write", `{"path":"b.txt","content":"x\n"}`), call(6, "edit", `{"path":"c.txt","edits":[{"oldText":"two","newText":"2"}]}`),
			call(7, "ls", `{}`), call(9, "grep", `{"pattern":"one"}`), call(10, "nothing", `{}`)),
		mockllm.Say("done"),
		mockllm.Say("steered"), mockllm.Say("followed"),
		mockllm.Failure(500, "server_error", "it is broken"), mockllm.Say("a summary"),
	)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, in: in, out: bufio.NewScanner(out), shapes: shapes{}}
	w.out.Buffer(nil, 1<<24)
	w.ask("prompt", `,"message":"go"`)
	w.until("agent_settled", "")
	w.ask("set_session_name", `,"name":"a name"`)
	w.ask("set_thinking_level", `,"level":"high"`)
	w.ask("steer", `,"message":"s"`)
	w.ask("follow_up", `,"message":"f"`)
	w.ask("prompt", `,"message":"on"`)
	w.until("agent_settled", "")
	w.ask("bash", `,"command":"echo out"`)
	w.ask("compact", "")
	w.ask("compact", "")
	w.ask("get_session_stats", "")
	w.ask("get_state", "")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for w.out.Scan() {
		t.Errorf("after the end of the input: %s", w.out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	return w.shapes
}

// Both programs write the same keys in every record of a conversation with
// tools, retries, queued messages and compactions, but for what is meant to
// differ. (find is not called: the reference has to download a program for it.)
func TestInteropKeysOfEvents(t *testing.T) {
	meant := map[string]string{
		`\.usage\.(reasoning|cacheWrite1h): ours never`:                                          "a count that the vendor did not report is left out, there it is 0",
		`^message_update \w+ \.usage\.cost\.totalFromProvider: ours never`:                       "a block ends when the next begins, which is before the vendor tells of tokens",
		`^message_start assistant pending \.message\.(thinkingLevel|responseId|content|usage)\b`: "the message as it is when the answer begins; there it is what was read until it is written",
		`^tool_execution_end \w+ \.result\.isError: ours (always|sometimes), theirs never`:       "the result says also by itself that it is an error",
	}
	used := map[string]bool{}
	compare := func(t *testing.T, ours, theirs shapes) {
		for _, d := range ours.differ(theirs) {
			known := false
			for pattern := range meant {
				if regexp.MustCompile(pattern).MatchString(d) {
					known, used[pattern] = true, true
				}
			}
			if !known {
				t.Error(d)
			}
		}
	}
	types := map[string]bool{}
	for _, model := range []string{"mock/m", "mocka/a"} {
		t.Run(strings.ReplaceAll(model, "/", "-"), func(t *testing.T) {
			args := []string{"--mode", "rpc", "--model", model, "--tools", "read,write,edit,bash,ls,grep"}
			here, there := newSandbox(t), newSandbox(t)
			ours := recorded(t, here, here.command(t.Context(), args...))
			node, pkg := there.interop()
			cmd := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(pkg, "dist/bundle/cli.js")}, args...)...)
			cmd.Dir, cmd.Env = there.dir, []string{"HOME=" + there.home, "PATH=" + os.Getenv("PATH"), "PI_OFFLINE=1"}
			compare(t, ours, recorded(t, there, cmd))

			here.llm.Queue(mockllm.Say("done"))
			there.llm.Queue(mockllm.Say("done"))
			args = []string{"--mode", "json", "--model", model, "go"}
			inJSON := shapes{}
			inJSON.read(t, here.run(args...).out)
			theirs := shapes{}
			theirs.read(t, there.reference("", args...).out)
			compare(t, inJSON, theirs)
			for _, s := range []shapes{ours, inJSON} {
				for kind := range s {
					types[strings.Fields(kind)[0]] = true
				}
			}
		})
	}
	for pattern, why := range meant {
		if !used[pattern] {
			t.Errorf("there is no difference like %s (%s) any more", pattern, why)
		}
	}
	// Those of extensions need one that both can load.
	for _, want := range []string{
		"session", "agent_start", "turn_start", "message_start", "message_update", "message_end", "tool_execution_start", "tool_execution_update",
		"tool_execution_end", "turn_end", "agent_end", "agent_settled", "queue_update", "entry_appended", "session_info_changed",
		"thinking_level_changed", "compaction_start", "compaction_end", "auto_retry_start", "auto_retry_end", "summarization_retry_scheduled",
		"summarization_retry_attempt_start", "summarization_retry_finished", "bash_execution_update", "response",
	} {
		if !types[want] {
			t.Errorf("no record was a %s", want)
		}
	}
}
