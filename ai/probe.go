package ai

import (
	"context"
	"time"
)

// probeTime is how long a model may take for one word.
const probeTime = time.Minute

// Probe asks a model for one word, to see whether its provider takes the key and
// knows the model. It gives how long that took. The error is an [*APIError] where
// the provider or the way to it is at fault.
func (m *Models) Probe(ctx context.Context, model *Model) (time.Duration, error) {
	req := Request{Messages: []Message{UserText("Say ok.")}}
	begin := m.cfg.Now()
	answer, err := m.Complete(ctx, model, req, Options{MaxTokens: 64, Timeouts: Timeouts{Total: probeTime}})
	if err != nil && answer != nil && answer.Failure != nil {
		err = answer.Failure
	}
	return m.cfg.Now().Sub(begin), err
}

// Cheapest picks the chat model that costs least to ask, nil if there is none. One
// without a price counts as dear, as lists with prices are often incomplete.
func Cheapest(models []*Model) *Model {
	price := func(m *Model) float64 {
		if m.Cost.Input+m.Cost.Output == 0 {
			return 1e9
		}
		return m.Cost.Input + m.Cost.Output
	}
	var best *Model
	for _, m := range models {
		if (m.Type == "" || m.Type == ModelChat) && (best == nil || price(m) < price(best)) {
			best = m
		}
	}
	return best
}
