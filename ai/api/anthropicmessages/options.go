package anthropicmessages

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// Options are what only this protocol knows; see [ai.Options].Protocol. The
// zero value is right for most.
type Options struct {
	// ThinkingDisplay says how thinking is shown: "summarized", the default, or
	// "omitted" (the answer then comes faster, and the blocks are empty).
	ThinkingDisplay string
	// NoInterleavedThinking keeps models that think by budget from thinking
	// between tool calls.
	NoInterleavedThinking bool
	// DisableThreads sends the whole conversation even where the vendor keeps
	// it.
	DisableThreads bool
	// Betas are sent besides those that the request needs.
	Betas []string
}

func optionsOf(call *ai.Call) Options {
	o := wire.Options[Options](call)
	if o.ThinkingDisplay == "" {
		o.ThinkingDisplay = "summarized"
	}
	return o
}
