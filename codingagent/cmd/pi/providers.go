package main

import (
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/azureopenairesponses"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	"github.com/pi-go/pi/ai/api/googlevertex"
	"github.com/pi-go/pi/ai/api/mistralconversations"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openairesponses"
	"github.com/pi-go/pi/ai/api/pimessages"
	"github.com/pi-go/pi/ai/provider/all"
	"github.com/pi-go/pi/codingagent"
)

// demoPace is how fast the demo model speaks to a person.
const demoPace = 8 * time.Millisecond

// providers are the built-in vendors; watched says that a person watches the
// answers arrive.
func providers(watched bool) []ai.Provider {
	pace := time.Duration(0)
	if watched {
		pace = demoPace
	}
	return append(all.Providers(), codingagent.DemoProvider(pace))
}

// protocols are what models.json may name.
func protocols() []ai.API {
	return []ai.API{
		anthropicmessages.New(), azureopenairesponses.New(), bedrockconversestream.New(), googlegenerativeai.New(), googlevertex.New(),
		mistralconversations.New(), openaicodexresponses.New(), openaicompletions.New(), openairesponses.New(), pimessages.New(),
	}
}
