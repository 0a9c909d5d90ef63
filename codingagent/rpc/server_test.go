package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/rpc"
)

// line is one line of the server, as far as the tests look.
type line struct {
	Type    string
	ID      any
	Command string
	Success bool
	Error   string
	Data    json.RawMessage
	Aborted bool
	Message said
	Event   struct{ Type string } `json:"assistantMessageEvent"`
	Steer   []string              `json:"steering"`
	Follow  []string              `json:"followUp"`
	Delta   string
	Reason  string
	raw     string
}

// said is the message of an event; that of a question is a text.
type said struct{ Role, StopReason string }

func (m *said) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return nil
	}
	type plain said
	return json.Unmarshal(data, (*plain)(m))
}

// short tells the lines apart in an expectation.
func (l line) short() string {
	switch l.Type {
	case "response":
		s := fmt.Sprintf("%v:%s", l.ID, l.Command)
		if !l.Success {
			s += " failed"
		}
		return s
	case "message_start", "message_end":
		s := l.Type + " " + l.Message.Role
		if l.Message.StopReason != "" {
			s += ":" + l.Message.StopReason
		}
		return s
	case "queue_update":
		return fmt.Sprintf("queue %v %v", l.Steer, l.Follow)
	case "agent_settled":
		return fmt.Sprintf("settled %v", l.Aborted)
	}
	return l.Type
}

// rig is a server with a scripted model, spoken to over pipes.
type rig struct {
	t     *testing.T
	model *faux.Provider
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
	saved map[string]any
}

func newRig(t *testing.T, change func(*codingagent.Options, *rpc.Server)) *rig {
	t.Helper()
	r := &rig{t: t, model: faux.New(faux.Config{}), dir: t.TempDir(), ended: make(chan error, 1), saved: map[string]any{}}
	repo := session.NewDir(t.TempDir())
	o := codingagent.Options{
		Dir: r.dir, Models: ai.NewModels(r.model), Model: r.model.Model(), Environ: os.Environ(), Session: codingagent.NewIn(repo),
	}
	s := &rpc.Server{Save: func(_ context.Context, key string, v any) error { r.saved[key] = v; return nil }}
	if change != nil {
		change(&o, s)
	}
	var err error
	if s.Runtime, err = codingagent.NewRuntime(t.Context(), o, repo); err != nil {
		t.Fatal(err)
	}
	commands, in := io.Pipe()
	out, events := io.Pipe()
	r.in, r.out = in, bufio.NewReader(out)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := s.Serve(ctx, commands, events)
		r.ended <- errors.Join(err, s.Runtime.Close(context.Background()), events.Close())
	}()
	t.Cleanup(func() { cancel(); _ = out.Close(); _ = in.Close() })
	return r
}

func (r *rig) send(commands ...string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, strings.Join(commands, "\n")+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) next() line {
	r.t.Helper()
	text, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("read: %v", err)
	}
	l := line{raw: strings.TrimSuffix(text, "\n")}
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		r.t.Fatalf("line %q: %v", text, err)
	}
	return l
}

// until reads lines up to one whose short form is as wanted, and gives all
// short forms but those of updates.
func (r *rig) until(want string) []string {
	r.t.Helper()
	var got []string
	for {
		l := r.next()
		if l.Type != "message_update" && l.Type != "bash_execution_update" && l.Type != "tool_execution_update" {
			got = append(got, l.short())
		}
		if l.short() == want {
			return got
		}
		if l.Type == "response" && !l.Success && strings.TrimSuffix(l.short(), " failed") == want {
			r.t.Fatalf("%s", l.raw)
		}
	}
}

// ask sends one command and gives its response, which must be next.
func (r *rig) ask(command string) line {
	r.t.Helper()
	r.send(command)
	l := r.next()
	if l.Type != "response" {
		r.t.Fatalf("%s is answered by %s", command, l.raw)
	}
	return l
}

func (r *rig) close() {
	r.t.Helper()
	if err := r.in.Close(); err != nil {
		r.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.out); err != nil {
		r.t.Fatal(err)
	}
	if err := <-r.ended; err != nil {
		r.t.Errorf("the server ended with %v", err)
	}
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", what, g, w)
	}
}

