// Package share puts sessions where others can read them.
package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// Radius shares sessions by a Radius gateway: each becomes an artifact that the
// members of the person's organization can see. It is safe for concurrent use.
type Radius struct {
	// Gateway is its address, without a path.
	Gateway string
	Client  *http.Client
	// Auth gives what the gateway wants to be asked with.
	Auth func(ctx context.Context) (auth.Resolved, error)
}

// most is how much of an answer is read.
const most = 1 << 20

// longest is how much of what a gateway says is shown, in UTF-16 code units.
const longest = 300

// Upload sends the lines of a session, and gives the address of the page that shows
// it.
func (r Radius) Upload(ctx context.Context, title string, lines []byte) (address string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("share the session by %s: %w", r.Gateway, err)
		}
	}()
	key, err := r.Auth(ctx)
	if err != nil {
		return "", err
	}
	query := url.Values{"visibility": {"organization"}, "title": {title}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Gateway+"/v1/artifacts?"+query.Encode(), bytes.NewReader(lines))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	req.Header.Set("Authorization", "Bearer "+key.APIKey)
	for name, value := range key.Headers {
		req.Header.Set(name, value)
	}
	client := *r.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("it sends the session elsewhere") }
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	switch {
	case err != nil:
		return "", err
	case res.StatusCode/100 != 2:
		return "", refusal(res, body)
	}
	var answer struct {
		Artifact struct {
			Address string `json:"canonical_url"`
		} `json:"artifact"`
	}
	if !json.Valid(body) {
		return "", errors.New("its answer is no JSON, so it may be no Radius gateway")
	}
	// What has another form has no address.
	_ = json.Unmarshal(body, &answer)
	if a := answer.Artifact.Address; strings.HasPrefix(a, "https://") || strings.HasPrefix(a, "http://") {
		return a, nil
	}
	return "", errors.New("it was uploaded, but the answer does not say where to")
}

// refusal is what the gateway says it will not do.
func refusal(res *http.Response, body []byte) error {
	var short struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &short) == nil && short.Error != "" {
		return fmt.Errorf("%s (%s)", shortened(short.Error), res.Status)
	}
	var long struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &long) == nil && long.Error.Message != "" {
		return fmt.Errorf("%s (%s)", shortened(long.Error.Message), res.Status)
	}
	return errors.New(res.Status)
}

// shortened cuts what a gateway says.
func shortened(s string) string {
	s, _ = truncate.Line(s, longest)
	return s
}
