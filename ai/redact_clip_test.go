package ai

import (
	"strings"
	"testing"
)

// A text that was cut in the middle of a secret does not show its beginning.
func TestTheBeginningOfASecretIsHiddenWhereATextWasCut(t *testing.T) {
	const secret = "sk-1234567890-abcdef"
	r := new(redactor)
	r.add(secret)
	for n := leastKept + 1; n < len(secret); n++ {
		got := r.text("it said " + secret[:n] + "… (1816 bytes) and " + secret[:n] + "… again")
		if strings.Contains(got, secret[:leastKept+1]) || strings.Count(got, hidden) != 2 {
			t.Errorf("%d characters: %q", n, got)
		}
	}
	if got := r.text("wait…"); got != "wait…" {
		t.Errorf("got %q", got)
	}
}
