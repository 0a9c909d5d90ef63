package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/sse"
)

// Stream sends the request and gives handle each frame of the answer until it
// says done, fails, the stream ends, or the consumer of out has left. Frames
// are valid during the call of handle only.
func Stream(ctx context.Context, out *ai.Emitter, r *Request, handle func(f sse.Frame) (done bool, err error)) error {
	r.Out = out
	resp, err := Post(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) == "application/json" {
		return readWhole(resp.Body, r.Call, handle)
	}
	return Read(out, resp.Body, r.Call, handle)
}

// readWhole takes an answer that did not come as a stream: an error under a
// status of success, or a server that can not stream.
func readWhole(body io.Reader, call *ai.Call, handle func(f sse.Frame) (done bool, err error)) error {
	limit := call.Options.Limits.Event
	if limit <= 0 {
		limit = sse.DefaultMaxEvent
	}
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return readError(err)
	}
	if int64(len(data)) > limit {
		return &ai.APIError{Kind: ai.KindLimit, Phase: ai.PhaseStream, Message: fmt.Sprintf("the answer is one document of more than %d bytes (Limits.Event)", limit)}
	}
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return nil
	}
	if observe := call.Options.OnWireEvent; observe != nil && json.Valid(data) {
		observe(json.RawMessage(bytes.Clone(data)), call.Model)
	}
	_, err = handle(sse.Frame{Data: data})
	return err
}

// Read is the second half of [Stream]: it reads frames from a body.
func Read(out *ai.Emitter, body io.Reader, call *ai.Call, handle func(f sse.Frame) (done bool, err error)) error {
	opt := sse.Options{}
	if n := call.Options.Limits.Event; n > 0 {
		opt.MaxEvent, opt.MaxLine = int(n), int(n)
	}
	observe := call.Options.OnWireEvent
	frames := sse.NewScanner(body, opt)
	for {
		f, err := frames.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return readError(err)
		}
		if observe != nil && json.Valid(f.Data) {
			observe(json.RawMessage(bytes.Clone(f.Data)), call.Model)
		}
		done, err := handle(f)
		if err != nil || done || out.Stopped() {
			return err
		}
	}
}

func readError(err error) error {
	var large *sse.TooLargeError
	if errors.As(err, &large) {
		return &ai.APIError{Kind: ai.KindLimit, Phase: ai.PhaseStream, Message: err.Error() + " (Limits.Event)", Err: err}
	}
	return Error(err)
}
