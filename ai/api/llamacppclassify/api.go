package llamacppclassify

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the protocol's name.
const ID = "llama-cpp-classify"

// New gives the protocol. It holds no state and serves any number of servers.
func New() ai.ClassifierAPI { return api{} }

type api struct{}

func (api) ID() string { return ID }

// Classify asks the questions one after the other: they share all of their prompt
// but its end, and the server keeps that. When one fails, the judgements so far are
// there.
func (api) Classify(ctx context.Context, call *ai.Call, req ai.ClassifyRequest) (*ai.Classification, error) {
	s, err := connect(call)
	if err != nil {
		return nil, err
	}
	temperature := 1.0
	if t := call.Options.Temperature; t != nil {
		temperature = *t
	}
	switch {
	case len(req.Images) > 0:
		return nil, ai.Errorf(ai.KindBadRequest, "a llama.cpp server classifies no images")
	case temperature < 0 || math.IsNaN(temperature) || math.IsInf(temperature, 0):
		return nil, ai.Errorf(ai.KindBadRequest, "the temperature %v of a classifier is not a number from 0", temperature)
	}
	sheet, err := newSheet(req)
	if err != nil {
		return nil, err
	}
	out := &ai.Classification{Answers: make(map[string]ai.Judgement)}
	for i, q := range req.Questions {
		labels := sheet.labels[i]
		ranked, err := s.rank(ctx, q.Name, sheet.prompt(i), labels)
		s.count(out)
		if err != nil {
			return out, err
		}
		out.Answers[q.Name] = judge(q, softmax(ranked, temperature))
	}
	return out, nil
}

// server is one llama.cpp server for the time of a call.
type server struct {
	call          *ai.Call
	root          string
	tokens        map[string]int64 // of labels
	input, output int64
	counted       bool
}

// connect finds the root of the server.
func connect(call *ai.Call) (*server, error) {
	if _, err := wire.Endpoint(call, ""); err != nil {
		return nil, err
	}
	root := strings.TrimRight(call.BaseURL, "/")
	root = strings.TrimRight(strings.TrimSuffix(root, "/v1"), "/")
	return &server{call: call, root: root, tokens: make(map[string]int64)}, nil
}

func (s *server) post(ctx context.Context, path string, body, into any) error {
	data, err := wire.JSON(body)
	if err != nil {
		return ai.Errorf(ai.KindBadRequest, "the request does not encode: %w", err)
	}
	_, err = wire.PostJSON(ctx, &wire.Request{Call: s.call, URL: s.root + path, Auth: wire.Bearer(s.call), Body: [][]byte{data}}, into)
	return err
}

// chances are how many of the likeliest tokens are asked for, until every label is
// among them: few are quick, and a model that was not trained to it may rank a label
// low.
func chances(labels int) []int { return []int{max(256, 16*labels), 4096, 32768} }

// rank gives the log-probability of each label as the first token of the answer.
func (s *server) rank(ctx context.Context, question string, messages []message, labels []string) ([]float64, error) {
	ids := make([]int64, len(labels))
	owner := make(map[int64]int)
	for i, label := range labels {
		id, err := s.token(ctx, label)
		if err != nil {
			return nil, err
		}
		if j, taken := owner[id]; taken {
			return nil, ai.Errorf(ai.KindProtocol, "the vocabulary of model %s has one token for the labels %s and %s, so it can not answer %q", s.call.Model.Ref(), labels[j], label, question)
		}
		ids[i], owner[id] = id, i
	}
	prompt, err := s.template(ctx, messages)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, n := range chances(len(labels)) {
		top, err := s.complete(ctx, prompt, n)
		if err != nil {
			return nil, err
		}
		ranked := make([]float64, len(labels))
		missing = nil
		for i, id := range ids {
			p, ok := top[id]
			if !ok {
				missing = append(missing, labels[i])
			}
			ranked[i] = p
		}
		if len(missing) == 0 {
			return ranked, nil
		}
		if len(top) < n {
			break // the server has no more than it gave
		}
	}
	return nil, ai.Errorf(ai.KindProtocol, "model %s does not take %s for an answer to %q: it may be no model that follows instructions", s.call.Model.Ref(), strings.Join(missing, ", "), question)
}

