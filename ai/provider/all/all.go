// Package all lists every provider that this module has.
//
//	models := ai.NewModels(all.Providers()...)
//
// A program that imports it links every protocol; one that knows which vendors it
// wants names them instead.
package all

import (
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/amazonbedrock"
	"github.com/pi-go/pi/ai/provider/anthropic"
	"github.com/pi-go/pi/ai/provider/azure"
	"github.com/pi-go/pi/ai/provider/compatible"
	"github.com/pi-go/pi/ai/provider/githubcopilot"
	"github.com/pi-go/pi/ai/provider/google"
	"github.com/pi-go/pi/ai/provider/googlevertex"
	"github.com/pi-go/pi/ai/provider/mistral"
	"github.com/pi-go/pi/ai/provider/openai"
	"github.com/pi-go/pi/ai/provider/openaicodex"
	"github.com/pi-go/pi/ai/provider/radius"
)

// Providers lists all providers, by id.
func Providers() []ai.Provider {
	list := append(compatible.All(),
		amazonbedrock.New(), anthropic.New(), azure.New(), githubcopilot.New(), google.New(), googlevertex.New(), mistral.New(), openai.New(),
		openaicodex.New(), radius.New())
	slices.SortFunc(list, func(a, b ai.Provider) int { return strings.Compare(a.ID(), b.ID()) })
	return list
}
