package ai

import (
	"context"
	"fmt"
	"slices"
)

// QuestionKind is the kind of a [Question].
type QuestionKind string

// The kinds of questions.
const (
	// QuestionChoice asks which of Options fits.
	QuestionChoice QuestionKind = "choice"
	// QuestionScore asks for a place on the scale of Levels.
	QuestionScore QuestionKind = "score"
	// QuestionBool asks whether something is so.
	QuestionBool QuestionKind = "bool"
)

// Question is one thing a classifier is asked about the state.
type Question struct {
	Name string // by which the answer is found
	Kind QuestionKind
	// Instructions is the question itself.
	Instructions string
	// Options are what a choice is made of.
	Options []Option
	// Levels are the steps of a score, lowest first.
	Levels []string
	// True and False say, if set, what counts as such in a bool.
	True, False string
}

// Option is one of the values of a choice.
type Option struct {
	Value string
	// Description says when the value fits; may be empty.
	Description string
}

// ClassifyRequest says what is judged, and what about it.
type ClassifyRequest struct {
	// State is what is judged: a text, or a value that encoding/json writes.
	State     any
	Images    []*Image
	Questions []Question
}

// Judgement answers one [Question]. Which fields count depends on its kind.
type Judgement struct {
	Kind QuestionKind
	// Choice is the value that fits best, Probabilities what each has.
	Choice        string
	Probabilities map[string]float64
	// Score is the expected place on the scale, where the lowest level is what the
	// vendor counts it as.
	Score float64
	// Confidence is how sure the model is of a choice or a score, 0 when the vendor
	// does not say.
	Confidence float64
	// Probability is how likely a bool is true.
	Probability float64
}

// Classification is what a classifier gave.
type Classification struct {
	API      string
	Provider string
	Model    string
	// Answers has one judgement per question, by name; when there is a failure it
	// may have fewer.
	Answers map[string]Judgement
	// Usage is what was counted; nil when the vendor says nothing.
	Usage *Usage
	// StopReason is StopEnd, StopError or StopAborted.
	StopReason StopReason
	// ErrorMessage is for people, Failure for programs; both set unless StopEnd.
	ErrorMessage string
	Failure      *APIError
	// Timestamp is when the request was made, in Unix milliseconds.
	Timestamp int64
}

// Err gives the failure, nil when there was none.
func (c *Classification) Err() error {
	if c.Failure == nil {
		return nil
	}
	return c.Failure
}

// ClassifierAPI is a wire protocol of classifiers. Implementations are safe for
// concurrent use.
type ClassifierAPI interface {
	// ID is the protocol's name, such as "openai-decisions".
	ID() string
	// Classify sends the call and gives the answer. The request has been checked,
	// and what identifies the answer is filled in by the caller.
	Classify(ctx context.Context, call *Call, req ClassifyRequest) (*Classification, error)
}

// ClassifierProvider is a [Provider] that has classifiers.
type ClassifierProvider interface {
	// ClassifierAPI gives the protocol of a classifier, or an error naming what is
	// missing.
	ClassifierAPI(m *Model) (ClassifierAPI, error)
}

func (p *provider) ClassifierAPI(m *Model) (ClassifierAPI, error) {
	at := slices.IndexFunc(p.c.ClassifierAPIs, func(a ClassifierAPI) bool { return a.ID() == m.API })
	if at < 0 {
		return nil, Errorf(KindConfig, "provider %s has no implementation of the %q protocol that classifier %s needs", p.c.ID, m.API, m.ID)
	}
	return p.c.ClassifierAPIs[at], nil
}

// classifierRetries is how often a classifier is asked again unless the options say
// otherwise: its answers are small and wanted at once.
const classifierRetries = 2

