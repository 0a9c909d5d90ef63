// Package googlegenerativeai speaks the protocol of Google's Gemini API.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:   "mine",
//		Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"GEMINI_API_KEY"}}},
//		APIs: []ai.API{googlegenerativeai.New()},
//		Models: []*ai.Model{{
//			ID: "gemini-3-flash", Provider: "mine", API: googlegenerativeai.ID,
//			BaseURL: "https://generativelanguage.googleapis.com/v1beta", Input: []string{"text"},
//		}},
//	})
//
// A prompt that the vendor refuses is an error of the kind refusal, not a broken
// stream, so it is not sent again.
package googlegenerativeai

import (
	"context"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/gemini"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the protocol's name.
const ID = "google-generative-ai"

// New gives the protocol. It holds no state and serves any number of providers.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

// Stream sends the call and writes the answer.
func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	url, err := wire.Endpoint(call, "/models/"+gemini.PathModel(call.Model.ID)+":streamGenerateContent")
	if err != nil {
		return err
	}
	var key map[string]string
	switch {
	case call.Auth.APIKey == "":
	case call.Auth.Bearer || call.Auth.OAuth:
		key = wire.Bearer(call)
	default:
		key = map[string]string{"x-goog-api-key": call.Auth.APIKey}
	}
	return gemini.Stream(ctx, call, out, gemini.Endpoint{URL: url, Auth: key, Lite: true})
}
