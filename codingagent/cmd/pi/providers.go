package main

import (
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/provider/anthropic"
	"github.com/pi-go/pi/ai/provider/compatible"
	"github.com/pi-go/pi/ai/provider/openai"
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
	list := []ai.Provider{anthropic.New(), openai.New()}
	list = append(list, compatible.All()...)
	return append(list, codingagent.DemoProvider(pace))
}

// protocols are what models.json may name.
func protocols() []ai.API {
	return []ai.API{anthropicmessages.New(), openaicompletions.New()}
}
