package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/server"
)

func TestEventsOfAPrompt(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("hello"))
	path := r.open()
	a := r.prompt(path, "hi")
	if a.Disposition != "started" {
		t.Errorf("disposition %s", a.Disposition)
	}
	list := r.events(path, "?after="+a.After, "").until("agent_settled")
	text := ""
	for _, e := range list {
		text += e.Assistant.Delta
	}
	if text != "hello" {
		t.Errorf("the deltas give %q", text)
	}
	if got := kinds(list[:8]); got != "agent_start turn_start message_start message_end message_start message_end message_start message_update" {
		t.Errorf("it begins with %s", got)
	}
}

// A client reads ten events, drops, and comes back.
func TestAClientThatComesBackGetsWhatItMissed(t *testing.T) {
	r := newRig(t, nil)
	release := make(chan struct{})
	r.model.Queue(faux.Calls(faux.Text("0123456789"), faux.Wait(release), faux.Text("abcdefghij")))
	path := r.open()
	after := r.prompt(path, "hi").After

	first := r.events(path, "?after="+after, "")
	var seen []event
	for range 10 {
		e, ok := first.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		seen = append(seen, e)
	}
	first.close()
	close(release) // the run goes on with nobody there
	all := r.events(path, "?after="+after, "").until("agent_settled")
	if len(all) < 30 {
		t.Fatalf("only %d events", len(all))
	}
	seen = append(seen, r.events(path, "", seen[9].id).until("agent_settled")...)
	if len(seen) != len(all) {
		t.Fatalf("it got %d events of %d", len(seen), len(all))
	}
	for i := range all {
		if seen[i].id != all[i].id || seen[i].data != all[i].data {
			t.Errorf("event %d is %s %s, want %s %s", i+1, seen[i].id, seen[i].data, all[i].id, all[i].data)
		}
	}
	// The header is newer than the address, which a client keeps.
	e, ok := r.events(path, "?after="+after, all[len(all)-2].id).next()
	if !ok || e.id != all[len(all)-1].id {
		t.Errorf("header and parameter gave %s", e.id)
	}
}

func TestAnIDLongGoneGivesOneResync(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.ReplayBytes = 4000 })
	release := make(chan struct{})
	r.model.Queue(faux.Say(strings.Repeat("x", 100)), faux.Calls(faux.Wait(release), faux.Text("second")))
	path := r.open()
	after := r.prompt(path, "first").After
	watch := r.events(path, "", "")
	for settled := false; !settled; { // a client that is late may only hear of it by a resync
		e, ok := watch.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		settled = e.Type == "agent_settled" || e.Type == "resync" && !e.State.Busy && len(e.State.Messages) == 3
	}
	var streams []*stream
	var ids []string
	for name, id := range map[string]string{"gone": after, "start": "", "unknown": "10", "unknown ": "0123456789ab.3", "unknown  ": "\"'<>.1"} {
		s := r.events(path, "", id)
		e := s.want("resync")
		if e.Reason != strings.TrimSpace(name) {
			t.Errorf("id %q: reason %s", id, e.Reason)
		}
		if len(e.State.Messages) != 3 || e.State.Busy || e.State.Streaming != nil || e.id != e.State.LastEvent {
			t.Errorf("id %q: %s", id, e.data)
		}
		streams, ids = append(streams, s), append(ids, e.id)
	}
	r.prompt(path, "second")
	for i, s := range streams {
		if next := s.want("agent_start"); next.id == ids[i] {
			t.Error("two events have one id")
		}
	}
	close(release) // not before: who is late would get a resync
}

// The state of a resync fits the events that follow it, whenever it is taken.
func TestResyncAndEventsFitTogether(t *testing.T) {
	r := newRig(t, nil)
	const words = 400
	r.model.Respond(func(q faux.Request) faux.Response {
		if q.N%3 != 0 {
			return faux.Calls(faux.Thinking("hm", ""), faux.Text(strings.Repeat("w", words)), faux.Call("read", map[string]any{"path": "."}))
		}
		return faux.Say(strings.Repeat("z", words))
	})
	path := r.open()
	watch := r.events(path, "", "")
	var clients sync.WaitGroup
	for range 6 {
		clients.Go(func() {
			for range 5 {
				s := r.events(path, "", "")
				follow(t, s)
				s.close()
			}
		})
	}
	for range 12 {
		r.prompt(path, "go")
		watch.until("agent_settled")
	}
	clients.Wait()
}