func TestOnePrompt(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("hello"))
	r.send(`{"id":"a","type":"prompt","message":"hi"}`)
	expect(t, "lines", r.until("settled false"),
		"a:prompt", "agent_start", "turn_start", "message_start system", "message_end system", "message_start user", "message_end user",
		"message_start assistant:pending", "message_end assistant:stop", "turn_end", "agent_end", "settled false")
	r.close()
}

// Two prompts sent back to back: the second is refused or queued, and no
// message is lost.
func TestRacingPrompts(t *testing.T) {
	r := newRig(t, nil)
	release := make(chan struct{})
	hold := faux.Response{Steps: []faux.Step{faux.Text("one"), faux.Do(func() { <-release })}}
	r.model.Queue(hold, faux.Say("two"))
	r.send(`{"id":1,"type":"prompt","message":"first"}`, `{"id":2,"type":"prompt","message":"second"}`,
		`{"id":3,"type":"prompt","message":"third","streamingBehavior":"followUp"}`, `{"id":4,"type":"get_state"}`)
	var responses []string
	for len(responses) < 4 {
		l := r.next()
		if l.Type == "response" {
			responses = append(responses, l.short())
		}
		if l.ID == 2.0 && !strings.Contains(l.Error, "streamingBehavior") {
			t.Errorf("the second prompt is answered %s", l.raw)
		}
		if l.ID == 4.0 && !strings.Contains(string(l.Data), `"isStreaming":true`) {
			t.Errorf("state %s", l.Data)
		}
	}
	expect(t, "responses", responses, "1:prompt", "2:prompt failed", "3:prompt", "4:get_state")
	close(release)
	r.until("settled false")
	var said []string
	for _, m := range r.model.Requests()[1].Call.Messages {
		if u, ok := m.(*ai.UserMessage); ok {
			said = append(said, ai.TextOf(u.Content, ""))
		}
	}
	expect(t, "the model heard", said, "first", "third")
	r.close()
}

func TestQueueUpdateComesBeforeTheAnswer(t *testing.T) {
	r := newRig(t, nil)
	release := make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Text("one"), faux.Do(func() { <-release })}}, faux.Say("two"), faux.Say("three"))
	r.send(`{"id":"p","type":"prompt","message":"go"}`)
	r.until("message_start assistant:pending")
	r.send(`{"id":"s","type":"steer","message":"left"}`)
	expect(t, "steer", r.until("s:steer"), "queue [left] []", "s:steer")
	r.send(`{"id":"f","type":"follow_up","message":"then"}`)
	expect(t, "follow up", r.until("f:follow_up"), "queue [left] [then]", "f:follow_up")
	r.send(`{"id":"q","type":"prompt","message":"right","streamingBehavior":"steer"}`)
	expect(t, "prompt", r.until("q:prompt"), "queue [left right] [then]", "q:prompt")
	r.send(`{"id":"c","type":"clear_queue"}`)
	expect(t, "clear", r.until("c:clear_queue"), "queue [] []", "c:clear_queue")
	r.send(`{"id":"s2","type":"steer","message":"left"}`)
	r.until("s2:steer")
	close(release)
	got := r.until("settled false")
	i := strings.Index(strings.Join(got, "|"), "turn_start|queue [] []|message_start user")
	if i < 0 {
		t.Errorf("the delivery is not told before the message: %v", got)
	}
	r.close()
}

func TestAbort(t *testing.T) {
	r := newRig(t, nil)
	r.send(`{"id":"idle","type":"abort"}`)
	expect(t, "an abort of nothing", r.until("idle:abort"), "idle:abort")
	begun := make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Text("half"), faux.Do(func() { close(begun) }), faux.Hang()}})
	r.send(`{"id":"p","type":"prompt","message":"go"}`)
	r.until("message_start assistant:pending")
	<-begun
	r.send(`{"id":"s","type":"steer","message":"later"}`)
	r.until("s:steer")
	r.send(`{"id":"a","type":"abort"}`)
	got := r.until("a:abort")
	expect(t, "the end", got[len(got)-5:], "message_end assistant:aborted", "turn_end", "agent_end", "settled true", "a:abort")
	if st := r.ask(`{"type":"get_state"}`); !strings.Contains(string(st.Data), `"pendingMessageCount":1`) || strings.Contains(string(st.Data), `"isStreaming":true`) {
		t.Errorf("state after the abort: %s", st.Data)
	}
	r.model.Queue(faux.Say("ok"))
	r.send(`{"id":"p2","type":"prompt","message":"again"}`)
	r.until("settled false")
	r.close()
}

