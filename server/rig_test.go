package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/server"
)

// rig is a server with a scripted model and a client that knows the token.
type rig struct {
	t     *testing.T
	host  *server.Server
	http  *httptest.Server
	model *faux.Provider
	dir   string // to work in
	saved string // where sessions are kept
}

func newRig(t *testing.T, change func(*server.Config)) *rig {
	t.Helper()
	r := &rig{t: t, model: faux.New(faux.Config{Chunk: 1}), dir: t.TempDir(), saved: t.TempDir()}
	c := server.Config{Open: r.template().Open}
	if change != nil {
		change(&c)
	}
	var err error
	if r.host, err = server.New(c); err != nil {
		t.Fatal(err)
	}
	r.http = httptest.NewServer(r.host)
	t.Cleanup(func() {
		if err := r.host.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.http.Close()
	})
	return r
}

func (r *rig) template() server.Template {
	return server.Template{
		Options: codingagent.Options{Models: ai.NewModels(r.model), Model: r.model.Model(), Environ: os.Environ()},
		Repo:    func(string) session.Repo { return session.NewDir(r.saved) },
	}
}

// request makes a request that shows the token.
func (r *rig) request(ctx context.Context, method, path, body string) *http.Request {
	r.t.Helper()
	q, err := http.NewRequestWithContext(ctx, method, r.http.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.host.Token())
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	return q
}

// do sends a request and gives status and body of the answer.
func (r *rig) do(method, path, body string) (int, string) {
	r.t.Helper()
	return r.send(r.request(r.t.Context(), method, path, body))
}

func (r *rig) send(q *http.Request) (int, string) {
	r.t.Helper()
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return a.StatusCode, string(data)
}

// must sends a request that is to be answered with the status, and decodes the
// answer into out, unless that is nil.
func (r *rig) must(status int, method, path, body string, out any) {
	r.t.Helper()
	got, text := r.do(method, path, body)
	if got != status {
		r.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(text), out); err != nil {
			r.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
}

// open opens a session in the rig's directory and gives its path.
func (r *rig) open() string {
	r.t.Helper()
	var i server.Info
	r.must(201, "POST", "/v1/sessions", fmt.Sprintf(`{"dir":%q}`, r.dir), &i)
	return "/v1/sessions/" + i.ID
}

func (r *rig) prompt(path, message string) server.PromptAnswer {
	r.t.Helper()
	var a server.PromptAnswer
	r.must(202, "POST", path+"/prompt", fmt.Sprintf(`{"message":%q}`, message), &a)
	return a
}

// event is one event of a stream.
type event struct {
	id   string
	data string
	parsed
}

type parsed struct {
	Type      string
	Reason    string
	Error     string
	Aborted   bool
	Steering  []string
	FollowUp  []string
	State     *server.State
	Message   *message
	Assistant struct{ Type, Delta string } `json:"assistantMessageEvent"`
}

type message struct {
	Role       string
	StopReason string
	Content    json.RawMessage
}

// text joins the text blocks.
func (m *message) text() string {
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(m.Content, &blocks) != nil {
		return ""
	}
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(x.Text)
	}
	return b.String()
}

// stream reads the events of a session.
type stream struct {
	t      *testing.T
	answer *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
}

// events opens a stream: query begins with "?", lastID may be empty.
func (r *rig) events(path, query, lastID string) *stream {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	q := r.request(ctx, "GET", path+"/events"+query, "")
	if lastID != "" {
		q.Header.Set("Last-Event-ID", lastID)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	s := &stream{t: r.t, answer: a, lines: bufio.NewReader(a.Body), cancel: cancel}
	r.t.Cleanup(s.close)
	if kind := a.Header.Get("Content-Type"); a.StatusCode != 200 || kind != "text/event-stream" {
		body, _ := io.ReadAll(a.Body)
		r.t.Fatalf("events: status %d, %s: %s", a.StatusCode, kind, body)
	}
	return s
}

// close leaves.
func (s *stream) close() {
	s.cancel()
	_ = s.answer.Body.Close()
}

// next reads one event; false means the end of the stream.
func (s *stream) next() (event, bool) {
	var e event
	for {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return e, false
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case len(line) == 0 && e.data != "":
			if err := json.Unmarshal([]byte(e.data), &e.parsed); err != nil {
				s.t.Errorf("event %s is no JSON: %v: %s", e.id, err, e.data)
			}
			return e, true
		case bytes.HasPrefix(line, []byte("id: ")):
			e.id = string(line[4:])
		case bytes.HasPrefix(line, []byte("data: ")):
			e.data += string(line[6:])
		case len(line) > 0 && line[0] != ':':
			s.t.Errorf("the stream has a line %q", line)
		}
	}
}

// want reads one event, which has to come and be of this type.
func (s *stream) want(kind string) event {
	s.t.Helper()
	e, ok := s.next()
	if !ok || e.Type != kind {
		s.t.Fatalf("got %q (%s), want %s", e.Type, e.data, kind)
	}
	return e
}

// until reads events up to one of this type, that one included.
func (s *stream) until(kind string) []event {
	s.t.Helper()
	var list []event
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before %s; it had %s", kind, kinds(list))
		}
		list = append(list, e)
		if e.Type == kind {
			return list
		}
	}
}

func kinds(list []event) string {
	var names []string
	for _, e := range list {
		names = append(names, e.Type)
	}
	return strings.Join(names, " ")
}
