//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// answers gives what a program in rpc mode wrote, and checks that every line is one
// object of valid text.
func answers(t *testing.T, printed string) (responses []map[string]any) {
	t.Helper()
	for line := range strings.Lines(printed) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil || !utf8.ValidString(line) || !strings.HasSuffix(line, "\n") {
			t.Fatalf("line %.200q: %v", line, err)
		}
		if v["type"] == "response" {
			responses = append(responses, v)
		}
	}
	return responses
}

// Everything that is no command gets one answer each, and what follows is heard.
func TestRPCNonsense(t *testing.T) {
	// What is echoed several times is smaller: the race detector takes a second for a megabyte.
	big, long, name := strings.Repeat("x", 10<<20), strings.Repeat("x", 3<<20), strings.Repeat("x", 1<<20)
	for what, c := range map[string]struct {
		in      string
		answers []string // the commands that are answered, with "!" if it is an error
	}{
		"a message of 3 MB":          {`{"id":1,"type":"prompt","message":"` + long + `"}` + "\n", []string{"prompt"}},
		"10 MB that are no JSON":     {"{" + big + "\n" + `{"type":"get_state"}` + "\n", []string{"parse!", "get_state"}},
		"an unknown command of 1 MB": {`{"type":"` + name + `"}` + "\n" + `{"type":"get_state"}` + "\n", []string{name + "!", "get_state"}},
		"10 MB of brackets":          {strings.Repeat("[", 10<<20) + "\n" + `{"type":"get_state"}` + "\n", []string{"parse!", "get_state"}},
		"text that is no UTF-8":      {"{\"id\":\"\xff\xfe\",\"type\":\"prompt\",\"message\":\"a\xffb\xc3\"}\n{\"type\":\"\xff\"}\n\xff\xfe\n", []string{"prompt", "\ufffd!", "parse!"}},
		"half characters":            {`{"id":"\ud83d","type":"get_state"}` + "\n", []string{"get_state"}},
		"stray values":               {"null\n42\n-0\n\"x\"\n[]\ntrue\n{}\n[null]\n", []string{"parse!", "parse!", "parse!", "parse!", "parse!", "parse!", "parse!", "parse!"}},
		"CRLF":                       {"{\"type\":\"get_state\"}\r\n\r\n{\"type\":\"get_state\"}\r\n", []string{"get_state", "parse!", "get_state"}},
		"zero bytes":                 {"\x00\n{\"type\":\"get_state\"}\x00\n{\"type\":\"get_state\"}\n", []string{"parse!", "parse!", "get_state"}},
		"answers to nothing": {`{"type":"extension_ui_response","id":"nobody","value":"x"}` + "\n" + `{"type":"extension_ui_response"}` + "\n" +
			`{"type":"extension_ui_response","id":[7],"confirmed":"yes"}` + "\n" + `{"type":"get_state"}` + "\n", []string{"get_state"}},
		"the end in a command":     {`{"type":"get_state"}` + "\n" + `{"type":"get_st`, []string{"get_state", "parse!"}},
		"the end behind a command": {`{"type":"get_state"}`, []string{"get_state"}},
		"the end in a run":         {`{"type":"prompt","message":"go"}` + "\n", []string{"prompt"}},
		"the end in a shell":       {`{"type":"bash","command":"read x; echo $x; cat"}` + "\n", []string{"bash"}},
		"nothing":                  {"", nil},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
			o := s.runWith(c.in, "--mode", "rpc", "--model", "mock/m")
			if o.code != 0 || o.err != "" {
				t.Errorf("exit %d, stderr %.2000s", o.code, o.err)
			}
			var got []string
			for _, r := range answers(t, o.out) {
				name, _ := r["command"].(string)
				if r["success"] != true {
					name += "!"
				}
				got = append(got, name)
			}
			if a, b := strings.Join(got, " "), strings.Join(c.answers, " "); a != b {
				t.Errorf("answers to %.200s, want %.200s", a, b)
			}
		})
	}
}

// A client that floods us with commands and reads nothing is kept waiting, instead of
// filling our memory; when it reads, everything is answered in order.
func TestRPCFlood(t *testing.T) {
	const commands = 100_000
	s := newSandbox(t)
	cmd := s.command(t.Context(), "--mode", "rpc", "--model", "mock/m")
	ours, theirs, err := os.Pipe() // what it reads
	if err != nil {
		t.Fatal(err)
	}
	out, printed, err := os.Pipe() // what it writes
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ours, printed, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	flooded := make(chan error, 1)
	go func() {
		for i := range commands {
			if _, err := fmt.Fprintf(theirs, `{"id":%d,"type":"get_state"}`+"\n", i); err != nil {
				flooded <- err
				return
			}
			sent.Add(1)
		}
		flooded <- theirs.Close()
	}()
	waitForFullPipe(t, printed)
	for still, before := 0, int64(-1); still < 20 && before < commands; still++ { // until nothing more is taken
		if n := sent.Load(); n != before {
			before, still = n, 0
		}
		time.Sleep(5 * time.Millisecond) // nobody tells what is not taken
	}
	if n := sent.Load(); n > commands/4 {
		t.Errorf("%d commands were taken from a client that reads nothing", n)
	}
	if err := printed.Close(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		if want := fmt.Sprintf(`{"id":%d,"type":"response","command":"get_state","success":true`, n); !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("line %d is %.200s", n, lines.Text())
		}
	}
	if err := errors.Join(lines.Err(), <-flooded, cmd.Wait()); err != nil || n != commands || errs.Len() > 0 {
		t.Errorf("%d answers, %v\n%s", n, err, errs.String())
	}
	_ = out.Close()
}

// The input may end while a run is held up; what was asked is finished first.
func TestRPCInputEndsInARun(t *testing.T) {
	s := newSandbox(t)
	release := make(chan struct{})
	s.llm.Queue(mockllm.Say("the ", "answer").Via(mockllm.Hanging(release)))
	cmd := s.command(t.Context(), "--mode", "rpc", "--model", "mock/m")
	cmd.Stdin = strings.NewReader(`{"type":"prompt","message":"go"}` + "\n")
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(`"role":"user"`)(out)
	close(release) // the input has ended long ago, or does so now
	rest := must(io.ReadAll(out))(t)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), `"type":"agent_settled","aborted":false`) {
		t.Errorf("%v, %s", err, rest)
	}
	if got := s.roles(); got != "system user assistant:stop" {
		t.Errorf("stored %s", got)
	}
}
