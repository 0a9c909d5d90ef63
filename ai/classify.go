package ai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxErrorBody is how many characters of a vendor's error body are kept.
const maxErrorBody = 4000

// ResponseError makes the error of a request that was answered with an error
// status. The kind is decided by the vendor's code, then by what its message
// says about overflow and billing, then by the status; other text is looked at
// only when none of these is known. body may be JSON of any vendor's shape, a
// web page, plain text or empty.
func ResponseError(status int, header http.Header, body []byte) *APIError {
	r := readReport(body)
	e := &APIError{Status: status, Phase: PhaseStatus, Code: r.code, Body: cutBody(body), RetryAfter: r.retryAfter}
	if d := RetryAfter(header, time.Now); d > 0 {
		e.RetryAfter = d
	}
	e.Kind = r.kind(status)
	e.Message = r.message(status, body, header)
	return e
}

// StreamError makes the error of an error object inside a stream, in any
// vendor's shape: {"error":{…}}, {"type":"error","error":{…}},
// {"code":…,"message":…}, or the object alone. A numeric code is read like an
// HTTP status.
func StreamError(data []byte) *APIError {
	r := readReport(data)
	status := 0
	if n, err := strconv.Atoi(r.code); err == nil && n >= 400 && n <= 599 {
		status = n
	}
	e := &APIError{Phase: PhaseStream, Code: r.code, Body: cutBody(data), RetryAfter: r.retryAfter}
	e.Kind = r.kind(status)
	e.Message = r.message(0, data, nil)
	return e
}

// RetryAfter reads the wait that a server asks for from Retry-After-Ms and
// Retry-After (seconds or a date); 0 when it asks for none. now is the clock
// for dates.
func RetryAfter(header http.Header, now func() time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(header.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	v := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now()))
	}
	return 0
}

// seconds converts, and keeps nonsense from overflowing: at most ten years.
func seconds(s float64) time.Duration {
	const decade = 10 * 365 * 24 * 3600
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, decade) * float64(time.Second))
}

// report is what a vendor says about a failure, whatever its shape.
type report struct {
	code       string   // the most telling of codes
	codes      []string // code, type and status, as far as given; those of inner objects first
	text       string   // the message
	extra      string   // what the vendor behind a gateway said
	retryAfter time.Duration
	parsed     bool // the body was JSON
	perMinute  bool // a quota that refills within a minute
}

// wireError is the union of the vendors' error objects.
type wireError struct {
	Code     json.RawMessage `json:"code"`
	Type     json.RawMessage `json:"type"`
	Status   json.RawMessage `json:"status"`
	Message  json.RawMessage `json:"message"`
	Detail   json.RawMessage `json:"detail"`
	Error    json.RawMessage `json:"error"`
	Errors   json.RawMessage `json:"errors"`
	Details  json.RawMessage `json:"details"`
	Metadata struct {
		Raw      json.RawMessage `json:"raw"`
		Provider string          `json:"provider_name"`
	} `json:"metadata"`
	Response *struct {
		Error json.RawMessage `json:"error"`
	} `json:"response"`
	AWSType  string  `json:"__type"`
	ResetsIn float64 `json:"resets_in_seconds"`
}

func readReport(body []byte) *report {
	r := &report{}
	r.read(bytes.TrimSpace(body), 0)
	for _, c := range r.codes {
		// A word says more than a number, and a known one more than another.
		if r.code == "" || kindOfCode(r.code) == "" && kindOfCode(c) != "" {
			r.code = c
		}
	}
	return r
}

// read takes what it finds from a JSON value; outer values first, so that inner
// ones, which say more, win.
func (r *report) read(data []byte, depth int) {
	if len(data) == 0 || depth > 4 {
		return
	}
	switch data[0] {
	case '"':
		var s string
		if json.Unmarshal(data, &s) == nil {
			r.parsed = true
			r.setText(s)
			if inner := strings.TrimSpace(s); strings.HasPrefix(inner, "{") {
				r.read([]byte(inner), depth+1)
			}
		}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && len(list) > 0 {
			r.read(bytes.TrimSpace(list[0]), depth+1)
		}
	case '{':
		var w wireError
		if err := json.Unmarshal(data, &w); err != nil {
			var inner struct{ Error, Message, Code json.RawMessage }
			if json.Unmarshal(data, &inner) != nil {
				return
			}
			w = wireError{Error: inner.Error, Message: inner.Message, Code: inner.Code}
		}
		r.parsed = true
		r.object(&w, depth)
	}
}

