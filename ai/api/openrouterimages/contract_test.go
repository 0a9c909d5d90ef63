package openrouterimages_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openrouterimages"
	"github.com/pi-go/pi/ai/faux"
)

const painted = `{"choices":[{"message":{"images":[{"image_url":{"url":"data:image/png;base64,aW1n"}}]}}]}`

// line answers each request by a function of its own, and counts what is left open.
type line struct {
	answer   func(r *http.Request, n int) (*http.Response, error)
	requests atomic.Int64
	open     atomic.Int64
	read     atomic.Int64
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	res, err := l.answer(r, int(l.requests.Add(1)))
	if res != nil {
		l.open.Add(1)
		res.Request, res.Body = r, &counted{l: l, from: res.Body}
		if res.Header == nil {
			res.Header = http.Header{"Content-Type": {"application/json"}}
		}
	}
	return res, err
}

type counted struct {
	l      *line
	from   io.Reader
	closed atomic.Bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.l.read.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.l.open.Add(-1)
	}
	return nil
}

// stalled gives a text and then nothing until the request is over.
func stalled(r *http.Request, text string) io.ReadCloser {
	return io.NopCloser(io.MultiReader(strings.NewReader(text), over{r.Context()}))
}

type over struct{ ctx context.Context }

func (o over) Read([]byte) (int, error) {
	<-o.ctx.Done()
	return 0, o.ctx.Err()
}

// endless is an answer that never stops.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func over200(body io.Reader) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
}

func (l *line) paint(ctx context.Context, opts ai.Options) *ai.ImageAnswer {
	chat, _ := faux.New(faux.Config{}).API(nil)
	m := model("text", "image")
	p := ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{chat}, ImageAPIs: []ai.ImageAPI{openrouterimages.New()}})
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: l}}.New(p)
	if opts.APIKey == "" {
		opts.APIKey = "k"
	}
	return models.GenerateImages(ctx, m, ai.ImageRequest{Input: []ai.Block{&ai.Text{Text: "A kite."}}}, opts)
}

