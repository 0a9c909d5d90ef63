package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

type own struct{ Word string }

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		give any
		want string
	}{
		{"none", nil, ""},
		{"a value", own{"x"}, "x"},
		{"a pointer", &own{"x"}, "x"},
		{"a nil pointer", (*own)(nil), ""},
		{"those of another protocol", struct{ Word string }{"x"}, ""},
	} {
		if got := Options[own](&ai.Call{Options: ai.Options{Protocol: tc.give}}); got.Word != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got.Word, tc.want)
		}
	}
}

// kept is a state that has to be closed.
type kept struct{ closed bool }

func (k *kept) Close() error {
	k.closed = true
	return nil
}

func TestStateIsKeptAndNotSharedWithStrangers(t *testing.T) {
	t.Parallel()
	c := ai.NewConversation("c")
	call := &ai.Call{Model: &ai.Model{ID: "m", Provider: "p", API: "a"}, Options: ai.Options{Conversation: c}}
	first, release := State[kept](call)
	release()
	again, release := State[kept](call)
	release()
	if first != again || first.closed {
		t.Errorf("the state was not kept: %p %p, closed %v", first, again, first.closed)
	}
	type other struct{ kept }
	stranger, release := State[other](call)
	if stranger.closed {
		t.Error("the state is closed before it is returned")
	}
	release()
	if !stranger.closed || first.closed {
		t.Errorf("closed: own %v, kept %v", stranger.closed, first.closed)
	}
}

func TestWhatIsNotJSONIsShownInShort(t *testing.T) {
	t.Parallel()
	cause := errors.New("bad")
	err := NotJSON(cause, []byte(strings.Repeat("é", 400)))
	var api *ai.APIError
	if !errors.As(err, &api) || api.Kind != ai.KindProtocol || api.Phase != ai.PhaseStream || !errors.Is(err, cause) {
		t.Errorf("%#v", err)
	}
	if msg := err.Error(); !strings.Contains(msg, "bad: é") || !strings.Contains(msg, "é… (800 bytes)") {
		t.Errorf("%q", msg)
	}
}
