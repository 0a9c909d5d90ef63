package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// exchange is a request on its way.
type exchange struct {
	c      *Client
	r      *Request
	http   *http.Client
	limits Timeouts
	method string
	url    *url.URL
	header http.Header
	length int64
}

func (c *Client) prepare(r *Request) (*exchange, error) {
	x := &exchange{c: c, r: r, http: r.HTTP, limits: r.Timeouts.withDefaults(), method: r.Method}
	if x.http == nil {
		x.http = c.http
	}
	layers := r.Headers
	for _, s := range r.Body {
		x.length += int64(len(s))
	}
	if x.length > 0 {
		layers = append([]Headers{{Set: map[string]string{"Content-Type": "application/json"}}}, layers...)
	}
	if x.method == "" {
		x.method = http.MethodGet
		if x.length > 0 {
			x.method = http.MethodPost
		}
	}
	fail := func(err error) (*exchange, error) {
		e := x.newError()
		e.Phase, e.Err = PhaseRequest, err
		return nil, &e
	}
	address := cut(r.URL, "?")
	if at := strings.LastIndexByte(address, '@'); at >= 0 { // a password may be before it
		address = "…" + address[at:]
	}
	if scheme, _, ok := strings.Cut(strings.ToLower(r.URL), "://"); !ok || scheme != "http" && scheme != "https" {
		return fail(fmt.Errorf("the address must begin with http:// or https:// and a host, not %q", address))
	}
	var err error
	if x.url, err = url.Parse(r.URL); err != nil {
		x.url = nil
		return fail(errors.New("the address can not be parsed"))
	}
	if x.url.Host == "" {
		return fail(fmt.Errorf("the address must begin with http:// or https:// and a host, not %q", address))
	}
	if x.header, err = BuildHeader(layers...); err != nil {
		return fail(err)
	}
	if r.EditHeaders != nil {
		r.EditHeaders(x.header)
	}
	return x, nil
}

func cut(s, sep string) string {
	before, _, _ := strings.Cut(s, sep)
	return before
}

// newError is the part of an Error that all errors of the exchange share.
func (x *exchange) newError() Error {
	e := Error{Method: x.method}
	if x.url != nil {
		e.URL = bare(x.url)
	}
	return e
}

// bare is an address without user, query and fragment.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// try sends the request once. ctx is the caller's context; within, a child of it,
// ends with the total limit, and release frees it once the answer is done with.
func (x *exchange) try(ctx, within context.Context, release func()) (*http.Response, *Error) {
	here, cancel := context.WithCancelCause(within)
	w := newWatch(cancel, x.limits)
	reqCtx := w.trace(context.WithValue(here, tryKey{}, here))
	if x.r.Env != nil {
		reqCtx = WithEnv(reqCtx, x.r.Env)
	}
	resp, err := x.http.Do(x.request(reqCtx))
	e := x.newError()
	e.Phase = w.end()
	if err == nil && here.Err() != nil {
		resp.Body.Close()
		err = here.Err()
	}
	if err != nil {
		failed := failure(ctx, here, err, &e)
		cancel(nil)
		return nil, failed
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 || !x.r.AllowHTML && isHTML(resp.Header, nil) {
		failed := x.refused(here, cancel, resp, &e)
		cancel(nil)
		return nil, failed
	}
	limit := x.r.MaxBody
	if limit == 0 {
		limit = DefaultMaxBody
	}
	e.Status, e.Header = resp.StatusCode, resp.Header
	resp.Body = newBody(ctx, here, cancel, resp.Body, newPace(cancel, x.limits, x.r.Progress, x.c.opt.Now), limit, e, release)
	return resp, nil
}

func (x *exchange) request(ctx context.Context) *http.Request {
	req := (&http.Request{
		Method: x.method,
		URL:    x.url,
		Host:   x.header.Get("Host"),
		Header: x.header.Clone(),
	}).WithContext(ctx)
	req.Header.Del("Host")
	if _, ok := req.Header["User-Agent"]; !ok {
		req.Header.Set("User-Agent", "") // or net/http would send its own
	}
	if x.length > 0 {
		req.ContentLength = x.length
		req.GetBody = func() (io.ReadCloser, error) { return &segments{rest: x.r.Body}, nil }
		req.Body = &segments{rest: x.r.Body}
	}
	return req
}

// refused reads an answer that is none and makes an Error of it.
func (x *exchange) refused(here context.Context, cancel context.CancelCauseFunc, resp *http.Response, e *Error) *Error {
	limit := time.Duration(errorBodyTime)
	if idle := x.limits.Idle; idle > 0 {
		limit = min(limit, idle)
	}
	timer := time.AfterFunc(limit, func() { cancel(nil) })
	stop := context.AfterFunc(here, func() { resp.Body.Close() })
	readError(resp, e)
	timer.Stop()
	stop()
	resp.Body.Close()
	e.RetryAfter = retryAfter(resp.Header, x.c.opt.Now())
	switch {
	case resp.StatusCode < 300:
		e.Err = errors.New("the server sent an HTML page instead of data; check the address and the network's sign-in")
	case resp.StatusCode < 400:
		e.Err = errors.New("a redirect that was not followed")
		if to, err := resp.Location(); err == nil {
			e.Err = fmt.Errorf("a redirect to %s that was not followed", bare(to))
		}
	default:
		e.Retryable = x.r.Retry.retryable(resp.StatusCode, resp.Header)
		if refuse := x.r.Retry.Refuse; e.Retryable && refuse != nil && resp.Header.Get("X-Should-Retry") == "" {
			e.Retryable = !refuse(e)
		}
	}
	return e
}

// wait waits before the retry that follows try n, which failed with e.
func (x *exchange) wait(ctx, within context.Context, n int, e *Error) *Error {
	d, asked, err := x.r.Retry.delay(n, e, x.c.opt.Random())
	if err != nil {
		e.Err = err
		return e
	}
	if x.r.OnWait != nil {
		x.r.OnWait(Wait{Attempt: n, Max: x.r.Retry.Max, Delay: d, Asked: asked, Err: e})
	}
	if err := x.c.opt.Sleep(within, d); err != nil {
		stopped := x.newError()
		stopped.Phase, stopped.Attempts = PhaseWait, n
		failed := failure(ctx, within, err, &stopped)
		failed.Err = fmt.Errorf("%w; the last try ended with: %s", failed.Err, e.Error())
		return failed
	}
	return nil
}
