package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000)
	huge := strings.Repeat("日本語", 100_000) // 900 kB
	page := "<!DOCTYPE html>\n<html><head><TITLE>\n 502 Bad Gateway &amp; more </TITLE></head><body>" + long + "</body></html>"
	for _, c := range []struct {
		name, kind, body string
		status           int
		want             string // of Body
		text             string // of the error
	}{
		{"json", "application/json", `{"error":{"message":"no"}}`, 400, `{"error":{"message":"no"}}`, `400: {"error":{"message":"no"}}`},
		{"empty", "", "", 413, "", "413 status code (no body)"},
		{"blank", "", " \n", 500, "", "500 status code (no body)"},
		{"long", "", long, 400, strings.Repeat("é", 4000) + "… (1000 more characters)", ""},
		{"exactly as long as is shown", "", long[:8000], 400, long[:8000], ""},
		{"huge", "", huge, 400, huge[:12000] + "… (296000 more characters)", ""},
		{"page", "text/html; charset=utf-8", page, 502, "HTML page: 502 Bad Gateway & more", "502: HTML page: 502 Bad Gateway & more"},
		{"page without its type", "", page, 502, "HTML page: 502 Bad Gateway & more", ""},
		{"page without a title", "text/html", "<p>hm</p>", 502, "HTML page without a title", ""},
		{"page with an empty title", "text/html", "<title> </title>", 502, "HTML page without a title", ""},
		{"page with half a title", "text/html", "<title>x", 502, "HTML page without a title", ""},
		{"not UTF-8", "", "caf\xe9", 400, "caf\uFFFD", ""},
		{"a successful page", "text/html", page, 200, "HTML page: 502 Bad Gateway & more", "200: HTML page: 502 Bad Gateway & more (the server sent an HTML page instead of data; check the address and the network's sign-in)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			closed := false
			client := fake(func(*http.Request) (*http.Response, error) {
				resp := answer(c.status, c.body, "content-type", c.kind, "x-request-id", "r1")
				resp.Body = closer{resp.Body, &closed}
				return resp, nil
			}, Options{})
			_, err := client.Do(t.Context(), &Request{URL: base + "?key=secret"})
			e := typed(t, err)
			if e.Status != c.status || e.Phase != PhaseStatus || e.Header.Get("X-Request-Id") != "r1" || e.Attempts != 1 {
				t.Errorf("%+v", e)
			}
			if e.Body != c.want {
				t.Errorf("body of %d bytes %.80q…, want %.80q…", len(e.Body), e.Body, c.want)
			}
			if c.text != "" && e.Error() != c.text {
				t.Errorf("text %q, want %q", e, c.text)
			}
			if !strings.HasPrefix(c.body, string(e.Raw)) || len(e.Raw) < min(len(c.body), maxKeptBody-3) || utf8.ValidString(c.body) && !utf8.Valid(e.Raw) {
				t.Errorf("%d raw bytes of %d kept, or they differ", len(e.Raw), len(c.body))
			}
			if !closed {
				t.Error("the body was left open")
			}
			if e.Retryable != (c.status >= 500) {
				t.Errorf("retryable: %v", e.Retryable)
			}
		})
	}
}

type closer struct {
	io.Reader
	closed *bool
}

func (c closer) Close() error {
	*c.closed = true
	return nil
}

func TestAllowedPage(t *testing.T) {
	t.Parallel()
	c := fake(func(*http.Request) (*http.Response, error) {
		return answer(200, "<html>", "content-type", "text/html"), nil
	}, Options{})
	resp, err := c.Do(t.Context(), &Request{URL: base, AllowHTML: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, resp); got != "<html>" {
		t.Errorf("answer %q", got)
	}
}

// A server that never ends its error must not hold the caller.
func TestErrorBodyThatNeverEnds(t *testing.T) {
	t.Parallel()
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "x"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(time.Second)
		}
	}, func(t *testing.T, c *Client) {
		start := time.Now()
		_, err := c.Do(t.Context(), &Request{URL: base})
		if e := typed(t, err); e.Status != 400 || !strings.HasPrefix(e.Body, "xxxxx") {
			t.Errorf("error %v", e)
		}
		if took := time.Since(start); took > errorBodyTime {
			t.Errorf("took %v", took)
		}
	})
}

// A caller that waits less long for an answer waits less long for what is wrong, too.
func TestErrorBodyThatStaysSilent(t *testing.T) {
	t.Parallel()
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, func(t *testing.T, c *Client) {
		start, idle := time.Now(), errorBodyTime/4
		_, err := c.Do(t.Context(), &Request{URL: base, Timeouts: Timeouts{Idle: idle}})
		if e := typed(t, err); e.Status != 400 || time.Since(start) != idle {
			t.Errorf("error %v after %v", e, time.Since(start))
		}
	})
}

func TestNetworkErrorsHideTheQuery(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection reset by peer")
	c := fake(func(*http.Request) (*http.Response, error) { return nil, cause }, Options{})
	_, err := c.Do(t.Context(), &Request{URL: "https://user:secret@api.test/v1/x?key=secret#secret"})
	e := typed(t, err)
	if !errors.Is(err, cause) || !e.Retryable || strings.Contains(fmt.Sprintf("%v %+v", err, *e), "secret") {
		t.Errorf("retryable %v: %+v", e.Retryable, *e)
	}
	if want := "GET https://api.test/v1/x: wait for the answer: connection reset by peer"; err.Error() != want {
		t.Errorf("text %q, want %q", err, want)
	}
}

func TestCutAnswer(t *testing.T) {
	t.Parallel()
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, func(t *testing.T, c *Client) {
		resp, err := c.Do(t.Context(), &Request{URL: base, Retry: Retry{Max: 3}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		e := typed(t, err)
		if string(b) != "half" || e.Phase != PhaseBody || e.Status != 200 || !e.Retryable || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("read %q; phase %s, status %d, retryable %v: %v", b, e.Phase, e.Status, e.Retryable, err)
		}
		if want := "GET http://api.test/v1: read the answer: unexpected EOF"; err.Error() != want {
			t.Errorf("text %q, want %q", err, want)
		}
	})
}

func TestAnswerLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]string{0: "0123456789", -1: "0123456789", 11: "0123456789", 10: "0123456789", 9: "012345678", 1: "0"} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			bubble(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "0123456789") }, func(t *testing.T, c *Client) {
				resp, err := c.Do(t.Context(), &Request{URL: base, MaxBody: limit})
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(resp.Body)
				if string(b) != want {
					t.Errorf("read %q, want %q", b, want)
				}
				var size *SizeError
				if over := len(want) < 10; errors.As(err, &size) != over {
					t.Errorf("error %v", err)
				} else if over && (typed(t, err).Retryable || size.Limit != limit) {
					t.Errorf("retryable, or limit %d", size.Limit)
				}
			})
		})
	}
}
