package print

import (
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
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
