package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// Phase says how far a request had come when it failed.
type Phase string

// The phases of a request.
const (
	PhaseRequest Phase = "request" // building it; nothing was sent
	PhaseConnect Phase = "connect" // reaching the server or the proxy
	PhaseHeader  Phase = "header"  // sending, and waiting for the status line
	PhaseStatus  Phase = "status"  // the server answered, but with no success
	PhaseWait    Phase = "wait"    // waiting before the next try
	PhaseBody    Phase = "body"    // reading the answer
)

const (
	maxShownBody  = 4000     // characters of an error body in Error.Body
	maxKeptBody   = 64 << 10 // bytes of it in Error.Raw
	maxErrorBody  = 1 << 20  // bytes of it that are read at all
	errorBodyTime = 10 * time.Second
)

// Error is a failed request. It never holds request headers, query or
// credentials.
type Error struct {
	Phase  Phase
	Method string
	URL    string // scheme, host and path only
	// Attempts is how often the request was sent.
	Attempts int

	// Status and Header are of the answer, zero when there was none.
	Status int
	Header http.Header
	// Body is the answer's text for people: at most 4000 characters and a note
	// of how much was cut; of an HTML page only its title; "" when it was empty.
	Body string
	// Raw is the answer's body as it came, at most 64 KiB, for decoding.
	Raw []byte
	// RetryAfter is the wait the server asked for, 0 when it did not.
	RetryAfter time.Duration
	// Retryable reports whether the same request may succeed a little later.
	Retryable bool
	// Err is the cause; nil when status and body say it all.
	Err error
}

