package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/server"
)

func TestASessionFromOpenToClose(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("hello"))
	var i server.Info
	r.must(201, "POST", "/v1/sessions", fmt.Sprintf(`{"dir":%q,"name":"my work","thinkingLevel":"high","model":"faux-1"}`, r.dir), &i)
	if i.Dir != r.dir || i.Name != "my work" || i.Model != "faux/faux-1" || i.ThinkingLevel != ai.ThinkingHigh || i.Busy || i.File == "" {
		t.Errorf("opened %+v", i)
	}
	path := "/v1/sessions/" + i.ID
	events := r.events(path, "", "")
	r.prompt(path, "hi")
	events.until("agent_settled")
	var s server.State
	r.must(200, "GET", path, "", &s)
	if len(s.Messages) != 3 || !strings.Contains(string(s.Messages[2]), `"hello"`) || s.Busy {
		t.Errorf("state %+v with %d messages", s.Info, len(s.Messages))
	}
	var list struct{ Sessions []server.Info }
	r.must(200, "GET", "/v1/sessions", "", &list)
	if len(list.Sessions) != 1 || list.Sessions[0].ID != i.ID || list.Sessions[0].LastEvent != s.LastEvent {
		t.Errorf("list %+v", list)
	}
	r.must(204, "DELETE", path, "", nil)
	if e := events.until("closed"); e[len(e)-1].Reason != "a client closed the session" {
		t.Errorf("the last event is %s", e[len(e)-1].data)
	}
	if _, more := events.next(); more {
		t.Error("something came behind the last event")
	}
	for _, q := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"POST", "/prompt"}, {"POST", "/abort"}, {"GET", "/events"}} {
		if status, body := r.do(q[0], path+q[1], ""); status != 404 || !strings.Contains(body, `"not_found"`) {
			t.Errorf("%s %s afterwards: %d %s", q[0], q[1], status, body)
		}
	}
}

func TestASavedSessionGoesOn(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	path := r.open()
	id := strings.TrimPrefix(path, "/v1/sessions/")
	again := fmt.Sprintf(`{"dir":%q,"session":%q}`, r.dir, id)
	events := r.events(path, "", "")
	r.prompt(path, "first")
	events.until("agent_settled")
	// It is being written, by us: the same server knows it, another is told.
	if status, body := r.do("POST", "/v1/sessions", again); status != 409 || !strings.Contains(body, `"locked"`) {
		t.Errorf("opened twice: %d %s", status, body)
	}
	r.must(204, "DELETE", path, "", nil)
	var i server.Info
	r.must(201, "POST", "/v1/sessions", again, &i)
	if i.ID != id || i.Model != "faux/faux-1" {
		t.Errorf("opened %+v", i)
	}
	// Ids of the first time mean nothing now.
	old := events.until("closed")
	second := r.events(path, "", old[0].id)
	if e := second.want("resync"); e.Reason != "unknown" || len(e.State.Messages) != 3 {
		t.Errorf("got %s", e.data)
	}
	r.prompt(path, "second")
	second.until("agent_settled")
	if n := len(r.model.Requests()[1].Call.Messages); n < 4 {
		t.Errorf("the model got %d messages", n)
	}
}

func TestMessagesWhileTheAgentWorks(t *testing.T) {
	r := newRig(t, nil)
	release := make(chan struct{})
	r.model.Queue(faux.Calls(faux.Text("x"), faux.Wait(release)), faux.Say("steered"), faux.Say("followed"))
	path := r.open()
	events := r.events(path, "", "")
	r.prompt(path, "first")
	events.until("message_update")
	if status, body := r.do("POST", path+"/prompt", `{"message":"no"}`); status != 409 || !strings.Contains(body, "streamingBehavior") {
		t.Errorf("got %d %s", status, body)
	}
	for how, text := range map[string]string{"steer": "left", "followUp": "then stop"} {
		var a server.PromptAnswer
		r.must(202, "POST", path+"/prompt", fmt.Sprintf(`{"message":%q,"streamingBehavior":%q}`, text, how), &a)
		if a.Disposition != "queued" {
			t.Errorf("%s gave %s", how, a.Disposition)
		}
	}
	var s server.State
	r.must(200, "GET", path, "", &s)
	if !s.Busy || !slices.Equal(s.Steering, []string{"left"}) || !slices.Equal(s.FollowUp, []string{"then stop"}) || !strings.Contains(string(s.Streaming), `"x"`) {
		t.Errorf("state %+v, queues %q %q, streaming %s", s.Info, s.Steering, s.FollowUp, s.Streaming)
	}
	close(release)
	events.until("agent_settled")
	r.must(200, "GET", path, "", &s)
	var said []string
	for _, m := range s.Messages {
		var u message
		if err := json.Unmarshal(m, &u); err != nil {
			t.Fatal(err)
		}
		if u.Role == "user" {
			said = append(said, u.text())
		}
	}
	if !slices.Equal(said, []string{"first", "left", "then stop"}) || len(s.Steering)+len(s.FollowUp) > 0 {
		t.Errorf("said %q, queues %q %q", said, s.Steering, s.FollowUp)
	}
}

