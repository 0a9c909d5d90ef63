package gemini

import (
	"context"
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// Endpoint is where one of the two protocols sends its requests.
type Endpoint struct {
	URL     string // without alt=sse
	Auth    map[string]string
	Headers map[string]string
	// Lite says that the budgets of Flash-Lite models are those of the Gemini
	// API and not of Vertex.
	Lite bool
}

// Stream sends a call and writes the answer.
func Stream(ctx context.Context, call *ai.Call, out *ai.Emitter, to Endpoint) error {
	st, release := wire.State[State](call)
	defer release()
	r, err := NewRequest(call, st, to.Lite)
	if err != nil {
		return err
	}
	sep := "?"
	if strings.Contains(to.URL, "?") {
		sep = "&"
	}
	d := NewDecoder(call, out)
	err = wire.Stream(ctx, out, &wire.Request{Call: call, URL: to.URL + sep + "alt=sse", Headers: to.Headers, Auth: to.Auth, Body: r.Body}, d.Frame)
	if err != nil || out.Stopped() {
		d.Count()
		return err
	}
	return d.End()
}

// PathModel is a model's id as part of a path. Some lists give it with the
// "models/" that the path has already.
func PathModel(id string) string {
	id = strings.TrimPrefix(id, "models/")
	return strings.ReplaceAll(url.PathEscape(id), "%2F", "/")
}
