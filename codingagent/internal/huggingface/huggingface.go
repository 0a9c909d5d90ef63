// Package huggingface searches Hugging Face for models that llama.cpp can run.
//
//	hub := huggingface.Open(env.Lookup, home)
//	repositories, err := hub.Search(ctx, "qwen3 coder")
//	repository, err := hub.Repository(ctx, repositories[0].ID)
//	fmt.Println(repository.Quantizations)
//
// Nothing is downloaded here. What the site answers is bounded, names that are none are
// left out, and no error holds the token or what the site wrote.
package huggingface

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/codingagent/internal/webaddress"
)

const (
	// maxAnswer caps an answer in bytes, maxFound how many repositories a search gives.
	maxAnswer = 8 << 20
	maxFound  = 50
	// patience is how long an answer may take.
	patience = 20 * time.Second
	// maxHops is how often the site may say that something is elsewhere: repositories
	// are renamed.
	maxHops = 3
)

// Hub is the site, or a mirror of it. It is safe for concurrent use.
type Hub struct {
	// Endpoint is its address, without a slash at the end.
	Endpoint string
	// Token is what is sent with each request, "" for none; TokenFrom says where it is
	// from, for people. It goes to nobody in the clear, but to this machine.
	Token, TokenFrom string
	// Client sends the requests; nil means [http.DefaultClient].
	Client *http.Client
}

// Repository is one that holds models in the form of llama.cpp.
type Repository struct {
	// ID is "owner/name".
	ID string
	// Downloads is how often it was fetched of late.
	Downloads int64
	// Gated says that only people who were given access can download it.
	Gated bool
	// Quantizations are what can be chosen of it, the smallest first; a search leaves
	// them out.
	Quantizations []Quantization
}

// repositoryName is what a repository may be called.
var repositoryName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}$`)
})

// Exact reads "owner/repository" and "owner/repository:quantization"; ok is false for
// anything else.
func Exact(name string) (repository, quantization string, ok bool) {
	repository, quantization, _ = strings.Cut(name, ":")
	return repository, quantization, repositoryName().MatchString(repository)
}

// Page is where people read of a repository, and ask for access.
func (h Hub) Page(repository string) string {
	u, err := url.Parse(h.Endpoint)
	if err != nil {
		return repository
	}
	u.User = nil
	return u.JoinPath(repository).String()
}

// about is what the site tells of a repository.
type about struct {
	ID        string          `json:"id"`
	Downloads float64         `json:"downloads"`
	Gated     json.RawMessage `json:"gated"` // false, "auto" or "manual"
	Siblings  []struct {
		Name string  `json:"rfilename"`
		Size float64 `json:"size"`
	} `json:"siblings"`
}

func (a about) repository() Repository {
	gated := string(a.Gated)
	return Repository{ID: a.ID, Downloads: int64(max(min(a.Downloads, 1e15), 0)), Gated: gated != "" && gated != "false" && gated != "null"}
}

// Search gives the repositories with models for llama.cpp that some words find, those
// that are downloaded most first.
func (h Hub) Search(ctx context.Context, words string) ([]Repository, error) {
	query := url.Values{
		"search": {words}, "filter": {"gguf"}, "sort": {"downloads"}, "direction": {"-1"},
		"limit": {strconv.Itoa(maxFound)}, "expand": {"downloads", "gated"},
	}
	var answer []about
	if err := h.get(ctx, "/api/models?"+query.Encode(), &answer); err != nil {
		return nil, fmt.Errorf("search Hugging Face: %w", err)
	}
	var out []Repository
	for _, a := range answer {
		if repositoryName().MatchString(a.ID) && len(out) < maxFound {
			out = append(out, a.repository())
		}
	}
	return out, nil
}

// Repository tells what a repository holds.
func (h Hub) Repository(ctx context.Context, id string) (Repository, error) {
	if !repositoryName().MatchString(id) {
		return Repository{}, fmt.Errorf("%q is no repository: it is called owner/name", id)
	}
	var answer about
	if err := h.get(ctx, "/api/models/"+id+"?blobs=true", &answer); err != nil {
		return Repository{}, fmt.Errorf("look into %s on Hugging Face: %w", id, err)
	}
	r := answer.repository()
	r.ID = id
	files := make(map[string]int64)
	for _, s := range answer.Siblings {
		files[s.Name] = int64(max(min(s.Size, 1e15), 0))
	}
	r.Quantizations = quantizations(files)
	return r, nil
}

// get asks for JSON.
func (h Hub) get(ctx context.Context, path string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.Endpoint+path, nil)
	if err != nil {
		return errors.New("HF_ENDPOINT is no address")
	}
	token := h.Token
	if !webaddress.Private(req.URL) {
		token = ""
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := *cmp.Or(h.Client, http.DefaultClient)
	client.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		if len(before) > maxHops || !webaddress.Private(next.URL) && webaddress.Private(req.URL) {
			return errors.New("it sends people elsewhere")
		}
		return nil
	}
	res, err := client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // the address may hold a name and a password
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%s takes too long to answer", req.URL.Host)
		}
		return fmt.Errorf("%s is not reached: %w", req.URL.Host, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return h.refused(res, token != "")
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("the answer breaks off: %w", err)
	case len(text) > maxAnswer:
		return fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
	case json.Unmarshal(text, answer) != nil:
		return fmt.Errorf("%s answers something that is not of Hugging Face", req.URL.Host)
	}
	return nil
}

// refused says why the site gives nothing.
func (h Hub) refused(res *http.Response, withToken bool) error {
	switch code := res.StatusCode; {
	case code == http.StatusUnauthorized && withToken:
		return fmt.Errorf("the token from %s is not taken, or there is no such repository", h.TokenFrom)
	case code == http.StatusUnauthorized:
		return errors.New("there is no such repository, or only people who sign in see it: HF_TOKEN has a token")
	case code == http.StatusForbidden:
		return errors.New("access has to be asked for on the page of the repository")
	case code == http.StatusNotFound:
		return errors.New("there is no such repository")
	case code == http.StatusTooManyRequests && !withToken:
		return errors.New("too many requests without a token; wait, or set HF_TOKEN")
	case code == http.StatusTooManyRequests:
		return errors.New("too many requests; wait a little")
	case code >= 500:
		return fmt.Errorf("the site has a fault of its own (%d); try again later", code)
	default:
		return fmt.Errorf("the site answers %d", code)
	}
}
