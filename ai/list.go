package ai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

const (
	// listInterval is how long a list counts as new.
	listInterval = 4 * time.Hour
	// listTime is how long a vendor may take to give its list.
	listTime = 15 * time.Second
	// maxListBytes and maxListModels cap what a list may be.
	maxListBytes  = 32 << 20
	maxListModels = 20_000
)

// ListSource says how a vendor is asked for its models.
type ListSource struct {
	// Fetch asks. It gives [ErrNotModified] when r.ETag is still right, and
	// [ErrNoList] when the vendor has no list for this key, which drops the one
	// there was.
	Fetch func(ctx context.Context, r *ListRequest) (*ModelList, error)
	// Replaces are the types of which the vendor's list stands alone. Of other
	// types its models are laid upon the provider's own.
	Replaces []ModelType
	// Interval is how long a list counts as new; 0 means 4 hours.
	Interval time.Duration
}

// What a [ListSource] answers when there is no new list.
var (
	ErrNotModified = errors.New("the list of models has not changed")
	ErrNoList      = errors.New("there is no list of models for this key")
)

// ModelList is a list of models as a vendor gave it, and as it is stored. Times are
// Unix milliseconds, 0 for unknown.
type ModelList struct {
	Models       []*Model `json:"models"`
	LastModified int64    `json:"lastModified,omitempty"`
	CheckedAt    int64    `json:"checkedAt,omitempty"`
	ETag         string   `json:"etag,omitempty"` // as the server wrote it
}

// ListStore keeps lists of models between runs. Implementations are safe for
// concurrent use.
type ListStore interface {
	// ReadList gives the list of a provider, nil when there is none.
	ReadList(ctx context.Context, provider string) (*ModelList, error)
	// WriteList stores the list of a provider; nil removes it.
	WriteList(ctx context.Context, provider string, list *ModelList) error
}

// ListRequest is what a [ListSource] may use.
type ListRequest struct {
	Auth auth.Resolved
	// Env is the environment, with the variables of the credential on top.
	Env       auth.Environment
	HTTP      *http.Client
	UserAgent string
	// ETag is that of the list there is; "" when there is none.
	ETag string
}

// ListAnswer is the answer to [ListRequest.Get].
type ListAnswer struct {
	Body         []byte
	ETag         string
	LastModified int64 // Unix milliseconds, 0 when the server does not say
}

// Get asks for a list by HTTP: with the key as a bearer token, the headers of the
// credential, those of header, and If-None-Match. An answer of 304 is
// [ErrNotModified]; any other without success is an *[APIError]. The body is at most
// 32 MiB.
func (r *ListRequest) Get(ctx context.Context, address string, header map[string]string) (*ListAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if r.UserAgent != "" {
		req.Header.Set("User-Agent", r.UserAgent)
	}
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.Auth.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+r.Auth.APIKey)
	}
	for _, set := range []map[string]string{r.Auth.Headers, header} {
		for name, value := range set {
			req.Header.Set(name, value)
		}
	}
	res, err := r.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxListBytes+1))
	switch {
	case res.StatusCode == http.StatusNotModified:
		return nil, ErrNotModified
	case err != nil:
		return nil, fmt.Errorf("read the list: %w", err)
	case len(body) > maxListBytes:
		return nil, fmt.Errorf("the list is larger than %d MiB", maxListBytes>>20)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, ResponseError(res.StatusCode, res.Header, body)
	}
	a := &ListAnswer{Body: body, ETag: res.Header.Get("ETag")}
	if t, err := http.ParseTime(res.Header.Get("Last-Modified")); err == nil {
		a.LastModified = t.UnixMilli()
	}
	return a, nil
}

// list is the vendor's list of one provider.
type list struct {
	generation int
	cancel     context.CancelFunc // ends the refresh that runs; nil when none does
	stored     *ModelList         // nil for none
	merged     []*Model           // the provider's models with those of stored
}

// dropList forgets the list of a provider that goes. m.mu is held.
func (m *Models) dropList(id string) {
	if l := m.lists[id]; l != nil {
		if l.cancel != nil {
			l.cancel()
		}
		delete(m.lists, id)
	}
}

// listed gives all models of a provider, those of the vendor's list and those that
// the program lays beside them included.
func (m *Models) listed(p Provider) []*Model { return m.amended(p, m.offered(p)) }

// amended lets the program change the list of a provider.
func (m *Models) amended(p Provider, models []*Model) []*Model {
	if m.cfg.Amend == nil {
		return models
	}
	return m.cfg.Amend(p.ID(), models)
}

// offered gives all models of a provider, those of the vendor's list included.
func (m *Models) offered(p Provider) []*Model {
	m.mu.RLock()
	l := m.lists[p.ID()]
	if l != nil && l.stored != nil {
		defer m.mu.RUnlock()
		return l.merged
	}
	m.mu.RUnlock()
	return p.Models()
}

// merge lays a vendor's list upon the provider's own models.
func merge(p Provider, source *ListSource, fetched []*Model) []*Model {
	type key struct {
		kind ModelType
		id   string
	}
	have := make(map[key]bool, len(fetched))
	for _, model := range fetched {
		have[key{model.kind(), model.ID}] = true
	}
	var merged []*Model
	for _, model := range p.Models() {
		if !slices.Contains(source.Replaces, model.kind()) && !have[key{model.kind(), model.ID}] {
			merged = append(merged, model)
		}
	}
	return append(merged, fetched...)
}

// clean takes what is no model out of a list, and what came twice.
func (l *ModelList) clean(provider string) {
	seen := make(map[string]bool)
	var models []*Model
	for _, model := range l.Models {
		if model == nil || model.ID == "" || model.API == "" || len(models) >= maxListModels {
			continue
		}
		kind := model.kind()
		if kind != ModelChat && kind != ModelImage && kind != ModelClassifier {
			continue
		}
		if key := string(kind) + "\x00" + model.ID; !seen[key] {
			seen[key] = true
			copied := *model
			copied.Provider = provider
			if strings.TrimSpace(copied.Name) == "" {
				copied.Name = copied.ID
			}
			models = append(models, &copied)
		}
	}
	l.Models = models
}
