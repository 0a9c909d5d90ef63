package interactive

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
)

// screen collects output and lets a test wait for a text.
type screen struct {
	mu   sync.Mutex
	cond *sync.Cond
	buf  bytes.Buffer
}

func newScreen() *screen {
	s := &screen{}
	s.cond = sync.NewCond(&s.mu)
	return s
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.cond.Broadcast()
	return s.buf.Write(p)
}

func (s *screen) waitFor(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.buf.String(), text) {
		s.cond.Wait()
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func chatWith(t *testing.T, p *faux.Provider) *codingagent.AgentSession {
	t.Helper()
	s, err := codingagent.NewSession(t.Context(), codingagent.Options{Dir: t.TempDir(), Models: ai.NewModels(p), Model: p.Model()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestChat(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(
		faux.Calls(faux.Text("Looking."), faux.Call("bash", map[string]any{"command": "echo from the shell"})),
		faux.Say("All \x1b[31mdone.\x1b]0;title\a"),
		faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "no such key"}),
	)
	out := newScreen()
	err := Chat(t.Context(), chatWith(t, p), Options{
		In: strings.NewReader("go\n\n/help\nagain"), Out: out, Notices: []string{"Welcome."},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{"Welcome.\n> ", "Looking.\n* bash echo from the shell\n  from the shell\n", "done.", "Ctrl+D or /quit", "Error: no such key\n> "} {
		if !strings.Contains(got, want) {
			t.Errorf("the screen lacks %q:\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "\x1b\a") {
		t.Errorf("a control character reached the terminal: %q", got)
	}
}

func TestCtrlCStopsTheAnswerAndTheChatGoesOn(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(faux.Response{Steps: []faux.Step{faux.Text("the first half"), faux.Hang()}}, faux.Say("second answer"))
	in, typed := io.Pipe()
	out, interrupts := newScreen(), make(chan struct{}, 1)
	done := make(chan error, 1)
	go func() {
		done <- Chat(t.Context(), chatWith(t, p), Options{In: in, Out: out, Interrupts: interrupts})
	}()
	say := func(s string) {
		if _, err := io.WriteString(typed, s); err != nil {
			t.Error(err)
		}
	}
	say("first\n")
	out.waitFor("the first half")
	interrupts <- struct{}{}
	out.waitFor("(stopped)\n> ") // the prompt is there again
	interrupts <- struct{}{}     // at the prompt it only says how to leave
	out.waitFor("leaves.")
	say("second\n")
	out.waitFor("second answer")
	say("/quit\n")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestChatEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	in, _ := io.Pipe()
	out := newScreen()
	done := make(chan error, 1)
	go func() { done <- Chat(ctx, chatWith(t, faux.New(faux.Config{})), Options{In: in, Out: out}) }()
	out.waitFor("> ")
	cancel(io.ErrUnexpectedEOF)
	if err := <-done; err != io.ErrUnexpectedEOF {
		t.Errorf("err %v", err)
	}
}
