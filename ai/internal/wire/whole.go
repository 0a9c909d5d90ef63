package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/pi-go/pi/ai"
)

// maxWhole caps the bytes of an answer that does not stream, where the options set
// no limit.
const maxWhole = 256 << 20

// PostJSON sends the request and gives the whole answer, which must be JSON. Every
// error is an *ai.APIError.
func PostJSON(ctx context.Context, r *Request, into any) ([]byte, error) {
	headers := map[string]string{"Accept": "application/json"}
	for k, v := range r.Headers {
		headers[k] = v
	}
	r.Headers = headers
	resp, err := Post(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	limit := r.Call.Options.Limits.Answer
	if limit <= 0 {
		limit = maxWhole
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, Error(err)
	case int64(len(data)) > limit:
		return nil, ai.Errorf(ai.KindLimit, "the answer is larger than this client accepts (Limits.Answer)")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, &ai.APIError{Kind: ai.KindProtocol, Phase: ai.PhaseStream, Message: "the answer is not what was expected: " + err.Error(), Err: err}
	}
	return data, nil
}

// JSON is json.Marshal that leaves <, > and & alone: a model reads them better so.
func JSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
