package program

import (
	"time"

	"github.com/pi-go/pi/ai"
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
