package console_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/console"
)

// Questions can be answered by number, and taken back.
func TestTerminal(t *testing.T) {
	var out bytes.Buffer
	term := console.New(strings.NewReader("x\n2\nlater\n"), &out)
	options := []auth.Option{{ID: "a", Label: "First"}, {ID: "b", Label: "Second", Description: "better"}}
	if got, err := term.Prompt(t.Context(), auth.Prompt{Kind: auth.PromptSelect, Message: "Which?", Options: options}); err != nil || got != "b" {
		t.Errorf("%q, %v", got, err)
	}
	if !strings.Contains(out.String(), "2  Second (better)") {
		t.Errorf("shown: %s", &out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := console.New(neverReader{}, &out).Prompt(ctx, auth.Prompt{Kind: auth.PromptCode}); !errors.Is(err, context.Canceled) {
		t.Errorf("taken back: %v", err)
	}
	if got, err := term.Prompt(t.Context(), auth.Prompt{Kind: auth.PromptText}); err != nil || got != "later" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := term.Prompt(t.Context(), auth.Prompt{Kind: auth.PromptText}); !errors.Is(err, auth.ErrNoPrompt) {
		t.Errorf("at the end of the input: %v", err)
	}
}

// neverReader is a terminal at which nobody types.
type neverReader struct{}

func (neverReader) Read([]byte) (int, error) { select {} }
