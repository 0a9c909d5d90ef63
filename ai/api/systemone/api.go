// Package systemone speaks the protocol of TypeSafe's classifiers, which other
// vendors speak too, directly or within an envelope of Cloudflare's.
//
//	answer := models.Classify(ctx, model, ai.ClassifyRequest{
//		State:     "I was charged twice.",
//		Questions: []ai.Question{{Name: "urgent", Kind: ai.QuestionBool, Instructions: "Is it urgent?"}},
//	}, ai.Options{})
//	if answer.Err() == nil && answer.Answers["urgent"].Probability > 0.8 { … }
package systemone

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// The names of the protocols.
const (
	ID           = "typesafe-system-one"
	CloudflareID = "cloudflare-workers-ai-system-one"
)

// Compat says how a vendor differs. It is the shape of [ai.Model].Compat for these
// protocols. A field that is nil or empty is decided by provider and model.
type Compat struct {
	// ImageInput is how images are sent: "assets" by name, "images" apart from the
	// state, or "state-image-urls" within it.
	ImageInput string `json:"imageInput,omitempty"`
	// SendImageOptInHeader makes requests with images say that images are meant.
	SendImageOptInHeader *bool `json:"sendImageOptInHeader,omitempty"`
}

// Config adapts the protocol to a provider.
type Config struct {
	// Path lies between the base URL and the endpoint.
	Path string
}

// New gives TypeSafe's protocol. It holds no state and serves any number of
// providers.
func New() ai.ClassifierAPI { return Config{}.New() }

// New gives TypeSafe's protocol, adapted.
func (c Config) New() ai.ClassifierAPI { return api{path: c.Path} }

// Cloudflare gives the protocol within the envelope of Workers AI.
func Cloudflare() ai.ClassifierAPI { return api{cloudflare: true} }

type api struct {
	cloudflare bool
	path       string
}

func (a api) ID() string {
	if a.cloudflare {
		return CloudflareID
	}
	return ID
}

// Classify sends the request and gives the answer.
func (a api) Classify(ctx context.Context, call *ai.Call, req ai.ClassifyRequest) (*ai.Classification, error) {
	path := a.path + "/systemone"
	if a.cloudflare {
		path = "/run"
	}
	url, err := wire.Endpoint(call, path)
	if err != nil {
		return nil, err
	}
	traits, err := a.traits(call)
	if err != nil {
		return nil, err
	}
	body, err := a.encode(call.Model, req, traits.ImageInput)
	if err != nil {
		return nil, err
	}
	headers := make(map[string]string)
	if len(req.Images) > 0 && *traits.SendImageOptInHeader {
		headers["TypeSafe-Danger-Zone-Images"] = "true"
	}
	var got json.RawMessage
	if _, err := wire.PostJSON(ctx, &wire.Request{Call: call, URL: url, Auth: wire.Bearer(call), Headers: headers, Body: [][]byte{body}}, &got); err != nil {
		return nil, err
	}
	if a.cloudflare {
		if got, err = open(got); err != nil {
			return nil, err
		}
	}
	return decode(call.Model, got)
}

func (a api) traits(call *ai.Call) (Compat, error) {
	var c Compat
	if len(call.Model.Compat) > 0 {
		if err := json.Unmarshal(call.Model.Compat, &c); err != nil {
			return c, ai.Errorf(ai.KindConfig, "compat of model %s: %w", call.Model.Ref(), err)
		}
	}
	openRouter := call.Model.Provider == "openrouter" || wire.HostMatches(call.BaseURL, "openrouter.ai")
	if c.ImageInput == "" {
		switch {
		case openRouter:
			c.ImageInput = "state-image-urls"
		case a.cloudflare && strings.HasPrefix(call.Model.ID, "@cf/cloudflare/clef"):
			c.ImageInput = "images"
		default:
			c.ImageInput = "assets"
		}
	}
	if c.SendImageOptInHeader == nil {
		send := !a.cloudflare && !openRouter
		c.SendImageOptInHeader = &send
	}
	return c, nil
}

type question struct {
	Type         string          `json:"type"`
	Instructions string          `json:"instructions"`
	Criteria     json.RawMessage `json:"criteria,omitempty"`
}

type asset struct {
	Type   string `json:"type"`
	Format string `json:"format"`
	Data   string `json:"data_base64"`
}

type input struct {
	Model     string           `json:"model,omitempty"`
	State     json.RawMessage  `json:"state"`
	Assets    map[string]asset `json:"assets,omitempty"`
	Images    []string         `json:"images,omitempty"`
	Questions json.RawMessage  `json:"questions"`
}

func (a api) encode(m *ai.Model, req ai.ClassifyRequest, imageInput string) ([]byte, error) {
	state, err := wire.JSON(req.State)
	if err != nil {
		return nil, ai.Errorf(ai.KindBadRequest, "the state does not encode: %w", err)
	}
	in := input{Model: m.ID, State: state}
	if in.Questions, err = questions(req.Questions); err != nil {
		return nil, err
	}
	if len(req.Images) > 0 {
		if err := in.add(req.Images, imageInput); err != nil {
			return nil, err
		}
	}
	if !a.cloudflare {
		return wire.JSON(in)
	}
	in.Model = ""
	return wire.JSON(struct {
		Model string `json:"model"`
		Input input  `json:"input"`
	}{m.ID, in})
}

