package ai_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

// judge is a classifier that runs in the process.
type judge func(req ai.ClassifyRequest) (*ai.Classification, error)

func (judge) ID() string { return "judge" }
func (j judge) Classify(_ context.Context, _ *ai.Call, req ai.ClassifyRequest) (*ai.Classification, error) {
	return j(req)
}

func TestClassifyChecks(t *testing.T) {
	called := 0
	m := &ai.Model{ID: "j", Provider: "p", API: "judge", Type: ai.ModelClassifier, BaseURL: "http://x", Input: []string{"text"}}
	other := &ai.Model{ID: "o", Provider: "p", API: "other", Type: ai.ModelClassifier, BaseURL: "http://x"}
	chat := &ai.Model{ID: "c", Provider: "p", API: "judge", BaseURL: "http://x"}
	stray := &ai.Model{ID: "j", Provider: "q", API: "judge", Type: ai.ModelClassifier}
	models := ai.NewModels(ai.NewProvider(ai.ProviderConfig{ID: "p", Models: []*ai.Model{m, other, chat}, ClassifierAPIs: []ai.ClassifierAPI{
		judge(func(ai.ClassifyRequest) (*ai.Classification, error) { called++; panic("boom") }),
	}}))
	yes := ai.Question{Name: "q", Kind: ai.QuestionBool}
	for want, tt := range map[string]struct {
		m   *ai.Model
		req ai.ClassifyRequest
	}{
		"no model was chosen":           {nil, ai.ClassifyRequest{}},
		"is no classifier":              {chat, ai.ClassifyRequest{}},
		"unknown provider":              {stray, ai.ClassifyRequest{}},
		`the "other" protocol`:          {other, ai.ClassifyRequest{Questions: []ai.Question{yes}}},
		"asked no question":             {m, ai.ClassifyRequest{}},
		"takes no images":               {m, ai.ClassifyRequest{Questions: []ai.Question{yes}, Images: []*ai.Image{{}}}},
		"has no name":                   {m, ai.ClassifyRequest{Questions: []ai.Question{{Kind: ai.QuestionBool}}}},
		`two questions are named "q"`:   {m, ai.ClassifyRequest{Questions: []ai.Question{yes, yes}}},
		"has no options":                {m, ai.ClassifyRequest{Questions: []ai.Question{{Name: "q", Kind: ai.QuestionChoice}}}},
		"has no levels":                 {m, ai.ClassifyRequest{Questions: []ai.Question{{Name: "q", Kind: ai.QuestionScore}}}},
		`has the option "a" twice`:      {m, ai.ClassifyRequest{Questions: []ai.Question{{Name: "q", Kind: ai.QuestionChoice, Options: []ai.Option{{Value: "a"}, {Value: "a"}}}}}},
		`of the unknown kind "guess"`:   {m, ai.ClassifyRequest{Questions: []ai.Question{{Name: "q", Kind: "guess"}}}},
		"protocol adapter failed: boom": {m, ai.ClassifyRequest{Questions: []ai.Question{yes}}},
	} {
		c := models.Classify(t.Context(), tt.m, tt.req, ai.Options{APIKey: "k"})
		if c == nil || c.Err() == nil || !strings.Contains(c.ErrorMessage, want) || c.StopReason != ai.StopError {
			t.Errorf("want %q, got %+v", want, c)
		}
	}
	if called != 1 {
		t.Errorf("called %d times", called)
	}
	if found, err := models.ModelOfType("p", "j", ai.ModelClassifier); found != m || err != nil {
		t.Error(found, err)
	}
}

// A server that quotes the key does not get it into the answer.
func TestOneShotErrorsHoldNoKey(t *testing.T) {
	const key = "sk-one-shot-0123456789"
	quote := &ai.APIError{Kind: ai.KindAuth, Status: 401, Message: "bad key " + key, Body: key}
	judging := &ai.Model{ID: "j", Provider: "p", API: "judge", Type: ai.ModelClassifier, BaseURL: "http://x"}
	painting := &ai.Model{ID: "i", Provider: "p", API: "painter", Type: ai.ModelImage, BaseURL: "http://x"}
	models := ai.NewModels(ai.NewProvider(ai.ProviderConfig{
		ID: "p", Models: []*ai.Model{judging, painting}, ImageAPIs: []ai.ImageAPI{painter{quote}},
		ClassifierAPIs: []ai.ClassifierAPI{judge(func(ai.ClassifyRequest) (*ai.Classification, error) { return nil, quote })},
	}))
	opts := ai.Options{APIKey: key}
	c := models.Classify(t.Context(), judging, ai.ClassifyRequest{Questions: []ai.Question{{Name: "q", Kind: ai.QuestionBool}}}, opts)
	i := models.GenerateImages(t.Context(), painting, ai.ImageRequest{Input: []ai.Block{&ai.Text{Text: "x"}}}, opts)
	for _, failed := range []*ai.APIError{c.Failure, i.Failure} {
		if failed == nil || failed.Kind != ai.KindAuth || strings.Contains(failed.Error()+failed.Body+failed.Message, key) {
			t.Errorf("got %+v", failed)
		}
	}
	if strings.Contains(c.ErrorMessage+i.ErrorMessage, key) {
		t.Error(c.ErrorMessage, i.ErrorMessage)
	}
}

// painter fails.
type painter struct{ err error }

func (painter) ID() string { return "painter" }
func (p painter) GenerateImages(context.Context, *ai.Call, ai.ImageRequest) (*ai.ImageAnswer, error) {
	return nil, p.err
}