func (r *report) object(w *wireError, depth int) {
	r.setText(text(w.Message))
	if r.text == "" {
		r.setText(detailText(w.Detail))
	}
	r.addCode(text(w.Status))
	if t := text(w.Type); t != "error" {
		r.addCode(t)
	}
	r.addCode(text(w.Code))
	if at := strings.LastIndexByte(w.AWSType, '#'); w.AWSType != "" {
		r.addCode(w.AWSType[at+1:])
	}
	if w.ResetsIn > 0 {
		r.retryAfter = seconds(w.ResetsIn)
	}
	r.details(w.Details)
	if raw := text(w.Metadata.Raw); raw != "" {
		r.extra = raw
	} else if len(w.Metadata.Raw) > 0 && string(w.Metadata.Raw) != "null" {
		r.extra = string(w.Metadata.Raw)
	}
	if r.extra != "" && w.Metadata.Provider != "" {
		r.extra = w.Metadata.Provider + ": " + r.extra
	}
	r.read(bytes.TrimSpace(w.Errors), depth+1)
	if w.Response != nil {
		r.read(bytes.TrimSpace(w.Response.Error), depth+1)
	}
	r.read(bytes.TrimSpace(w.Error), depth+1)
	if said := strings.TrimSpace(text(w.Message)); strings.HasPrefix(said, "{") {
		r.read([]byte(said), depth+1) // some gateways send JSON as text
	}
}

// details reads Google's: how long to wait, and which quota is used up.
func (r *report) details(data json.RawMessage) {
	var list []struct {
		RetryDelay string `json:"retryDelay"`
		Violations []struct {
			QuotaID string `json:"quotaId"`
		} `json:"violations"`
	}
	if json.Unmarshal(data, &list) != nil {
		return
	}
	perDay := false
	for _, d := range list {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			r.retryAfter = wait
		}
		for _, v := range d.Violations {
			r.perMinute = r.perMinute || strings.Contains(v.QuotaID, "PerMinute")
			perDay = perDay || strings.Contains(v.QuotaID, "PerDay")
		}
	}
	r.perMinute = r.perMinute && !perDay
}

func (r *report) setText(s string) {
	if s = strings.TrimSpace(s); s != "" {
		r.text = s
	}
}

func (r *report) addCode(c string) {
	if c != "" && c != "null" {
		r.codes = append([]string{c}, r.codes...)
	}
}

// text gives a string or number as text, "" for anything else.
func text(v json.RawMessage) string {
	if len(v) == 0 {
		return ""
	}
	switch c := v[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
	case c == '-' || c >= '0' && c <= '9':
		return string(v)
	}
	return ""
}

// detailText reads FastAPI's "detail": a text, or a list of {loc, msg}.
func detailText(v json.RawMessage) string {
	if s := text(v); s != "" {
		return s
	}
	var list []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	if json.Unmarshal(v, &list) != nil {
		return ""
	}
	var parts []string
	for _, d := range list {
		var path []string
		for _, p := range d.Loc {
			path = append(path, fmt.Sprint(p))
		}
		parts = append(parts, strings.TrimPrefix(strings.Join(path, ".")+": "+d.Msg, ": "))
	}
	return strings.Join(parts, "; ")
}

