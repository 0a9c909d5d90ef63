package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/server"
)

func TestListenOnLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := server.Listen(t.Context(), addr)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	for addr, want := range map[string]string{"0.0.0.0:0": "use 127.0.0.1", ":0": "use 127.0.0.1", "127.0.0.1:x": "listen on 127.0.0.1:x"} {
		if l, err := server.Listen(t.Context(), addr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v", addr, l, err)
		}
	}
}

// Serve ends with its context: what was received is saved, who listens is told.
func TestServeEndsInOrder(t *testing.T) {
	r := newRig(t, nil)
	h, err := server.New(server.Config{Open: r.template().Open})
	if err != nil {
		t.Fatal(err)
	}
	l, err := server.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, l) }()
	r.host, r.http.URL = h, "http://"+l.Addr().String()

	r.model.Queue(faux.Calls(faux.Text("half an answer"), faux.Hang()))
	path := r.open()
	events := r.events(path, "", "")
	r.prompt(path, "hi")
	for e := range eventsOf(events) {
		if e.Assistant.Delta == "r" {
			break
		}
	}
	stop()
	list := events.until("closed")
	if reason := list[len(list)-1].Reason; reason != "the server is being shut down" {
		t.Errorf("reason %q", reason)
	}
	if !strings.Contains(kinds(list), "agent_settled") {
		t.Errorf("the run did not settle: %s", kinds(list))
	}
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
	if _, err := http.Get(r.http.URL); err == nil {
		t.Error("it still listens")
	}
	files, err := filepath.Glob(filepath.Join(r.saved, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("session files %v %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(data), `half an answer`) || !strings.Contains(string(data), `"stopReason":"aborted"`) {
		t.Errorf("the file has %s", data)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// eventsOf lists events until the stream ends.
func eventsOf(s *stream) func(func(event) bool) {
	return func(yield func(event) bool) {
		for {
			e, ok := s.next()
			if !ok || !yield(e) {
				return
			}
		}
	}
}

// What comes while a server is closed is refused; sessions that come about just
// then are closed too.
func TestOpenWhileClosing(t *testing.T) {
	r := newRig(t, nil)
	for range 20 {
		h, err := server.New(server.Config{Open: r.template().Open})
		if err != nil {
			t.Fatal(err)
		}
		r.host, r.http.Config.Handler = h, h
		answers := make(chan int, 4)
		for range cap(answers) {
			go func() {
				status, _ := r.do("POST", "/v1/sessions", fmt.Sprintf(`{"dir":%q}`, r.dir))
				answers <- status
			}()
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for range cap(answers) {
			if status := <-answers; status != 201 && status != 503 {
				t.Errorf("status %d", status)
			}
		}
		var list struct{ Sessions []server.Info }
		r.must(200, "GET", "/v1/sessions", "", &list)
		if len(list.Sessions) != 0 {
			t.Errorf("%d sessions are left", len(list.Sessions))
		}
	}
}

// Bodies of requests never crash the server nor get an answer that is no JSON.
func FuzzRequests(f *testing.F) {
	f.Add("prompt", `{"message":"hi","images":[{"data":"AA==","mimeType":"image/png"}],"streamingBehavior":"steer"}`)
	f.Add("", `{"dir":"/","model":"faux-1","thinkingLevel":"high","name":"n","session":"s","inMemory":true,"tools":["read"]}`)
	f.Add("prompt", "\xff\xfe{}")
	f.Add("", `{"dir":"/\ud800"}`)
	f.Fuzz(func(t *testing.T, at, body string) {
		r := newRig(t, func(c *server.Config) { c.MaxBody = 1000 })
		r.model.Respond(func(faux.Request) faux.Response { return faux.Say("x") })
		path := "/v1/sessions"
		if at != "" {
			path = r.open() + "/prompt"
		}
		q := r.request(t.Context(), "POST", path, body)
		q.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		data, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch a.StatusCode {
		case 201, 202, 400, 404, 409, 413:
		default:
			t.Errorf("status %d for %q", a.StatusCode, body)
		}
		if !json.Valid(data) {
			t.Errorf("the answer to %q is %q", body, data)
		}
	})
}