func TestAbort(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Calls(faux.Text("half"), faux.Hang()))
	path := r.open()
	events := r.events(path, "", "")
	r.prompt(path, "hi")
	events.until("message_update")
	var i server.Info
	r.must(200, "POST", path+"/abort", "", &i)
	if i.Busy {
		t.Error("it is busy after the abort")
	}
	list := events.until("agent_settled")
	if !list[len(list)-1].Aborted {
		t.Errorf("settled with %s", list[len(list)-1].data)
	}
	r.must(200, "POST", path+"/abort", "", &i) // nothing to stop is fine
}

// The agent works on while the client that asked is gone.
func TestAPromptOutlivesItsRequest(t *testing.T) {
	r := newRig(t, nil)
	release := make(chan struct{})
	r.model.Queue(faux.Calls(faux.Wait(release), faux.Text("done")))
	path := r.open()
	r.prompt(path, "hi")
	r.http.CloseClientConnections()
	close(release)
	r.events(path, "", "").until("agent_settled")
}

func TestImages(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("a dot"))
	path := r.open()
	events := r.events(path, "", "")
	r.must(202, "POST", path+"/prompt", `{"message":"","images":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}`, nil)
	events.until("agent_settled")
	messages := r.model.Requests()[0].Call.Messages
	user, ok := messages[len(messages)-1].(*ai.UserMessage)
	if !ok || len(user.Content) == 0 {
		t.Fatalf("the model got %T", messages[len(messages)-1])
	}
	if img, ok := user.Content[len(user.Content)-1].(*ai.Image); !ok || img.MIMEType != "image/png" {
		t.Errorf("the model got %v", user.Content)
	}
}

func TestBadRequests(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.MaxBody = 2000 })
	path := r.open()
	prompt, open := path+"/prompt", "/v1/sessions"
	file := filepath.Join(r.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", prompt, `{`, 400, "ends in the middle"},
		{"POST", prompt, `{"message":"x"`, 400, "ends in the middle"},
		{"POST", prompt, ` `, 400, "the body is empty"},
		{"POST", prompt, `null`, 400, "the message is empty"},
		{"POST", prompt, `"x"`, 400, "JSON string; send an object"},
		{"POST", prompt, `[1]`, 400, "JSON array; send an object"},
		{"POST", prompt, `{"message":1}`, 400, "message: want string, got number"},
		{"POST", prompt, `{"message":"x","images":{}}`, 400, "images: want array, got object"},
		{"POST", prompt, `{"mesage":"x"}`, 400, `unknown field \"mesage\"`},
		{"POST", prompt, `{"message":"x"} {}`, 400, "something behind its JSON object"},
		{"POST", prompt, `{"message":"x"}]`, 400, "something behind its JSON object"},
		{"POST", prompt, `{"message":" \n"}`, 400, "the message is empty"},
		{"POST", prompt, `{}`, 400, "the message is empty"},
		{"POST", prompt, `{"message":"x","streamingBehavior":"sideways"}`, 400, "sideways"},
		{"POST", prompt, `{"message":"x","images":[{"data":"AA==","mimeType":""}]}`, 400, "images[0]: mimeType is missing"},
		{"POST", prompt, `{"message":"x","images":[{"data":"*","mimeType":"image/png"}]}`, 400, "images[0]: data is no base64"},
		{"POST", prompt, `{"message":"x","images":[{"data":"","mimeType":"image/png"}]}`, 400, "images[0]: data is no base64"},
		{"POST", prompt, `{"message":"x","images":[{"type":"movie","data":"AA==","mimeType":"image/png"}]}`, 400, "movie"},
		{"POST", prompt, strings.Repeat("[", 1900), 400, "ends in the middle"},
		{"POST", prompt, `{"message":"` + strings.Repeat("x", 3000) + `"}`, 413, "larger than 2000 bytes"},
		{"POST", prompt, `{"message":"x"}` + strings.Repeat(" ", 3000), 413, "larger than 2000 bytes"},
		{"POST", open, `{}`, 400, "dir is missing"},
		{"POST", open, `{"dir":"relative"}`, 400, "absolute"},
		{"POST", open, `{"dir":"/x\u0000y"}`, 400, "absolute"},
		{"POST", open, fmt.Sprintf(`{"dir":%q}`, filepath.Join(r.dir, "missing")), 400, "missing"},
		{"POST", open, fmt.Sprintf(`{"dir":%q}`, file), 400, "is no directory"},
		{"POST", open, fmt.Sprintf(`{"dir":%q,"model":"faux-2"}`, r.dir), 400, "did you mean faux-1?"},
		{"POST", open, fmt.Sprintf(`{"dir":%q,"thinkingLevel":"deep"}`, r.dir), 400, "deep"},
		{"POST", open, fmt.Sprintf(`{"dir":%q,"tools":["read","+ls"]}`, r.dir), 400, "do not mix"},
		{"POST", open, fmt.Sprintf(`{"dir":%q,"session":"../../etc/passwd"}`, r.dir), 400, "an id, not a path"},
		{"POST", open, fmt.Sprintf(`{"dir":%q,"session":"x","inMemory":true}`, r.dir), 400, "do not go together"},
		{"POST", open, fmt.Sprintf(`{"dir":%q,"session":"0123"}`, r.dir), 404, "not found"},
		{"GET", "/v1/sessions/nope", "", 404, `no session \"nope\"`},
		{"GET", "/v1/sessions/" + strings.Repeat("x", 5000), "", 404, "no session"},
		{"GET", "/", "", 404, "/v1/sessions"},
		{"GET", "/v2/sessions", "", 404, "/v1/sessions"},
		{"PUT", open, "", 405, "takes GET, POST, not PUT"},
		{"GET", prompt, "", 405, "takes POST, not GET"},
		{"OPTIONS", path, "", 405, "takes GET, DELETE, not OPTIONS"},
	} {
		status, body := r.do(tt.method, tt.path, tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %.60s %.60s: got %d %s, want %d with %q", tt.method, tt.path, tt.body, status, body, tt.status, tt.want)
		}
		var e struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Code == "" || e.Error.Message == "" {
			t.Errorf("%s %.60s %.60s: the answer is no error: %s", tt.method, tt.path, tt.body, body)
		}
	}
	q := r.request(t.Context(), "POST", prompt, `{"message":"x"}`)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", ";"} {
		q.Header.Set("Content-Type", kind)
		if status, body := r.send(q.Clone(t.Context())); status != 415 {
			t.Errorf("type %q: %d %s", kind, status, body)
		}
	}
	if n := len(r.model.Requests()); n != 0 {
		t.Errorf("the model got %d requests", n)
	}
}