// An abort that follows its prompt at once is not lost, whatever the prompt is
// doing by then.
func TestAbortRightBehindThePrompt(t *testing.T) {
	for range 20 {
		r := newRig(t, nil)
		r.model.Queue(faux.Response{Steps: []faux.Step{faux.Hang()}})
		r.send(`{"id":"p","type":"prompt","message":"go"}`, `{"id":"a","type":"abort"}`)
		prompt := ""
		for done := false; !done; {
			l := r.next()
			if l.Command == "prompt" {
				prompt = l.short()
			}
			done = l.Command == "abort"
		}
		if prompt == "" {
			t.Error("the prompt has no response before that of the abort")
		}
		r.close()
	}
}

func TestCompact(t *testing.T) {
	r := newRig(t, nil)
	l := r.next
	r.send(`{"id":"n","type":"compact"}`)
	if a, b, c := l().short(), l().short(), l().short(); a != "compaction_start" || b != "compaction_end" || c != "n:compact failed" {
		t.Errorf("with nothing to compact: %s, %s, %s", a, b, c)
	}
	r.model.Queue(faux.Say(strings.Repeat("a long story ", 20000)), faux.Say("short"))
	for _, text := range []string{"tell", "and?"} {
		r.send(fmt.Sprintf(`{"id":"p","type":"prompt","message":%q}`, text))
		r.until("settled false")
	}
	// While a summary is made, prompts are refused; it can be aborted alone.
	begun := make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Do(func() { close(begun) }), faux.Hang()}}, faux.Say("the summary"))
	r.send(`{"id":"c","type":"compact"}`, `{"id":"p","type":"prompt","message":"now","streamingBehavior":"steer"}`)
	expect(t, "a prompt behind it", r.until("p:prompt failed"), "compaction_start", "p:prompt failed")
	<-begun
	if l := r.ask(`{"type":"get_state"}`); !strings.Contains(l.raw, `"isStreaming":false,"isCompacting":true`) {
		t.Errorf("state %s", l.raw)
	}
	r.send(`{"id":"x","type":"abort_compaction"}`)
	got := r.until("c:compact failed")
	if g := strings.Join(got, "|"); g != "x:abort_compaction|compaction_end|c:compact failed" && g != "compaction_end|x:abort_compaction|c:compact failed" {
		t.Errorf("the abort: %s", g)
	}
	r.send(`{"id":"c2","type":"compact","customInstructions":"the end"}`)
	expect(t, "the compaction", r.until("c2:compact"), "compaction_start", "compaction_end", "c2:compact")
	r.close()
}

func TestBash(t *testing.T) {
	r := newRig(t, nil)
	// Each command waits for the other: they run side by side.
	r.send(`{"id":"1","type":"bash","command":"touch a; while ! test -e b; do sleep 0.01; done; echo one"}`,
		`{"id":"2","type":"bash","command":"touch b; while ! test -e a; do sleep 0.01; done; echo two >&2; exit 3","excludeFromContext":true}`)
	outputs, results := map[string]string{}, map[string]string{}
	for len(results) < 2 {
		l := r.next()
		id := l.ID.(string)
		switch l.Type {
		case "bash_execution_update":
			if results[id] != "" {
				t.Errorf("output of %s after its answer", id)
			}
			outputs[id] += l.Delta
		case "response":
			results[id] = string(l.Data)
		}
	}
	if outputs["1"] != "one\n" || outputs["2"] != "two\n" {
		t.Errorf("outputs %q", outputs)
	}
	if want := `{"output":"two\n","exitCode":3,"cancelled":false,"truncated":false}`; results["2"] != want {
		t.Errorf("result %s, want %s", results["2"], want)
	}
	r.send(`{"id":"3","type":"bash","command":"echo begun; sleep 600"}`)
	for r.next().Delta == "" {
	}
	r.send(`{"id":"4","type":"abort_bash"}`)
	for range 2 {
		l := r.next()
		if want := `{"output":"begun\n","cancelled":true,"truncated":false}`; l.ID == "3" && string(l.Data) != want {
			t.Errorf("stopped: %s, want %s", l.raw, want)
		}
	}
	r.model.Queue(faux.Say("seen"))
	r.send(`{"id":"p","type":"prompt","message":"what did I run?"}`)
	r.until("settled false")
	var told string
	for _, m := range r.model.Requests()[0].Call.Messages {
		if u, ok := m.(*ai.UserMessage); ok {
			told += ai.TextOf(u.Content, "\n")
		}
	}
	if !strings.Contains(told, "one") || strings.Contains(told, "two") {
		t.Errorf("the model was told %q", told)
	}
	r.close()
}

