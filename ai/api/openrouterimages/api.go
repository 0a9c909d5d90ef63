// Package openrouterimages speaks OpenRouter's protocol of image models: a chat
// completion whose answer holds images.
//
//	answer := models.GenerateImages(ctx, model, ai.ImageRequest{Input: []ai.Block{&ai.Text{Text: "A red kite."}}}, ai.Options{})
//	for _, image := range answer.Images() { … }
package openrouterimages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// ID is the protocol's name.
const ID = "openrouter-images"

// New gives the protocol. It holds no state and serves any number of providers.
func New() ai.ImageAPI { return api{} }

type api struct{}

func (api) ID() string { return ID }

// GenerateImages sends the request and gives the answer.
func (api) GenerateImages(ctx context.Context, call *ai.Call, req ai.ImageRequest) (*ai.ImageAnswer, error) {
	url, err := wire.Endpoint(call, "/chat/completions")
	if err != nil {
		return nil, err
	}
	body, err := encode(call.Model, req.Input)
	if err != nil {
		return nil, err
	}
	var a answer
	data, err := wire.PostJSON(ctx, &wire.Request{Call: call, URL: url, Auth: wire.Bearer(call), Body: [][]byte{body}}, &a)
	if err != nil {
		return nil, err
	}
	return a.decode(call.Model, data)
}

// encode writes one message of the user.
func encode(m *ai.Model, input []ai.Block) ([]byte, error) {
	dst := append([]byte(`{"model":`), jsonobj.AppendString(nil, m.ID)...)
	dst = append(dst, `,"messages":[{"role":"user","content":[`...)
	n := 0
	for _, b := range input {
		switch b := b.(type) {
		case *ai.Text:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			dst = comma(dst, &n)
			dst = append(dst, `{"type":"text","text":`...)
			dst = jsonobj.AppendString(dst, b.Text)
			dst = append(dst, '}')
		case *ai.Image:
			if !m.Accepts("image") {
				return nil, ai.Errorf(ai.KindBadRequest, "model %s takes no images", m.Ref())
			}
			dst = comma(dst, &n)
			dst = append(dst, `{"type":"image_url","image_url":{"url":`...)
			dst = jsonobj.AppendString(dst, "data:"+b.MIMEType+";base64,"+b.Data)
			dst = append(dst, `}}`...)
		}
	}
	if n == 0 {
		return nil, ai.Errorf(ai.KindBadRequest, "there is nothing to paint: the request has neither text nor image")
	}
	modalities := `["image"]`
	if slices.Contains(m.Output, "text") {
		modalities = `["image","text"]`
	}
	return append(dst, `]}],"stream":false,"modalities":`+modalities+`}`...), nil
}

func comma(dst []byte, n *int) []byte {
	if *n++; *n > 1 {
		dst = append(dst, ',')
	}
	return dst
}

type answer struct {
	ID      string          `json:"id"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Finish  string          `json:"finish_reason"`
		Error   json.RawMessage `json:"error"`
		Message struct {
			Content json.RawMessage `json:"content"`
			Refusal string          `json:"refusal"`
			Images  []struct {
				URL json.RawMessage `json:"image_url"`
			} `json:"images"`
		} `json:"message"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Total      int64 `json:"total_tokens"`
		Details    struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		Output struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		wire.Bill
	} `json:"usage"`
}

func (a *answer) decode(m *ai.Model, data []byte) (*ai.ImageAnswer, error) {
	if given(a.Error) {
		return nil, ai.StreamError(data)
	}
	out := &ai.ImageAnswer{ResponseID: a.ID, Usage: a.usage(m)}
	if len(a.Choices) == 0 {
		return out, ai.Errorf(ai.KindProtocol, "the answer holds no choice")
	}
	c := a.Choices[0]
	if given(c.Error) {
		return out, ai.StreamError(c.Error)
	}
	if text := contentText(c.Message.Content); text != "" {
		out.Output = append(out.Output, &ai.Text{Text: text})
	}
	for _, i := range c.Message.Images {
		if image := dataURL(i.URL); image != nil {
			out.Output = append(out.Output, image)
		}
	}
	switch {
	case c.Finish == "content_filter" || c.Message.Refusal != "":
		text := "the vendor declined to paint that"
		if c.Message.Refusal != "" {
			text += ": " + c.Message.Refusal
		}
		return out, &ai.APIError{Kind: ai.KindRefusal, Phase: ai.PhaseStream, Code: c.Finish, Message: text}
	case len(out.Images()) == 0:
		text := "the answer holds no image"
		if said := ai.TextOf(out.Output, ""); said != "" {
			text += fmt.Sprintf("; the model says: %s", said)
		}
		return out, ai.Errorf(ai.KindProtocol, "%s", text)
	}
	return out, nil
}

func given(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" }

// contentText reads a text, or a list of parts with text.
func contentText(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(v, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// dataURL reads an image from a data URL, given as text or as {"url": text}; nil for
// anything else.
func dataURL(v json.RawMessage) *ai.Image {
	var address string
	if json.Unmarshal(v, &address) != nil {
		var object struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(v, &object) != nil {
			return nil
		}
		address = object.URL
	}
	image, err := parseDataURL(address)
	if err != nil {
		return nil
	}
	return image
}

func parseDataURL(address string) (*ai.Image, error) {
	rest, ok := strings.CutPrefix(address, "data:")
	if !ok {
		return nil, errors.New("no data URL")
	}
	kind, data, ok := strings.Cut(rest, ",")
	kind, base64 := strings.CutSuffix(kind, ";base64")
	kind, _, _ = strings.Cut(kind, ";")
	if !ok || !base64 || !strings.HasPrefix(kind, "image/") || data == "" {
		return nil, errors.New("no image in base64")
	}
	return &ai.Image{MIMEType: kind, Data: data}, nil
}

// usage maps what was counted, as chat completions do: cached tokens are those that
// were read, and what was written to the cache is apart.
func (a *answer) usage(m *ai.Model) *ai.Usage {
	u := a.Usage
	if u == nil {
		return nil
	}
	out := &ai.Usage{
		Input: max(0, u.Prompt-u.Details.Cached-u.Details.Written), Output: u.Completion, CacheRead: u.Details.Cached, CacheWrite: u.Details.Written,
		Reasoning: u.Output.Reasoning, HasReasoning: u.Output.Reasoning > 0, Total: u.Total,
	}
	if out.Total == 0 {
		out.Total = out.Input + out.Output + out.CacheRead + out.CacheWrite
	}
	out.Cost = m.Cost.Price(*out)
	if cost, ok := u.Dollars(); ok {
		out.Cost.Total, out.Cost.FromProvider = cost, true
	}
	return out
}