func TestTooManySessions(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.MaxSessions = 2 })
	body := fmt.Sprintf(`{"dir":%q}`, r.dir)
	for range 5 { // what can not be opened takes no room
		r.must(400, "POST", "/v1/sessions", `{"dir":"no"}`, nil)
	}
	path := r.open()
	r.open()
	if status, text := r.do("POST", "/v1/sessions", body); status != 429 || !strings.Contains(text, "2 sessions are open") {
		t.Errorf("got %d %s", status, text)
	}
	r.must(204, "DELETE", path, "", nil)
	r.open()
}

// A model that fails is in the answer; a session that can not be written is an
// event, since the request was answered long ago.
func TestAPromptThatFails(t *testing.T) {
	broken := &brokenRepo{Repo: session.NewMemory()}
	r := newRig(t, nil)
	template := r.template()
	template.Repo = func(string) session.Repo { return broken }
	r2 := newRig(t, func(c *server.Config) { c.Open = template.Open })
	r.model.Queue(faux.Failure(ai.Errorf(ai.KindAuth, "the key is wrong")), faux.Say("never"))
	path := r2.open()
	events := r2.events(path, "", "")
	r2.prompt(path, "one")
	list := events.until("agent_settled")
	if !slices.ContainsFunc(list, func(e event) bool {
		return e.Type == "message_end" && e.Message.StopReason == "error" && strings.Contains(e.data, "the key is wrong")
	}) {
		t.Errorf("no answer says what failed: %s", kinds(list))
	}
	broken.full(true)
	r2.prompt(path, "two")
	if list := events.until("prompt_failed"); !strings.Contains(list[len(list)-1].Error, "the disk is full") {
		t.Errorf("got %s", list[len(list)-1].data)
	}
	broken.full(false)
	r2.prompt(path, "three")
	events.until("agent_settled")
}

// Requests of all kinds at once, to be watched by the race detector.
func TestManyClientsAtOnce(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.ReplayBytes = 20_000 })
	r.model.Respond(func(faux.Request) faux.Response { return faux.Say("some words of an answer") })
	path := r.open()
	var clients, asking sync.WaitGroup
	quiet := make(chan struct{}) // nobody asks any more, so that no more events come
	for i := range 4 {
		asking.Go(func() {
			for range 10 {
				r.do("POST", path+"/prompt", `{"message":"hi","streamingBehavior":"followUp"}`)
				r.do("GET", path, "")
				if i == 0 {
					r.do("POST", path+"/abort", "")
				}
			}
		})
		clients.Go(func() {
			for range 5 {
				s := r.events(path, "", "")
				left := make(chan struct{})
				go func() {
					select {
					case <-quiet:
						s.cancel()
					case <-left:
					}
				}()
				for range 50 {
					if e, ok := s.next(); !ok || e.Type == "agent_settled" {
						break
					}
				}
				close(left)
				s.close()
			}
		})
		clients.Go(func() {
			for range 3 {
				other := r.open()
				r.do("POST", other+"/prompt", `{"message":"hi"}`)
				r.do("GET", "/v1/sessions", "")
				r.must(204, "DELETE", other, "", nil)
			}
		})
	}
	asking.Wait()
	close(quiet)
	clients.Wait()
	var list struct{ Sessions []server.Info }
	r.must(200, "GET", "/v1/sessions", "", &list)
	if len(list.Sessions) != 1 {
		t.Errorf("%d sessions are left", len(list.Sessions))
	}
}
