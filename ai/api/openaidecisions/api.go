// Package openaidecisions speaks OpenAI's protocol of classifiers, the Decisions API.
//
//	answer := models.Classify(ctx, model, ai.ClassifyRequest{
//		State:     "I was charged twice.",
//		Questions: []ai.Question{{Name: "urgent", Kind: ai.QuestionBool, Instructions: "It is urgent."}},
//	}, ai.Options{})
//
// When the model declines one question, the answer's failure is of the kind
// [ai.KindRefusal] and the other judgements are there.
package openaidecisions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the protocol's name.
const ID = "openai-decisions"

// maxImages is how many images the vendor takes.
const maxImages = 128

// New gives the protocol. It holds no state and serves any number of providers.
func New() ai.ClassifierAPI { return api{} }

type api struct{}

func (api) ID() string { return ID }

// Classify sends the request and gives the answer.
func (api) Classify(ctx context.Context, call *ai.Call, req ai.ClassifyRequest) (*ai.Classification, error) {
	url, err := wire.Endpoint(call, "/decisions")
	if err != nil {
		return nil, err
	}
	body, err := encode(call.Model, req)
	if err != nil {
		return nil, err
	}
	var a answer
	data, err := wire.PostJSON(ctx, &wire.Request{Call: call, URL: url, Auth: wire.Bearer(call), Body: [][]byte{body}}, &a)
	if err != nil {
		return nil, err
	}
	return a.decode(call.Model, data, req.Questions)
}

type request struct {
	Model     string     `json:"model"`
	Input     any        `json:"input"`
	Questions []question `json:"questions"`
}

type message struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content []part `json:"content"`
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

type question struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	Instructions string   `json:"instructions"`
	Choices      []choice `json:"choices,omitempty"`
	Levels       []level  `json:"levels,omitempty"`
}

type choice struct {
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
}

type level struct {
	Label string `json:"label"`
}

func encode(m *ai.Model, req ai.ClassifyRequest) ([]byte, error) {
	state, ok := req.State.(string)
	if !ok {
		b, err := wire.JSON(req.State)
		if err != nil {
			return nil, ai.Errorf(ai.KindBadRequest, "the state does not encode: %w", err)
		}
		state = string(b)
	}
	r := request{Model: m.ID, Input: state}
	switch n := len(req.Images); {
	case n > maxImages:
		return nil, ai.Errorf(ai.KindBadRequest, "%d images are more than the %d that the vendor takes", n, maxImages)
	case n > 0:
		var content []part
		for _, image := range req.Images {
			content = append(content, part{Type: "input_image", ImageURL: "data:" + image.MIMEType + ";base64," + image.Data})
		}
		if state != "" {
			content = append(content, part{Type: "input_text", Text: state})
		}
		r.Input = []message{{"message", "user", content}}
	}
	for _, q := range req.Questions {
		w := question{Type: string(q.Kind), Name: q.Name, Instructions: q.Instructions}
		switch q.Kind {
		case ai.QuestionChoice:
			for _, o := range q.Options {
				w.Choices = append(w.Choices, choice(o))
			}
		case ai.QuestionScore:
			for _, l := range q.Levels {
				w.Levels = append(w.Levels, level{l})
			}
		case ai.QuestionBool:
			w.Type = "predicate"
			w.Instructions = withCriteria(q)
		}
		r.Questions = append(r.Questions, w)
	}
	return wire.JSON(r)
}

// withCriteria says in words what counts as true and as false: a predicate has no
// field for it.
func withCriteria(q ai.Question) string {
	lines := []string{q.Instructions}
	if q.True != "" {
		lines = append(lines, "True: "+q.True)
	}
	if q.False != "" {
		lines = append(lines, "False: "+q.False)
	}
	return strings.Join(lines, "\n")
}

type answer struct {
	Error   json.RawMessage `json:"error"`
	Answers []struct {
		Type          string          `json:"type"`
		Name          *string         `json:"name"`
		Probability   *float64        `json:"probability"`
		Choice        json.RawMessage `json:"choice"`
		Score         *float64        `json:"score"`
		Confidence    float64         `json:"confidence"`
		Probabilities []struct {
			Value       json.RawMessage `json:"value"`
			Probability float64         `json:"probability"`
		} `json:"probabilities"`
	} `json:"answers"`
	Usage *struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Total   int64 `json:"total_tokens"`
		Details struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

func (a *answer) decode(m *ai.Model, data []byte, questions []ai.Question) (*ai.Classification, error) {
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, ai.StreamError(data)
	}
	out := &ai.Classification{Answers: make(map[string]ai.Judgement), Usage: a.usage(m)}
	var declined []string
	for i, got := range a.Answers {
		var name string
		switch {
		case got.Name != nil:
			name = *got.Name
		case i < len(questions): // answers come in the order of the questions
			name = questions[i].Name
		}
		switch {
		case got.Type == "refusal":
			declined = append(declined, name)
		case got.Type == "predicate" && got.Probability != nil:
			out.Answers[name] = ai.Judgement{Kind: ai.QuestionBool, Probability: *got.Probability}
		case got.Type == "score" && got.Score != nil:
			out.Answers[name] = ai.Judgement{Kind: ai.QuestionScore, Score: *got.Score, Confidence: got.Confidence}
		case got.Type == "choice":
			j := ai.Judgement{Kind: ai.QuestionChoice, Choice: text(got.Choice), Confidence: got.Confidence, Probabilities: make(map[string]float64)}
			for _, p := range got.Probabilities {
				j.Probabilities[text(p.Value)] = p.Probability
			}
			out.Answers[name] = j
		}
	}
	if len(declined) > 0 {
		return out, &ai.APIError{Kind: ai.KindRefusal, Phase: ai.PhaseStream, Message: "the model declined to answer: " + strings.Join(declined, ", ")}
	}
	return out, nil
}

// text reads a value of a choice: this client sends texts only.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	return s
}

func (a *answer) usage(m *ai.Model) *ai.Usage {
	u := a.Usage
	if u == nil {
		return nil
	}
	out := &ai.Usage{
		Input: max(0, u.Input-u.Details.Cached-u.Details.Written), Output: u.Output, CacheRead: u.Details.Cached, CacheWrite: u.Details.Written, Total: u.Total,
	}
	if out.Total == 0 {
		out.Total = u.Input + u.Output
	}
	out.Cost = m.Cost.Price(*out)
	return out
}
