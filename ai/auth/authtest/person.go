package authtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/pi-go/pi/ai/auth"
)

// Person is an [auth.Interaction] that answers by script. It opens each address that
// it is shown in a browser, if it has one. It is safe for concurrent use.
type Person struct {
	// Answers are given to the prompts of a kind, in order. A prompt without an
	// answer left waits until it is taken back; of a select prompt the first
	// option is taken.
	Answers map[string][]string
	// Browser answers the address of a login, nil means that nobody opens it. It
	// follows to where that leads, which is the callback of the login.
	Browser http.RoundTripper
	// Opened is called with each address before it is opened; it may be nil.
	Opened func(address string)

	mu      sync.Mutex
	prompts []auth.Prompt
	notes   []auth.Notification
	pages   []Page
	browser sync.WaitGroup
}

// Page is what the browser showed at the end.
type Page struct {
	Status int
	Text   string
	Err    error
}

// Prompt answers by script.
func (p *Person) Prompt(ctx context.Context, q auth.Prompt) (string, error) {
	p.mu.Lock()
	p.prompts = append(p.prompts, q)
	if left := p.Answers[q.Kind]; len(left) > 0 {
		p.Answers[q.Kind] = left[1:]
		p.mu.Unlock()
		return left[0], nil
	}
	p.mu.Unlock()
	if q.Kind == auth.PromptSelect && len(q.Options) > 0 {
		return q.Options[0].ID, nil
	}
	<-ctx.Done()
	return "", context.Cause(ctx)
}

// Notify remembers, and opens addresses.
func (p *Person) Notify(ctx context.Context, n auth.Notification) {
	p.mu.Lock()
	p.notes = append(p.notes, n)
	p.mu.Unlock()
	if n.Kind != auth.NoteAuthURL {
		return
	}
	if p.Opened != nil {
		p.Opened(n.URL)
	}
	if p.Browser == nil {
		return
	}
	p.browser.Go(func() {
		page := open(context.WithoutCancel(ctx), p.Browser, n.URL)
		p.mu.Lock()
		p.pages = append(p.pages, page)
		p.mu.Unlock()
	})
}

// open asks the vendor's page and then goes where it sends the browser.
func open(ctx context.Context, vendor http.RoundTripper, address string) Page {
	client := &http.Client{Transport: vendor, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := get(ctx, client, address)
	if err != nil {
		return Page{Err: err}
	}
	back, err := res.Location()
	if err != nil {
		return show(res)
	}
	res.Body.Close()
	if res, err = get(ctx, &http.Client{}, back.String()); err != nil {
		return Page{Err: err}
	}
	return show(res)
}

func get(ctx context.Context, client *http.Client, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("open a page: %w", err)
	}
	return client.Do(req)
}

func show(res *http.Response) Page {
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return Page{Status: res.StatusCode, Text: string(text), Err: err}
}

// Prompts lists what the person was asked.
func (p *Person) Prompts() []auth.Prompt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]auth.Prompt(nil), p.prompts...)
}

// Notes lists what the person was shown.
func (p *Person) Notes() []auth.Notification {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]auth.Notification(nil), p.notes...)
}

// Pages waits until the browser is done and lists what it showed.
func (p *Person) Pages() []Page {
	p.browser.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Page(nil), p.pages...)
}
