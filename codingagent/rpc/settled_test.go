package rpc_test

import (
	"testing"

	"github.com/pi-go/pi/ai/faux"
)

// A prompt that is sent as soon as the one before has settled is not refused.
func TestPromptAtOnceWhenSettled(t *testing.T) {
	r := newRig(t, nil)
	for range 200 {
		r.model.Queue(faux.Say("ok"))
		r.send(`{"type":"prompt","message":"hi"}`)
		if l := r.wait("response"); !l.Success {
			t.Fatal(l.raw)
		}
		r.wait("agent_settled")
	}
}
