package ai_test

import (
	"errors"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func TestProbe(t *testing.T) {
	provider := faux.New(faux.Config{})
	provider.Queue(faux.Say("ok"), faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "bad key"}))
	models := ai.NewModels(provider)
	if _, err := models.Probe(t.Context(), provider.Model()); err != nil {
		t.Error(err)
	}
	var failure *ai.APIError
	if _, err := models.Probe(t.Context(), provider.Model()); !errors.As(err, &failure) || failure.Kind != ai.KindAuth {
		t.Errorf("got %v", err)
	}
}

func TestCheapest(t *testing.T) {
	dear := &ai.Model{ID: "dear", Cost: ai.Rates{Input: 5, Output: 9}}
	cheap := &ai.Model{ID: "cheap", Cost: ai.Rates{Input: 1, Output: 2}}
	unknown := &ai.Model{ID: "unknown"}
	images := &ai.Model{ID: "images", Type: ai.ModelImage, Cost: ai.Rates{Input: 0.1}}
	if got := ai.Cheapest([]*ai.Model{unknown, dear, images, cheap}); got != cheap {
		t.Errorf("the cheapest is %s", got.ID)
	}
	if got := ai.Cheapest([]*ai.Model{images}); got != nil {
		t.Errorf("a model for images is asked: %s", got.ID)
	}
}
