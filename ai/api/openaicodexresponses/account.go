package openaicodexresponses

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
)

// accountOf gives the account that a login belongs to: what the credentials say,
// or the claim in the token.
func accountOf(call *ai.Call) (string, error) {
	for name, value := range call.Auth.Headers {
		if http.CanonicalHeaderKey(name) == "Chatgpt-Account-Id" {
			return value, nil
		}
	}
	account, err := accountInToken(call.Auth.APIKey)
	if err != nil {
		return "", &ai.APIError{Kind: ai.KindAuth, Phase: ai.PhaseSetup, Message: fmt.Sprintf("the ChatGPT login does not say which account it is for (%v); sign in again", err), Err: err}
	}
	return account, nil
}

// accountInToken reads the claim of OpenAI's tokens.
func accountInToken(token string) (string, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", errors.New("the token is no JWT")
	}
	// The payload is URL-safe base64, with or without padding.
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return "", errors.New("the payload of the token is not base64")
	}
	var claims struct {
		Auth struct {
			Account string `json:"chatgpt_account_id"`
		} `json:"https://api.openai.com/auth"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		return "", errors.New("the payload of the token is not JSON")
	}
	if claims.Auth.Account == "" {
		return "", errors.New("the token has no account claim")
	}
	return claims.Auth.Account, nil
}

// friendly puts the vendor's limits in words that say what to do. Other errors
// pass.
func friendly(err error, now time.Time) error {
	var e *ai.APIError
	if !errors.As(err, &e) {
		return err
	}
	limited := e.Status == http.StatusTooManyRequests
	switch e.Code {
	case "usage_limit_reached", "usage_not_included", "rate_limit_exceeded":
		limited = true
	}
	if !limited {
		return err
	}
	type limit struct {
		Plan     string  `json:"plan_type"`
		ResetsAt float64 `json:"resets_at"` // Unix seconds
		ResetsIn float64 `json:"resets_in_seconds"`
	}
	var body struct {
		limit
		Error limit `json:"error"`
	}
	if json.Unmarshal([]byte(e.Body), &body) != nil {
		return err
	}
	l := body.Error
	if l == (limit{}) {
		l = body.limit
	}
	out := *e
	text := "The usage limit of ChatGPT is reached"
	if e.Code == "usage_not_included" {
		text = "ChatGPT's plan does not include this model"
	} else if e.Code == "rate_limit_exceeded" {
		text = "ChatGPT's rate limit is reached"
	}
	if l.Plan != "" {
		text += " (" + strings.ToLower(l.Plan) + " plan)"
	}
	wait := time.Duration(l.ResetsIn * float64(time.Second))
	if l.ResetsAt > 0 {
		wait = time.Unix(int64(l.ResetsAt), 0).Sub(now)
	}
	if wait > 0 {
		text += fmt.Sprintf("; try again in about %d min", int((wait+time.Minute-1)/time.Minute))
		if out.RetryAfter == 0 {
			out.RetryAfter = wait.Round(time.Second)
		}
	}
	out.Message = text + ". " + e.Message
	return &out
}