// The promises that hold for streams hold for a plain call: it ends, says why, keeps to
// its limits and leaves nothing open.
func TestContract(t *testing.T) {
	const asked = "nobody wants it any more"
	for name, tt := range map[string]struct {
		opts     ai.Options
		cancel   bool // once the server has the request and everything stands still
		answer   func(r *http.Request, n int) (*http.Response, error)
		stop     ai.StopReason
		kind     ai.ErrorKind
		says     string
		requests int64
	}{
		"aborted before the answer": {
			cancel: true, stop: ai.StopAborted, kind: ai.KindAborted, requests: 1,
			answer: func(r *http.Request, _ int) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			},
		},
		"aborted in the answer": {
			cancel: true, stop: ai.StopAborted, kind: ai.KindAborted, requests: 1,
			answer: func(r *http.Request, _ int) (*http.Response, error) { return over200(stalled(r, painted[:20])) },
		},
		"aborted while it waits to try again": {
			opts: ai.Options{MaxRetries: 3}, cancel: true, stop: ai.StopAborted, kind: ai.KindAborted, requests: 1,
			answer: func(*http.Request, int) (*http.Response, error) {
				return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"30"}}, Body: io.NopCloser(strings.NewReader(`{}`))}, nil
			},
		},
		"no answer": {
			opts: ai.Options{Timeouts: ai.Timeouts{Header: time.Minute}}, stop: ai.StopError, kind: ai.KindTimeout, requests: 1,
			answer: func(r *http.Request, _ int) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			},
		},
		"an answer that stands still": {
			opts: ai.Options{Timeouts: ai.Timeouts{Idle: time.Minute}}, stop: ai.StopError, kind: ai.KindTimeout, requests: 1,
			answer: func(r *http.Request, _ int) (*http.Response, error) { return over200(stalled(r, painted[:20])) },
		},
		"an answer that is cut": {
			stop: ai.StopError, kind: ai.KindProtocol, requests: 1,
			answer: func(*http.Request, int) (*http.Response, error) {
				return over200(strings.NewReader(painted[:40]))
			},
		},
		"a line that breaks": {
			stop: ai.StopError, kind: ai.KindNetwork, says: "reset", requests: 1,
			answer: func(*http.Request, int) (*http.Response, error) { return nil, errors.New("connection reset by peer") },
		},
		"an answer without end": {
			opts: ai.Options{Limits: ai.Limits{Answer: 1 << 20}}, stop: ai.StopError, kind: ai.KindLimit, says: "Limits.Answer", requests: 1,
			answer: func(*http.Request, int) (*http.Response, error) { return over200(endless{}) },
		},
		"an error without end": {
			stop: ai.StopError, kind: ai.KindBadRequest, requests: 1,
			answer: func(*http.Request, int) (*http.Response, error) {
				return &http.Response{StatusCode: 400, Body: io.NopCloser(endless{})}, nil
			},
		},
		"tried again": {
			opts: ai.Options{MaxRetries: 2}, stop: ai.StopEnd, requests: 2,
			answer: func(_ *http.Request, n int) (*http.Response, error) {
				if n == 1 {
					return &http.Response{StatusCode: 503, Body: io.NopCloser(strings.NewReader(`{}`))}, nil
				}
				return over200(strings.NewReader(painted))
			},
		},
		"not tried again unasked": {
			stop: ai.StopError, kind: ai.KindServer, requests: 1,
			answer: func(*http.Request, int) (*http.Response, error) {
				return &http.Response{StatusCode: 500, Body: io.NopCloser(strings.NewReader(`{}`))}, nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &line{answer: tt.answer}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				done := make(chan *ai.ImageAnswer)
				go func() { done <- l.paint(ctx, tt.opts) }()
				if tt.cancel {
					synctest.Wait()
					cancel(errors.New(asked))
				}
				a := <-done
				if a.StopReason != tt.stop || (a.Failure == nil) != (tt.stop == ai.StopEnd) || a.Failure != nil && a.Failure.Kind != tt.kind || !strings.Contains(a.ErrorMessage, tt.says) {
					t.Errorf("%s: %q, %+v", a.StopReason, a.ErrorMessage, a.Failure)
				}
				if a.API != openrouterimages.ID || a.Provider == "" || a.Model == "" || a.Timestamp == 0 || (a.ErrorMessage == "") != (a.Failure == nil) {
					t.Errorf("an answer says whose it is: %+v", a)
				}
				if got := l.requests.Load(); got != tt.requests {
					t.Errorf("%d requests, want %d", got, tt.requests)
				}
				if got := l.open.Load(); got != 0 {
					t.Errorf("%d answers are left open", got)
				}
				if got := l.read.Load(); got > 2<<20 {
					t.Errorf("%d bytes were read", got)
				}
			})
		})
	}
}

// A server that repeats a request brings no secret of it into the answer.
func TestSecretsStaySecret(t *testing.T) {
	l := &line{answer: func(r *http.Request, n int) (*http.Response, error) {
		text, err := json.Marshal(fmt.Sprintf("you sent %v", r.Header))
		if err != nil {
			return nil, err
		}
		body := io.NopCloser(strings.NewReader(`{"error":{"code":` + string(text) + `,"message":` + string(text) + `}}`))
		if n == 1 {
			return &http.Response{StatusCode: 401, Body: body}, nil
		}
		return over200(body)
	}}
	for range 2 {
		a := l.paint(t.Context(), ai.Options{APIKey: "MARKER-key-0123456789", Headers: map[string]string{"X-Api-Key-Two": "MARKER-header-0123456789"}})
		if a.Failure == nil || !strings.Contains(a.ErrorMessage, "you sent") {
			t.Fatalf("%+v", a)
		}
		stored, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%s %+v %#v %s", stored, a, a.Failure, a.Err()); strings.Contains(text, "MARKER") {
			t.Errorf("a secret is in %s", text)
		}
	}
}
