package bedrockconversestream

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/claude"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the protocol's name.
const ID = "bedrock-converse-stream"

// Config makes the protocol with other credentials than those of the environment.
type Config struct {
	// Credentials finds access keys; nil means [EnvironmentCredentials]. It is
	// called for each request, so it should keep what it found.
	Credentials Credentials
	// Region gives a region for calls whose model, options and environment name
	// none; nil, or an empty answer, leaves it to the model's address.
	Region func(ctx context.Context, call *ai.Call) string
}

// New gives the protocol. It holds no state and serves any number of providers.
func New() ai.API { return Config{}.New() }

// New gives the protocol with this configuration.
func (c Config) New() ai.API {
	if c.Credentials == nil {
		c.Credentials = EnvironmentCredentials
	}
	if c.Region == nil {
		c.Region = func(context.Context, *ai.Call) string { return "" }
	}
	return &api{credentials: c.Credentials, region: c.Region}
}

type api struct {
	credentials Credentials
	region      func(ctx context.Context, call *ai.Call) string
}

func (*api) ID() string { return ID }

// Stream sends the call and writes the answer. Where the vendor refuses strict
// tools, the request is made once more without them.
func (a *api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	o := optionsOf(call)
	to, err := targetOf(call, o, func() string { return a.region(ctx, call) })
	if err != nil {
		return err
	}
	st, release := wire.State[state](call)
	defer release()
	for {
		r, err := newRequest(call, o, st, to.region)
		if err != nil {
			return err
		}
		started, err := a.send(ctx, r, to, out)
		var failed *ai.APIError
		if started || !r.strict || !errors.As(err, &failed) || !claude.StrictRefused(failed) {
			return err
		}
		out.Diagnose("bedrock_strict_tools_fallback", map[string]any{"reason": failed.Message})
		st.strictOff = true
	}
}

// send makes the request; started says that an answer began.
func (a *api) send(ctx context.Context, r *request, to target, out *ai.Emitter) (started bool, err error) {
	body, err := r.body()
	if err != nil {
		return false, err
	}
	post := &wire.Request{
		Call: r.call, Out: out, URL: to.url, Body: body, Auth: map[string]string{},
		Headers: map[string]string{"Accept": "application/vnd.amazon.eventstream"},
	}
	if bearer := wire.Bearer(r.call); bearer != nil {
		post.Auth = bearer
	} else {
		keys, err := a.keys(ctx, r.call)
		if err != nil {
			return false, err
		}
		// The signature covers the body, so it is made when the caller has seen
		// and perhaps changed it.
		var signErr error
		post.Encode = func(body [][]byte) ([][]byte, string) {
			var headers map[string]string
			headers, signErr = sign(ctx, keys, to, body, out.Now())
			maps.Copy(post.Auth, headers)
			return body, ""
		}
		defer func() { err = errors.Join(err, signErr) }()
	}
	resp, err := wire.Post(ctx, post)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	d := newDecoder(r.call, out)
	if kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) == "application/json" {
		return false, noStream(resp.Body)
	}
	err = d.read(resp.Body)
	if err == nil && !out.Stopped() {
		err = d.end()
	}
	return d.started, err
}

// noStream makes the error of an answer that is JSON instead of a stream: an error
// under a status of success, as some proxies send it.
func noStream(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, 1<<20))
	if err != nil {
		return readError(err)
	}
	return ai.StreamError(data)
}