// Error names status and body of an answer, or else what was being done and why
// it failed.
func (e *Error) Error() string {
	if e.Status != 0 && e.Phase != PhaseBody {
		return e.statusText()
	}
	text := e.Method + " " + e.URL
	switch e.Phase {
	case PhaseConnect:
		text += ": connect"
	case PhaseHeader:
		text += ": wait for the answer"
	case PhaseBody:
		text += ": read the answer"
	case PhaseWait:
		text += ": wait for the next try"
	}
	switch {
	case e.Phase == PhaseConnect && errors.Is(e.Err, syscall.ECONNREFUSED):
		text += ": connection refused"
	case e.Err != nil:
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) statusText() string {
	text := fmt.Sprintf("%d: %s", e.Status, e.Body)
	if e.Body == "" {
		text = fmt.Sprintf("%d status code (no body)", e.Status)
	}
	if e.Err != nil {
		text += " (" + e.Err.Error() + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// TimeoutError says which limit was exceeded. It matches
// context.DeadlineExceeded and is a net.Error.
type TimeoutError struct {
	What  string // "connect", "header", "idle", "progress" or "total"
	After time.Duration
}

func (e *TimeoutError) Error() string {
	switch e.What {
	case "connect":
		return fmt.Sprintf("timeout: no connection within %v", e.After)
	case "header":
		return fmt.Sprintf("timeout: no answer within %v", e.After)
	case "idle":
		return fmt.Sprintf("timeout: nothing came for %v", e.After)
	case "progress":
		return fmt.Sprintf("timeout: for %v nothing came but signs that the server is alive", e.After)
	}
	return fmt.Sprintf("timeout: not done within %v", e.After)
}

// Is makes a TimeoutError match context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout is true.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is true; it exists for net.Error.
func (e *TimeoutError) Temporary() bool { return true }

// SizeError says that an answer was longer than the request allowed.
type SizeError struct {
	Limit int64 // in bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("the answer is longer than %d bytes", e.Limit)
}

// failure makes the Error for err, which ended an exchange under ctx. within is
// the context that the exchange was run in: its cause says whether a limit of
// ours was exceeded, ctx whether the caller gave up.
func failure(ctx, within context.Context, err error, e *Error) *Error {
	var timeout *TimeoutError
	switch {
	case errors.As(context.Cause(within), &timeout):
		e.Err, e.Retryable = timeout, timeout.What != "total"
	case ctx.Err() != nil:
		e.Err = ended(ctx)
	default:
		e.Err, e.Retryable = withoutURL(err), transient(err)
	}
	return e
}

// ended is the error of a context that is done, with its cause if that says more.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// withoutURL drops the wrapping of net/http, which repeats the address with its
// query, where some vendors want the key.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// transient reports whether a failure of the network may pass. Only what is
// wrong for sure is not: certificates, addresses and redirects in circles do not mend
// themselves.
func transient(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		proxy        *ProxyError
		size         *SizeError
	)
	return !errors.As(err, &verification) && !errors.As(err, &authority) && !errors.As(err, &hostname) &&
		!errors.As(err, &invalid) && !errors.As(err, &proxy) && !errors.As(err, &size) && !errors.Is(err, errRedirects)
}

// readError turns an answer without success into e, reading its body.
func readError(resp *http.Response, e *Error) *Error {
	e.Phase, e.Status, e.Header = PhaseStatus, resp.StatusCode, resp.Header
	raw, more := readSome(resp.Body)
	e.Raw = raw
	text := strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD"))
	switch {
	case isHTML(resp.Header, raw):
		e.Body = pageTitle(text)
	case text != "":
		e.Body = shorten(text, more)
	}
	return e
}

// readSome reads a body as far as it is worth it: what is kept, and how many
// characters came behind that.
func readSome(body io.Reader) (kept []byte, more int) {
	// What came before an error is all there is.
	kept, _ = io.ReadAll(io.LimitReader(body, maxKeptBody))
	if len(kept) < maxKeptBody {
		return kept, 0
	}
	var rest characters
	io.Copy(&rest, io.LimitReader(body, maxErrorBody-maxKeptBody))
	if rest == 0 {
		return kept, 0
	}
	cut := maxKeptBody // not in the middle of a character
	for cut > maxKeptBody-utf8.UTFMax && !utf8.RuneStart(kept[cut-1]) {
		cut--
	}
	if !utf8.FullRune(kept[cut-1:]) {
		cut--
	} else {
		cut = maxKeptBody
	}
	return kept[:cut:cut], int(rest) + utf8.RuneCount(kept[cut:])
}

// characters counts those of a text that is written to it, by their first bytes.
type characters int

func (c *characters) Write(p []byte) (int, error) {
	for _, b := range p {
		if utf8.RuneStart(b) {
			*c++
		}
	}
	return len(p), nil
}

// shorten cuts text to what is shown and notes how much is gone, more of it
// being gone already.
func shorten(text string, more int) string {
	shown := 0
	for i := range text {
		if shown == maxShownBody {
			more += utf8.RuneCountInString(text[i:])
			text = text[:i]
			break
		}
		shown++
	}
	if more == 0 {
		return text
	}
	return fmt.Sprintf("%s… (%d more characters)", text, more)
}

func isHTML(h http.Header, body []byte) bool {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if kind = strings.ToLower(strings.TrimSpace(kind)); kind == "text/html" || kind == "application/xhtml+xml" {
		return true
	}
	start := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 64)])))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// pageTitle says in one line what an HTML page is: the pages of gateways and
// sign-in portals hold nothing else worth showing.
func pageTitle(page string) string {
	lower := strings.ToLower(page)
	if len(lower) == len(page) { // offsets agree
		if i := strings.Index(lower, "<title"); i >= 0 {
			if j := strings.IndexByte(lower[i:], '>'); j >= 0 {
				if k := strings.Index(lower[i+j:], "</title"); k >= 0 {
					title := strings.Join(strings.Fields(html.UnescapeString(page[i+j+1:i+j+k])), " ")
					if title != "" {
						return "HTML page: " + shorten(title, 0)
					}
				}
			}
		}
	}
	return "HTML page without a title"
}