// Classify asks a classifier. It never fails and never panics: what goes wrong is in
// the answer, which is never nil. Unless that has a failure, every question has its
// judgement. Options of streams have no effect; MaxRetries is 2 unless set, and none
// when negative.
func (m *Models) Classify(ctx context.Context, model *Model, req ClassifyRequest, opts Options) *Classification {
	begin := m.cfg.Now()
	ctx, w := m.watchCall(ctx, model)
	answer, err := m.classify(ctx, model, req, opts)
	if answer == nil {
		answer = new(Classification)
	}
	answer.Timestamp = begin.UnixMilli()
	if model != nil {
		answer.API, answer.Provider, answer.Model = model.API, model.Provider, model.ID
	}
	if err == nil {
		err = complete(answer, req.Questions)
	}
	answer.StopReason, answer.ErrorMessage, answer.Failure = outcome(ctx, err, model)
	w.end(answer.StopReason, answer.ErrorMessage, answer.Usage, "")
	return answer
}

func (m *Models) classify(ctx context.Context, model *Model, req ClassifyRequest, opts Options) (answer *Classification, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &APIError{Kind: KindInternal, Message: fmt.Sprintf("protocol adapter failed: %v", r)}
		}
	}()
	p, resolved, err := m.prepare(ctx, model, ModelClassifier, "classifier", opts)
	if err != nil {
		return nil, err
	}
	judge, ok := p.(ClassifierProvider)
	if !ok {
		return nil, Errorf(KindConfig, "provider %s has no classifiers", p.ID())
	}
	api, err := judge.ClassifierAPI(model)
	if err != nil {
		return nil, err
	}
	if err := checkQuestions(req.Questions); err != nil {
		return nil, err
	}
	if len(req.Images) > 0 && !model.Accepts("image") {
		return nil, Errorf(KindBadRequest, "model %s takes no images", model.Ref())
	}
	if req.State == nil {
		req.State = ""
	}
	switch {
	case opts.MaxRetries == 0:
		opts.MaxRetries = classifierRetries
	case opts.MaxRetries < 0:
		opts.MaxRetries = 0
	}
	call, err := m.call(p, model, ThinkingOff, Request{}, opts, resolved)
	if err != nil {
		return nil, err
	}
	answer, err = api.Classify(ctx, call, req)
	return answer, call.secrets.error(err)
}

// checkQuestions finds what no vendor can answer.
func checkQuestions(questions []Question) error {
	if len(questions) == 0 {
		return Errorf(KindBadRequest, "a classifier was asked no question")
	}
	names := make(map[string]bool)
	for _, q := range questions {
		switch {
		case q.Name == "":
			return Errorf(KindBadRequest, "a question has no name")
		case names[q.Name]:
			return Errorf(KindBadRequest, "two questions are named %q", q.Name)
		case q.Kind == QuestionChoice && len(q.Options) == 0:
			return Errorf(KindBadRequest, "the choice %q has no options", q.Name)
		case q.Kind == QuestionScore && len(q.Levels) == 0:
			return Errorf(KindBadRequest, "the score %q has no levels", q.Name)
		case q.Kind != QuestionChoice && q.Kind != QuestionScore && q.Kind != QuestionBool:
			return Errorf(KindBadRequest, "question %q is of the unknown kind %q", q.Name, q.Kind)
		}
		names[q.Name] = true
		values := make(map[string]bool)
		for _, o := range q.Options {
			if values[o.Value] {
				return Errorf(KindBadRequest, "the choice %q has the option %q twice", q.Name, o.Value)
			}
			values[o.Value] = true
		}
	}
	return nil
}

// complete makes sure that nobody takes an answer that is not there for a zero.
func complete(c *Classification, questions []Question) error {
	for _, q := range questions {
		j, ok := c.Answers[q.Name]
		switch {
		case !ok:
			return Errorf(KindProtocol, "the question %q was not answered", q.Name)
		case j.Kind != q.Kind:
			return Errorf(KindProtocol, "the question %q of the kind %s was answered as a %s", q.Name, q.Kind, j.Kind)
		case q.Kind == QuestionChoice && !slices.ContainsFunc(q.Options, func(o Option) bool { return o.Value == j.Choice }):
			return Errorf(KindProtocol, "the question %q was answered by %q, which is none of its options", q.Name, j.Choice)
		}
	}
	return nil
}
