package codingagent

import (
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/demo"
)

// DemoProvider gives the provider "demo" with the model "guide": a built-in
// helper that needs no key and no network, understands a handful of English
// requests and works on them with the real tools. It is deterministic and no
// language model, and says so. pace is the wait between two words, for people
// who watch; 0 means none.
func DemoProvider(pace time.Duration) ai.Provider {
	return demo.Provider(demo.Options{Pace: pace})
}
