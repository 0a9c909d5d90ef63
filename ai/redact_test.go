package ai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// leaky is a protocol whose server quotes the request in its errors.
type leaky struct{ err func(c *ai.Call) error }

func (leaky) ID() string { return "leaky" }
func (l leaky) Stream(_ context.Context, c *ai.Call, out *ai.Emitter) error {
	out.Diagnose("quoted", map[string]string{"key": c.Auth.APIKey})
	return l.err(c)
}

// Whatever a server quotes, the key is in nothing that is reported.
func TestKeysAreTakenOutOfErrors(t *testing.T) {
	t.Parallel()
	const key, token = "sk-live-0123456789", "tok-9876543210"
	const team = "team-5b1f9c7d21" // in a header whose name says nothing
	quote := "no access with " + key + " and Bearer " + token + " and " + team
	for name, fail := range map[string]func(*ai.Call) error{
		"typed": func(*ai.Call) error {
			return &ai.APIError{Kind: ai.KindAuth, Status: 401, Message: quote, Body: quote, Code: key, Err: errors.New(quote)}
		},
		"wrapped": func(*ai.Call) error {
			return fmt.Errorf("read: %w", &ai.APIError{Kind: ai.KindAuth, Body: quote, Message: "no"})
		},
		"untyped":   func(*ai.Call) error { return errors.New(quote) },
		"body only": func(*ai.Call) error { return &ai.APIError{Kind: ai.KindAuth, Message: "no", Body: quote} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &ai.Model{ID: "m", Provider: "p", API: "leaky", Headers: map[string]string{"X-Auth": "Bearer " + token, "X-Team": team}}
			models := ai.NewModels(ai.NewProvider(ai.ProviderConfig{
				ID: "p", Auth: auth.Methods{APIKey: auth.EnvKey{}}, Models: []*ai.Model{model}, APIs: []ai.API{leaky{fail}},
			}))
			msg := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("hi")}}, ai.Options{APIKey: key}).Result()
			stored, err := json.Marshal(msg)
			if err != nil {
				t.Fatal(err)
			}
			text := string(stored) + msg.Err().Error()
			var api *ai.APIError
			if errors.As(msg.Err(), &api) {
				text += fmt.Sprint(api.Body, api.Code)
			}
			for err := msg.Err(); err != nil; err = errors.Unwrap(err) {
				text += err.Error()
			}
			if strings.Contains(text, key) || strings.Contains(text, token) || strings.Contains(text, team) {
				t.Errorf("a secret is in %s", text)
			}
			if msg.StopReason != ai.StopError || !strings.Contains(text, "[redacted]") {
				t.Errorf("not redacted: %s", text)
			}
		})
	}
}