func TestBadCommands(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []struct{ in, want string }{
		{`{bad`, `{"type":"response","command":"parse","success":false,"error":"this line is not JSON"}`},
		{``, `{"type":"response","command":"parse","success":false,"error":"this line is empty"}`},
		{`null`, "found null"},
		{`42`, "found a number"},
		{`"x"`, "found a text"},
		{`[]`, "found a list"},
		{`{"id":7}`, `{"id":7,"type":"response","command":"parse","success":false`},
		{`{"id":"f","type":"frobnicate"}`, "unknown command: frobnicate"},
		{`{"type":"get_stat"}`, "did you mean get_state"},
		{`{"type":"prompt"}`, `field \"message\" is missing`},
		{`{"type":"prompt","message":7}`, `field \"message\": expected string`},
		{`{"type":"prompt","message":"x","streamingBehavior":"now"}`, `\"now\" is neither steer nor followUp`},
		{`{"type":"prompt","message":"x","images":[{"type":"text","text":"no"}]}`, "image 0"},
		{`{"type":"bash"}`, `field \"command\" is missing`},
		{`{"type":"set_thinking_level","level":"loud"}`, "loud"},
		{`{"type":"set_steering_mode","mode":"some"}`, "some"},
		{`{"type":"set_auto_retry"}`, `field \"enabled\" is missing`},
		{`{"type":"get_entries","since":"nope"}`, "nope"},
		{`{"type":"set_model","provider":"a","modelId":"b"}`, "a"},
		{`{"type":"fork","entryId":"nope"}`, "nope"},
		{`{"type":"set_session_name","name":" "}`, "empty"},
		{`{"type":"get_tree","format":"round"}`, "round"},
		{`{"type":"clone"}`, "message first"},
	} {
		l := r.ask(c.in)
		if l.Success || !strings.Contains(l.raw, c.want) {
			t.Errorf("%s is answered %s, want %s", c.in, l.raw, c.want)
		}
	}
	if len(r.saved) > 0 {
		t.Errorf("saved %v", r.saved)
	}
	r.close()
}

// Only LF ends a line, whatever else Unicode takes for one, and however the
// bytes come.
func TestFraming(t *testing.T) {
	r := newRig(t, nil)
	text := "a\u2028b\u2029c\u0085d"
	r.model.Queue(faux.Say(text), faux.Say(text))
	for _, end := range []string{"\n", "\r\n"} {
		in := iotest.OneByteReader(strings.NewReader(`{"id":"p","type":"prompt","message":"` + text + `"}` + end))
		if _, err := io.Copy(r.in, in); err != nil {
			t.Fatal(err)
		}
		r.until("settled false")
	}
	for _, q := range r.model.Requests() {
		if got := ai.TextOf(q.Last().(*ai.UserMessage).Content, ""); got != text {
			t.Errorf("the model got %q", got)
		}
	}
	var last struct{ Text string }
	if err := json.Unmarshal(r.ask(`{"type":"get_last_assistant_text"}`).Data, &last); err != nil || last.Text != text {
		t.Errorf("the answer comes back as %q, %v", last.Text, err)
	}
	r.close()
}

// The input may end behind a prompt, and without a line feed: everything is
// finished first.
func TestInputEnds(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Calls(faux.Call("bash", map[string]any{"command": "echo hi"})), faux.Say("done"))
	if _, err := io.WriteString(r.in, `{"id":"1","type":"prompt","message":"go"}`); err != nil {
		t.Fatal(err)
	}
	if err := r.in.Close(); err != nil {
		t.Fatal(err)
	}
	if got := r.until("settled false"); !strings.Contains(strings.Join(got, "|"), "message_end assistant:stop") {
		t.Errorf("lines %v", got)
	}
	if err := <-r.ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