// add puts the images where the vendor looks for them.
func (in *input) add(images []*ai.Image, how string) error {
	var lead []any
	for i, image := range images {
		data := "data:" + image.MIMEType + ";base64," + image.Data
		switch how {
		case "assets":
			format, ok := strings.CutPrefix(image.MIMEType, "image/")
			if !ok || format != "png" && format != "jpeg" {
				return ai.Errorf(ai.KindBadRequest, "image %d is %s, the vendor takes PNG and JPEG only", i+1, image.MIMEType)
			}
			if in.Assets == nil {
				in.Assets = make(map[string]asset)
			}
			name := "image_" + strconv.Itoa(i+1)
			in.Assets[name] = asset{"image", format, image.Data}
			lead = append(lead, name)
		case "images":
			const most = 4
			switch {
			case len(images) > most:
				return ai.Errorf(ai.KindBadRequest, "%d images are more than the %d that the vendor takes", len(images), most)
			case image.MIMEType != "image/png" && image.MIMEType != "image/jpeg" && image.MIMEType != "image/webp":
				return ai.Errorf(ai.KindBadRequest, "image %d is %s, the vendor takes PNG, JPEG and WebP only", i+1, image.MIMEType)
			}
			in.Images = append(in.Images, data)
		case "state-image-urls":
			lead = append(lead, map[string]any{"type": "image_url", "image_url": map[string]string{"url": data}})
		default:
			return ai.Errorf(ai.KindConfig, "compat: unknown imageInput %q", how)
		}
	}
	if len(lead) == 0 {
		return nil
	}
	// The vendor finds images among the items of a list: a state that is one gets
	// more items, another becomes the last item.
	var items []json.RawMessage
	if in.State[0] != '[' || json.Unmarshal(in.State, &items) != nil {
		items = []json.RawMessage{in.State}
	}
	all := lead
	for _, item := range items {
		all = append(all, item)
	}
	state, err := wire.JSON(all)
	in.State = state
	return err
}

// questions writes the questions by name, in order: a model may read them so.
func questions(list []ai.Question) (json.RawMessage, error) {
	keys, values := make([]string, len(list)), make([]any, len(list))
	for i, q := range list {
		w := question{Type: string(q.Kind), Instructions: q.Instructions}
		var err error
		switch q.Kind {
		case ai.QuestionChoice:
			names, says := make([]string, len(q.Options)), make([]any, len(q.Options))
			for i, o := range q.Options {
				names[i], says[i] = o.Value, o.Description
			}
			w.Criteria, err = ordered(names, says)
		case ai.QuestionScore:
			w.Criteria, err = wire.JSON(q.Levels)
		case ai.QuestionBool:
			w.Type = "noul"
			if q.True != "" || q.False != "" {
				w.Criteria, err = ordered([]string{"true", "false"}, []any{q.True, q.False})
			}
		}
		if err != nil {
			return nil, err
		}
		keys[i], values[i] = q.Name, w
	}
	return ordered(keys, values)
}

// ordered writes an object whose keys keep their order.
func ordered(keys []string, values []any) (json.RawMessage, error) {
	dst := []byte{'{'}
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		k, err := wire.JSON(key)
		if err != nil {
			return nil, err
		}
		v, err := wire.JSON(values[i])
		if err != nil {
			return nil, err
		}
		dst = append(append(append(dst, k...), ':'), v...)
	}
	return append(dst, '}'), nil
}

// open takes the answer out of Cloudflare's envelope.
func open(data json.RawMessage) (json.RawMessage, error) {
	var e struct {
		Success *bool           `json:"success"`
		Errors  json.RawMessage `json:"errors"`
		Result  json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, unexpected(err)
	}
	if e.Success != nil && !*e.Success {
		return nil, ai.StreamError(data)
	}
	if len(e.Result) == 0 || e.Result[0] != '{' {
		return nil, unexpected(errors.New("it has no result"))
	}
	var job struct {
		State  *string         `json:"state"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(e.Result, &job); err != nil {
		return nil, unexpected(err)
	}
	switch {
	case job.State == nil:
		return e.Result, nil
	case *job.State != "Completed":
		return nil, ai.Errorf(ai.KindServer, "the vendor did not complete the request: it is %q", *job.State)
	}
	return job.Result, nil
}

func unexpected(err error) error {
	return &ai.APIError{Kind: ai.KindProtocol, Phase: ai.PhaseStream, Message: "the answer is not what was expected: " + err.Error(), Err: err}
}

func decode(m *ai.Model, data json.RawMessage) (*ai.Classification, error) {
	var got struct {
		Error   json.RawMessage `json:"error"`
		Answers map[string]struct {
			Type          string          `json:"type"`
			Choice        string          `json:"choice"`
			Noul          *float64        `json:"noul"`
			Score         *float64        `json:"score"`
			Confidence    float64         `json:"confidence"`
			Probabilities json.RawMessage `json:"probabilities"`
		} `json:"answers"`
		Usage *struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return nil, unexpected(err)
	}
	if len(got.Error) > 0 && string(got.Error) != "null" {
		return nil, ai.StreamError(data)
	}
	out := &ai.Classification{Answers: make(map[string]ai.Judgement)}
	for name, a := range got.Answers {
		switch {
		case a.Type == "choice":
			j := ai.Judgement{Kind: ai.QuestionChoice, Choice: a.Choice, Confidence: a.Confidence}
			if len(a.Probabilities) > 0 {
				if err := json.Unmarshal(a.Probabilities, &j.Probabilities); err != nil {
					return nil, unexpected(err)
				}
			}
			out.Answers[name] = j
		case a.Type == "score" && a.Score != nil:
			out.Answers[name] = ai.Judgement{Kind: ai.QuestionScore, Score: *a.Score, Confidence: a.Confidence}
		case a.Type == "noul" && a.Noul != nil:
			out.Answers[name] = ai.Judgement{Kind: ai.QuestionBool, Probability: *a.Noul}
		}
	}
	if u := got.Usage; u != nil {
		out.Usage = &ai.Usage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output}
		out.Usage.Cost = m.Cost.Price(*out.Usage)
	}
	return out, nil
}
