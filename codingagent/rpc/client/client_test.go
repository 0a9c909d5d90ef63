package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/rpc/client"
)

// agent is the other end: it gives the commands it gets and writes lines.
type agent struct {
	in  *bufio.Reader
	out *io.PipeWriter
}

func connect(t *testing.T, o client.Options) (*client.Client, *agent) {
	t.Helper()
	in, commands := io.Pipe()
	lines, out := io.Pipe()
	c := client.New(commands, lines, o)
	t.Cleanup(func() { _ = out.Close(); _ = in.Close(); _ = c.Close() })
	return c, &agent{bufio.NewReader(in), out}
}

func (a *agent) hear(t *testing.T) string {
	line, err := a.in.ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(line)
}

func (a *agent) say(t *testing.T, lines ...string) {
	if _, err := io.WriteString(a.out, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Error(err)
	}
}

// Responses find their commands in whatever order they come, and events come
// between them.
func TestResponsesOutOfOrder(t *testing.T) {
	c, a := connect(t, client.Options{})
	events := make(chan string, 1)
	c.Subscribe(func(ev client.Event) { events <- ev.Type })
	type result struct {
		text string
		err  error
	}
	first, second := make(chan result, 1), make(chan result, 1)
	go func() {
		text, err := c.LastText(context.Background())
		first <- result{text, err}
	}()
	if got := a.hear(t); got != `{"id":"c1","type":"get_last_assistant_text"}` {
		t.Errorf("sent %s", got)
	}
	go func() { second <- result{"", c.SetSessionName(context.Background(), "a<b>")} }()
	if got := a.hear(t); got != `{"id":"c2","type":"set_session_name","name":"a<b>"}` {
		t.Errorf("sent %s", got)
	}
	a.say(t, `{"id":"c2","type":"response","command":"set_session_name","success":false,"error":"no"}`, "", `{"type":"agent_start"}`,
		`{"id":"zz","type":"response","command":"x","success":true}`, `{"id":"c1","type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"hi"}}`)
	var refused *client.Error
	if r := <-second; !errors.As(r.err, &refused) || refused.Message != "no" {
		t.Errorf("the second ends with %v", r.err)
	}
	if ev := <-events; ev != "agent_start" {
		t.Errorf("event %s", ev)
	}
	if r := <-first; r.err != nil || r.text != "hi" {
		t.Errorf("the first ends with %+v", r)
	}
}

// When the agent goes, or writes what is no JSON, whoever waits is told.
func TestTheAgentGoes(t *testing.T) {
	for what, end := range map[string]func(a *agent){
		"end":     func(a *agent) { _ = a.out.Close() },
		"garbage": func(a *agent) { a.say(t, "Segmentation fault") },
	} {
		t.Run(what, func(t *testing.T) {
			c, a := connect(t, client.Options{})
			done := make(chan error, 1)
			go func() { done <- c.Abort(context.Background()) }()
			a.hear(t)
			end(a)
			err := <-done
			if !errors.Is(err, client.ErrClosed) || what == "garbage" && !strings.Contains(err.Error(), "Segmentation fault") {
				t.Errorf("ends with %v", err)
			}
			if err := c.Abort(t.Context()); !errors.Is(err, client.ErrClosed) {
				t.Errorf("a further command: %v", err)
			}
		})
	}
}

func TestDialogs(t *testing.T) {
	c, a := connect(t, client.Options{Ask: func(_ context.Context, d client.Dialog) client.Reply {
		switch d.Method {
		case "select":
			return client.Reply{Value: d.Options[1], Answered: true}
		case "confirm":
			return client.Reply{Confirmed: d.Message == "sure?", Answered: true}
		}
		return client.Reply{}
	}})
	defer c.Subscribe(func(client.Event) {})()
	for ask, want := range map[string]string{
		`"method":"select","title":"t","options":["a","b"]`: `{"id":"1","type":"extension_ui_response","value":"b"}`,
		`"method":"confirm","title":"t","message":"sure?"`:  `{"confirmed":true,"id":"1","type":"extension_ui_response"}`,
		`"method":"input","title":"t","timeout":5`:          `{"cancelled":true,"id":"1","type":"extension_ui_response"}`,
	} {
		a.say(t, `{"type":"extension_ui_request","id":"1",`+ask+`}`)
		if got := a.hear(t); got != want {
			t.Errorf("%s is answered %s, want %s", ask, got, want)
		}
	}
}

func Example() {
	ctx := context.Background()
	c, err := client.Start(ctx, client.Process{Args: []string{"--model", "demo/guide"}, Dir: "."})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	c.Subscribe(func(ev client.Event) { fmt.Print(ev.Text()) })
	if _, err := c.Ask(ctx, "list the files here", client.PromptOptions{}); err != nil {
		log.Fatal(err)
	}
}