func TestWithoutAModel(t *testing.T) {
	var p *faux.Provider
	r := newRig(t, func(o *codingagent.Options, s *rpc.Server) {
		o.Model = nil
		s.NoModel = func() error { return errors.New("log in, or set a key") }
	})
	p = r.model
	if l := r.ask(`{"type":"get_state"}`); strings.Contains(l.raw, `"model":`) {
		t.Errorf("state %s", l.raw)
	}
	for _, c := range []string{`{"type":"prompt","message":"hi"}`} {
		if l := r.ask(c); l.Success || l.Error != "log in, or set a key" {
			t.Errorf("%s is answered %s", c, l.raw)
		}
	}
	r.send(fmt.Sprintf(`{"id":"m","type":"set_model","provider":%q,"modelId":%q}`, p.ID(), p.Model().ID))
	if got := r.until("m:set_model"); !strings.Contains(strings.Join(got, " "), "thinking_level_changed") {
		t.Errorf("the level without a model stayed: %v", got)
	}
	p.Queue(faux.Say("ok"))
	r.send(`{"id":"p","type":"prompt","message":"hi"}`)
	r.until("settled false")
	r.close()
}

func TestSettingsAreSaved(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []string{
		`{"type":"set_steering_mode","mode":"all"}`, `{"type":"set_follow_up_mode","mode":"all"}`,
		`{"type":"set_auto_compaction","enabled":false}`, `{"type":"set_auto_retry","enabled":false}`,
	} {
		if l := r.ask(c); !l.Success || l.Data != nil {
			t.Errorf("%s is answered %s", c, l.raw)
		}
	}
	if got := fmt.Sprint(r.saved); got != "map[compaction.enabled:false followUpMode:all retry.enabled:false steeringMode:all]" {
		t.Errorf("saved %s", got)
	}
	st := string(r.ask(`{"type":"get_state"}`).Data)
	for _, want := range []string{`"steeringMode":"all"`, `"followUpMode":"all"`, `"autoCompactionEnabled":false`} {
		if !strings.Contains(st, want) {
			t.Errorf("state %s lacks %s", st, want)
		}
	}
	r.close()
}

// A client that reads nothing stops the run instead of filling memory, and
// can still be left.
func TestBackPressure(t *testing.T) {
	model := faux.New(faux.Config{Chunk: 1000})
	repo := session.NewMemory()
	rt, err := codingagent.NewRuntime(t.Context(), codingagent.Options{Dir: t.TempDir(), Models: ai.NewModels(model), Model: model.Model()}, repo)
	if err != nil {
		t.Fatal(err)
	}
	var sent int
	step := faux.Do(func() { sent++ })
	steps := []faux.Step{}
	for range 2000 {
		steps = append(steps, faux.Text(strings.Repeat("x", 1000)), step)
	}
	model.Queue(faux.Response{Steps: steps})
	ctx, stop := context.WithCancelCause(context.Background())
	blocked := make(chan struct{})
	w := &stuck{blocked: blocked}
	ended := make(chan error, 1)
	in, commands := io.Pipe()
	go func() { ended <- (&rpc.Server{Runtime: rt}).Serve(ctx, in, w) }()
	if _, err := io.WriteString(commands, `{"type":"prompt","message":"go"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-blocked
	cause := errors.New("time to go")
	stop(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("ended with %v", err)
	}
	if err := rt.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if sent > 600 {
		t.Errorf("the model sent %d KB to a client that reads nothing", sent)
	}
}

// stuck never ends a write.
type stuck struct {
	blocked chan struct{}
	once    bool
}

func (w *stuck) Write([]byte) (int, error) {
	if !w.once {
		w.once = true
		close(w.blocked)
	}
	select {}
}

func TestReaderGone(t *testing.T) {
	model := faux.New(faux.Config{})
	rt, err := codingagent.NewRuntime(t.Context(), codingagent.Options{Dir: t.TempDir(), Models: ai.NewModels(model), Model: model.Model()}, session.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	in, commands := io.Pipe()
	out, w := io.Pipe()
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(commands, `{"type":"get_state"}`+"\n") }()
	if err := (&rpc.Server{Runtime: rt}).Serve(t.Context(), in, w); !errors.Is(err, rpc.ErrReaderGone) {
		t.Errorf("ended with %v", err)
	}
	if err := rt.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
