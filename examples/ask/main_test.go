package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func TestAsk(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(faux.Say("Rayleigh scattering."), faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "no such key"}))
	models := ai.NewModels(p)
	var out strings.Builder
	if err := ask(t.Context(), models, p.Model(), "Why is the sky blue?", &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "Rayleigh scattering.\n(") {
		t.Errorf("printed %q", got)
	}
	var failure *ai.APIError
	if err := ask(t.Context(), models, p.Model(), "And at night?", &out); !errors.As(err, &failure) || failure.Kind != ai.KindAuth {
		t.Errorf("err %v", err)
	}
}