// kind decides what can be done about the failure.
func (r *report) kind(status int) ErrorKind {
	for _, c := range r.codes {
		if k := kindOfCode(c); decisive(k) {
			return r.quota(k)
		}
	}
	said := r.text + "\n" + r.extra
	if !r.parsed {
		said = ""
	}
	rate := status == http.StatusTooManyRequests || matches(phraseTables().throttled, said)
	if !rate && (status == 0 || status >= 400) && status != http.StatusUnauthorized && matches(phraseTables().overflow, said) {
		return KindOverflow
	}
	if matches(phraseTables().billing, said) {
		return r.quota(KindBilling)
	}
	for _, c := range r.codes {
		k := kindOfCode(c)
		if k == KindBadRequest {
			// Some vendors call all that is wrong an invalid request, a key too.
			if by := kindOfStatus(status); by != "" {
				k = by
			}
		}
		if k != "" {
			return k
		}
	}
	if k := kindOfStatus(status); k != "" {
		return k
	}
	return classifyText(said)
}

// quota tells a quota that refills soon from one that needs a plan: Google
// words both alike.
func (r *report) quota(k ErrorKind) ErrorKind {
	if (k == KindBilling || k == KindRateLimit) && r.perMinute {
		return KindRateLimit
	}
	if k == KindRateLimit && matches(phraseTables().billing, r.text) {
		return KindBilling
	}
	return k
}

// kindOfStatus gives the kind of an HTTP status, "" for one that is no error.
// 52x are Cloudflare's and 529 is Anthropic's.
func kindOfStatus(status int) ErrorKind {
	switch status {
	case 401, 403, 407:
		return KindAuth
	case 402:
		return KindBilling
	case 404, 410:
		return KindNotFound
	case 408, 504, 522, 524:
		return KindTimeout
	case 409, 425:
		return KindServer // a conflict with another request; it passes
	case 413:
		return KindOverflow
	case 429:
		return KindRateLimit
	case 498, 503, 529:
		return KindOverloaded
	}
	switch {
	case status >= 500:
		return KindServer
	case status >= 400:
		return KindBadRequest
	}
	return ""
}

// message is for people: status and code, what the vendor said, and a hint
// where the vendor's words do not help.
func (r *report) message(status int, body []byte, header http.Header) string {
	said := r.text
	hint := ""
	switch {
	case said != "":
	case len(bytes.TrimSpace(body)) == 0:
		said = "status code (no body)"
	case webPage(body, header):
		said = "the server answered with a web page instead of JSON"
		if title := pageTitle(body); title != "" {
			said += fmt.Sprintf(" (%q)", title)
		}
		hint = "; a proxy or a wrong base URL may be the reason"
	default:
		said = cutBody(body)
	}
	if r.extra != "" && !strings.Contains(said, r.extra) {
		said += " (" + clip(r.extra, maxErrorBody) + ")"
	}
	var head []string
	if status != 0 {
		head = append(head, strconv.Itoa(status))
	}
	if r.code != "" && r.code != strconv.Itoa(status) {
		head = append(head, r.code)
	}
	switch {
	case len(head) == 0:
		return clip(said, maxErrorBody) + hint
	case said == "status code (no body)" && len(head) == 1 && status != 0:
		return head[0] + " " + said
	}
	return strings.Join(head, " ") + ": " + clip(said, maxErrorBody) + hint
}

func webPage(body []byte, header http.Header) bool {
	if strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		return true
	}
	start := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 64)]))
	return bytes.HasPrefix(start, []byte("<!doctype")) || bytes.HasPrefix(start, []byte("<html"))
}

func pageTitle(body []byte) string {
	low := bytes.ToLower(body[:min(len(body), 8<<10)])
	from := bytes.Index(low, []byte("<title>"))
	if from < 0 {
		return ""
	}
	from += len("<title>")
	to := bytes.IndexByte(low[from:], '<')
	if to < 0 {
		return ""
	}
	return strings.Join(strings.Fields(string(body[from:from+to])), " ")
}

// cutBody keeps the start of a body and says how much was cut.
func cutBody(body []byte) string { return clip(strings.TrimSpace(string(body)), maxErrorBody) }

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	seen := 0
	for i := range s {
		if seen == limit {
			return fmt.Sprintf("%s… (%d more characters)", s[:i], n-limit)
		}
		seen++
	}
	return s
}
