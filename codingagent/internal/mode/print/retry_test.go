package print

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
)

func TestLongWaitsForARetryAreExplained(t *testing.T) {
	var stderr strings.Builder
	o := Options{Stderr: &stderr, Clean: func(s string) string { return strings.ReplaceAll(s, "\x1b", "") }}
	for _, d := range []time.Duration{time.Second / 2, 4100 * time.Millisecond} {
		if err := o.reportRetry(t.Context(), &harness.RetryStart{Attempt: 2, MaxAttempts: 3, Delay: d, ErrorMessage: "\x1bbusy"}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := stderr.String(), "Trying again in 4s (2 of 3): busy\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

func TestAnUnreachableServerGetsAdvice(t *testing.T) {
	for kind, want := range map[ai.ErrorKind]bool{ai.KindNetwork: true, ai.KindAuth: false} {
		var stderr strings.Builder
		answer := &ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "no", Failure: &ai.APIError{Kind: kind, Message: "no"}}
		err := conclude(answer, Options{Stderr: &stderr}, &sink{ctx: t.Context(), w: io.Discard})
		if err != ErrFailed || !strings.HasPrefix(stderr.String(), "Error: no\n") || strings.Contains(stderr.String(), "whether the local server runs") != want {
			t.Errorf("%s: %v, stderr %q", kind, err, stderr.String())
		}
	}
}