// follow reads a resync and then a random number of events, or until a run has
// ended, and checks that they give the messages that the events say.
func follow(t *testing.T, s *stream) {
	e, ok := s.next()
	if !ok || e.Type != "resync" {
		t.Errorf("the stream begins with %q", e.Type)
		return
	}
	text, streaming := "", e.State.Streaming != nil
	if streaming {
		var m message
		if err := json.Unmarshal(e.State.Streaming, &m); err != nil {
			t.Error(err)
			return
		}
		text = m.text()
	}
	for range 1 + rand.IntN(600) {
		e, ok := s.next()
		if !ok {
			t.Error("the stream ended")
			return
		}
		switch {
		case e.Type == "message_start" && e.Message.Role == "assistant":
			if streaming {
				t.Error("an answer began in an answer")
			}
			text, streaming = "", true
		case e.Assistant.Type == "text_delta":
			if !streaming {
				t.Error("a delta came outside an answer")
			}
			text += e.Assistant.Delta
		case e.Type == "message_end" && e.Message.Role == "assistant":
			if want := e.Message.text(); text != want {
				t.Errorf("the events give %d characters, the message has %d", len(text), len(want))
			}
			streaming = false
		case e.Type == "agent_settled":
			return
		}
	}
}

// The run does not wait for a client that reads nothing.
func TestARunDoesNotWaitForAClient(t *testing.T) {
	r := newRig(t, nil)
	path := r.open()
	// A prompt makes three events with this text: less than what is kept, so
	// that who reads gets all, and all prompts together much more than that
	// and the buffers of a connection.
	long := strings.Repeat("a long prompt ", 1<<16)
	c, err := net.Dial("tcp", r.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, r.host.Token())
	lines := bufio.NewReader(c)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"resync"`) {
			break
		}
	}
	watch := r.events(path, "", "")
	for range 12 {
		r.model.Queue(faux.Say("ok"))
		r.prompt(path, long)
		watch.until("agent_settled")
	}
	// It reads again, while the session is there to tell its state: a gap.
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the slow client was told of no gap: %v", err)
		}
		if strings.Contains(line, `"type":"resync","reason":"gone"`) {
			return
		}
	}
}

// slowClient takes what it gets when it is let, beginning with the second event.
type slowClient struct {
	*httptest.ResponseRecorder
	behind chan struct{} // closed when it has something that it does not take
	goOn   chan struct{}
	got    int
}

// Write is for the server.
func (c *slowClient) Write(b []byte) (int, error) {
	if c.got++; c.got == 2 {
		close(c.behind)
		<-c.goOn
	}
	return c.ResponseRecorder.Write(b)
}

// A client that is behind when its session is closed, and has closed its side of the
// connection, gets to know both: that it missed something, and that nothing will come.
func TestASlowClientOfAClosedSession(t *testing.T) {
	for range 20 { // what was wrong was so by chance
		r := newRig(t, func(c *server.Config) { c.ReplayBytes = 256 << 10 })
		path := r.open()
		c := &slowClient{ResponseRecorder: httptest.NewRecorder(), behind: make(chan struct{}), goOn: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.host.ServeHTTP(c, r.request(ctx, "GET", path+"/events", ""))
		}()
		watch := r.events(path, "", "")
		say := func() {
			r.model.Queue(faux.Say("ok"))
			r.prompt(path, strings.Repeat("a long prompt ", 1<<11))
			watch.until("agent_settled")
		}
		say()
		<-c.behind
		for range 4 { // each makes a part of what is kept, all make more
			say()
		}
		r.must(204, "DELETE", path, "", nil)
		watch.until("closed")
		cancel()
		close(c.goOn)
		<-ended
		got := c.Body.String()
		if gap, end := strings.Index(got, `"type":"resync","reason":"gone"`), strings.LastIndex(got, `"type":"closed"`); gap < 0 || end < gap {
			t.Fatalf("in %d bytes the gap is at %d, the end at %d", len(got), gap, end)
		}
	}
}

func TestEventsWithoutGet(t *testing.T) {
	r := newRig(t, nil)
	path := r.open()
	if status, body := r.do("HEAD", path+"/events", ""); status != 200 || body != "" {
		t.Errorf("HEAD gave %d %q", status, body)
	}
	for _, beat := range []string{"0", "-1", "3601", "x", "1e9", "99999999999999999999"} {
		if status, body := r.do("GET", path+"/events?heartbeat="+beat, ""); status != 400 || !strings.Contains(body, "a number of seconds from 1 to 3600") {
			t.Errorf("heartbeat=%s gave %d %s", beat, status, body)
		}
	}
}

// Arguments may be written over several lines; events are one line each.
func TestArgumentsOfSeveralLines(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Calls(faux.Call("read", "{\r\n\t\"path\":\r \"x\"\n}")), faux.Say("done"))
	path := r.open()
	list := r.events(path, "?after="+r.prompt(path, "hi").After, "").until("agent_settled")
	for _, e := range list {
		if e.Type == "tool_execution_start" && strings.Contains(e.data, `"args":{"path":"x"}`) {
			return
		}
	}
	t.Errorf("no event has the arguments: %s", kinds(list))
}
