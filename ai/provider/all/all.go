// Package all lists every provider and every protocol that this module has.
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
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/azureopenairesponses"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	vertexapi "github.com/pi-go/pi/ai/api/googlevertex"
	"github.com/pi-go/pi/ai/api/llamacppclassify"
	"github.com/pi-go/pi/ai/api/mistralconversations"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openaidecisions"
	"github.com/pi-go/pi/ai/api/openairesponses"
	"github.com/pi-go/pi/ai/api/openrouterimages"
	"github.com/pi-go/pi/ai/api/pimessages"
	"github.com/pi-go/pi/ai/api/systemone"
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

// APIs lists all protocols of chat models, by name, with their defaults: what a person's own list of
// models may ask for, whichever vendor they belong to.
func APIs() []ai.API {
	return []ai.API{
		anthropicmessages.New(), azureopenairesponses.New(), bedrockconversestream.New(), googlegenerativeai.New(), vertexapi.New(),
		mistralconversations.New(), openaicodexresponses.New(), openaicompletions.New(), openairesponses.New(), pimessages.New(),
	}
}

// ImageAPIs lists all protocols of image models, by name, with their defaults.
func ImageAPIs() []ai.ImageAPI { return []ai.ImageAPI{openrouterimages.New()} }

// ClassifierAPIs lists all protocols of classifiers, by name, with their defaults.
func ClassifierAPIs() []ai.ClassifierAPI {
	return []ai.ClassifierAPI{systemone.Cloudflare(), llamacppclassify.New(), openaidecisions.New(), systemone.New()}
}