// token finds the token of a label: the one with which a line of the answer would
// begin, which in many vocabularies differs from the one within a line.
func (s *server) token(ctx context.Context, label string) (int64, error) {
	if id, known := s.tokens[label]; known {
		return id, nil
	}
	lead, err := s.tokenize(ctx, "\n")
	if err != nil {
		return 0, err
	}
	line, err := s.tokenize(ctx, "\n"+label)
	if err != nil {
		return 0, err
	}
	if len(line) != len(lead)+1 || !prefixed(line, lead) {
		if line, err = s.tokenize(ctx, label); err != nil {
			return 0, err
		}
		if len(line) != 1 {
			return 0, ai.Errorf(ai.KindProtocol, "the vocabulary of model %s has no single token for the label %q, so it can not be a classifier", s.call.Model.Ref(), label)
		}
	}
	id := line[len(line)-1]
	s.tokens[label] = id
	return id, nil
}

func prefixed(list, prefix []int64) bool {
	for i, id := range prefix {
		if list[i] != id {
			return false
		}
	}
	return true
}

func (s *server) tokenize(ctx context.Context, text string) ([]int64, error) {
	var got struct {
		Tokens []int64 `json:"tokens"`
	}
	err := s.post(ctx, "/tokenize", struct {
		Model   string `json:"model"`
		Content string `json:"content"`
		Special bool   `json:"add_special"`
		Parse   bool   `json:"parse_special"`
	}{Model: s.call.Model.ID, Content: text}, &got)
	return got.Tokens, err
}

// template writes messages as the loaded model wants them, up to where its answer
// begins; a model that could think is asked not to.
func (s *server) template(ctx context.Context, messages []message) (string, error) {
	var got struct {
		Prompt *string `json:"prompt"`
	}
	err := s.post(ctx, "/apply-template", struct {
		Model    string          `json:"model"`
		Messages []message       `json:"messages"`
		Kwargs   map[string]bool `json:"chat_template_kwargs"`
	}{s.call.Model.ID, messages, map[string]bool{"enable_thinking": false}}, &got)
	switch {
	case err != nil:
		return "", err
	case got.Prompt == nil || *got.Prompt == "":
		return "", unexpected("/apply-template gave no prompt")
	}
	return *got.Prompt, nil
}

// complete asks for one token and gives the log-probabilities of the n likeliest.
func (s *server) complete(ctx context.Context, prompt string, n int) (map[int64]float64, error) {
	type token struct {
		ID      *int64   `json:"id"`
		LogProb *float64 `json:"logprob"`
	}
	var got struct {
		Error         json.RawMessage `json:"error"`
		Probabilities []struct {
			Top []token `json:"top_logprobs"`
		} `json:"completion_probabilities"`
		Evaluated *int64 `json:"tokens_evaluated"`
		Predicted int64  `json:"tokens_predicted"`
	}
	err := s.post(ctx, "/completion", struct {
		Model       string `json:"model"`
		Prompt      string `json:"prompt"`
		Predict     int    `json:"n_predict"`
		Probs       int    `json:"n_probs"`
		PostSample  bool   `json:"post_sampling_probs"`
		CachePrompt bool   `json:"cache_prompt"`
		Temperature int    `json:"temperature"`
	}{Model: s.call.Model.ID, Prompt: prompt, Predict: 1, Probs: n, CachePrompt: true}, &got)
	if err != nil {
		return nil, err
	}
	if len(got.Error) > 0 && string(got.Error) != "null" {
		return nil, ai.StreamError(got.Error)
	}
	if got.Evaluated != nil {
		s.counted = true
		s.input, s.output = s.input+*got.Evaluated, s.output+got.Predicted
	}
	if len(got.Probabilities) == 0 || len(got.Probabilities[0].Top) == 0 {
		return nil, unexpected("/completion gave no log-probabilities")
	}
	top := make(map[int64]float64, len(got.Probabilities[0].Top))
	for _, t := range got.Probabilities[0].Top {
		if t.ID == nil || t.LogProb == nil {
			return nil, unexpected("/completion gave a token without id or logprob")
		}
		top[*t.ID] = *t.LogProb
	}
	return top, nil
}

func unexpected(what string) error {
	return &ai.APIError{Kind: ai.KindProtocol, Phase: ai.PhaseStream, Message: fmt.Sprintf("the answer of the llama.cpp server is not what was expected: %s", what)}
}

// count notes what was spent so far.
func (s *server) count(out *ai.Classification) {
	if !s.counted {
		return
	}
	out.Usage = &ai.Usage{Input: s.input, Output: s.output, Total: s.input + s.output}
	out.Usage.Cost = s.call.Model.Cost.Price(*out.Usage)
}
