package ai

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

// ImageRequest says what is to be painted.
type ImageRequest struct {
	Input []Block // *Text and *Image
}

// ImageAnswer is what an image model gave.
type ImageAnswer struct {
	API      string
	Provider string
	Model    string
	Output   []Block // *Text and *Image, in the order of the answer
	// ResponseID is the vendor's name of the answer.
	ResponseID string
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
func (a *ImageAnswer) Err() error {
	if a.Failure == nil {
		return nil
	}
	return a.Failure
}

// Images lists the images of the answer.
func (a *ImageAnswer) Images() []*Image {
	var list []*Image
	for _, b := range a.Output {
		if i, ok := b.(*Image); ok {
			list = append(list, i)
		}
	}
	return list
}

// ImageAPI is a wire protocol of image models. Implementations are safe for
// concurrent use.
type ImageAPI interface {
	// ID is the protocol's name, such as "openrouter-images".
	ID() string
	// GenerateImages sends the call, whose one message is the request, and gives
	// the answer. What identifies it is filled in by the caller.
	GenerateImages(ctx context.Context, call *Call, req ImageRequest) (*ImageAnswer, error)
}

// ImageProvider is a [Provider] that has image models.
type ImageProvider interface {
	// ImageAPI gives the protocol of an image model, or an error naming what is
	// missing.
	ImageAPI(m *Model) (ImageAPI, error)
}

func (p *provider) ImageAPI(m *Model) (ImageAPI, error) {
	at := slices.IndexFunc(p.c.ImageAPIs, func(a ImageAPI) bool { return a.ID() == m.API })
	if at < 0 {
		return nil, Errorf(KindConfig, "provider %s has no implementation of the %q protocol that image model %s needs", p.c.ID, m.API, m.ID)
	}
	return p.c.ImageAPIs[at], nil
}

// ModelOfType finds a model of one type. The error names the nearest known ids.
func (m *Models) ModelOfType(provider, id string, kind ModelType) (*Model, error) {
	if kind == "" || kind == ModelChat {
		return m.Model(provider, id)
	}
	if m.Provider(provider) == nil {
		return nil, Errorf(KindConfig, "unknown provider %q%s", provider, DidYouMean(provider, m.providerIDs()))
	}
	var ids []string
	for _, model := range m.List(provider) {
		if model.Type != kind {
			continue
		}
		if model.ID == id {
			return model, nil
		}
		ids = append(ids, model.ID)
	}
	return nil, Errorf(KindConfig, "provider %s has no %s model %q%s", provider, kind, id, DidYouMean(id, ids))
}

// GenerateImages asks an image model. It never fails and never panics: what goes
// wrong is in the answer, which is never nil. Options of streams have no effect.
func (m *Models) GenerateImages(ctx context.Context, model *Model, req ImageRequest, opts Options) *ImageAnswer {
	begin := m.cfg.Now()
	ctx, w := m.watchCall(ctx, model)
	answer, err := m.generateImages(ctx, model, req, opts)
	if answer == nil {
		answer = new(ImageAnswer)
	}
	answer.Timestamp = begin.UnixMilli()
	if model != nil {
		answer.API, answer.Provider, answer.Model = model.API, model.Provider, model.ID
	}
	answer.StopReason, answer.ErrorMessage, answer.Failure = outcome(ctx, err, model)
	w.end(answer.StopReason, answer.ErrorMessage, answer.Usage, answer.ResponseID)
	return answer
}

// outcome says how a call that does not stream ended.
func outcome(ctx context.Context, err error, model *Model) (StopReason, string, *APIError) {
	if err == nil {
		return StopEnd, "", nil
	}
	failure := asAPIError(ctx, err, model)
	reason := StopError
	if failure.Kind == KindAborted {
		reason = StopAborted
	}
	return reason, failure.Error(), failure
}

func (m *Models) generateImages(ctx context.Context, model *Model, req ImageRequest, opts Options) (answer *ImageAnswer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &APIError{Kind: KindInternal, Message: fmt.Sprintf("protocol adapter failed: %v", r)}
		}
	}()
	p, resolved, err := m.prepare(ctx, model, ModelImage, "image model", opts)
	if err != nil {
		return nil, err
	}
	painter, ok := p.(ImageProvider)
	if !ok {
		return nil, Errorf(KindConfig, "provider %s has no image models", p.ID())
	}
	api, err := painter.ImageAPI(model)
	if err != nil {
		return nil, err
	}
	question := &UserMessage{Content: req.Input, Timestamp: m.cfg.Now().Round(time.Millisecond).UnixMilli()}
	call, err := m.call(p, model, ThinkingOff, Request{Messages: []Message{question}}, opts, resolved)
	if err != nil {
		return nil, err
	}
	answer, err = api.GenerateImages(ctx, call, req)
	return answer, call.secrets.error(err)
}

// prepare finds the provider and the credentials of a call that does not stream.
func (m *Models) prepare(ctx context.Context, model *Model, kind ModelType, what string, opts Options) (Provider, auth.Resolved, error) {
	switch {
	case model == nil:
		return nil, auth.Resolved{}, Errorf(KindConfig, "no model was chosen")
	case model.Type != kind:
		return nil, auth.Resolved{}, Errorf(KindConfig, "model %s is no %s", model.Ref(), what)
	case ctx.Err() != nil:
		return nil, auth.Resolved{}, context.Cause(ctx)
	}
	p := m.Provider(model.Provider)
	if p == nil {
		return nil, auth.Resolved{}, Errorf(KindConfig, "unknown provider %q%s", model.Provider, DidYouMean(model.Provider, m.providerIDs()))
	}
	resolved, err := m.resolveAuth(ctx, p, opts)
	return p, resolved, err
}
