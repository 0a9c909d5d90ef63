package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRequestIsWhatWasAsked(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789abcdef"), 20000)
	var seen []string
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		r.Header.Del("Accept-Encoding")
		seen = append(seen, fmt.Sprintf("%s %s %s %d %v %d", r.Method, r.Host, r.URL, r.ContentLength, r.Header, len(b)))
		if !bytes.Equal(b, append([]byte(`{"a":`), append(big, '}')...)) {
			t.Errorf("body differs")
		}
		if len(seen) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "fine")
	}, func(t *testing.T, c *Client) {
		resp, err := c.Do(t.Context(), &Request{
			URL:         base + "/chat?x=1",
			Headers:     []Headers{{Set: map[string]string{"X-A": "1", "x-b": "low", "host": "other.test"}}, {Remove: []string{"x-a"}, Set: map[string]string{"X-B": "high"}}},
			EditHeaders: func(h http.Header) { h.Set("X-C", "last") },
			Body:        [][]byte{[]byte(`{"a":`), nil, big, []byte("}")},
			Retry:       Retry{Max: 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, resp); got != "fine" {
			t.Errorf("answer %q", got)
		}
	})
	// Each try sends all of it again, and nothing that nobody asked for.
	want := fmt.Sprintf("POST other.test /v1/chat?x=1 %d map[Content-Length:[%[1]d] Content-Type:[application/json] X-B:[high] X-C:[last]] %[1]d", len(big)+6)
	if d := cmp.Diff([]string{want, want, want}, seen); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Method, r.Header.Get("Content-Type"))
	}, func(t *testing.T, c *Client) {
		for want, r := range map[string]*Request{
			"GET":                  {URL: base},
			"POSTapplication/json": {URL: base, Body: [][]byte{[]byte("{}")}},
			"PUTtext/plain":        {URL: base, Method: "PUT", Body: [][]byte{[]byte("{}")}, Headers: []Headers{{Set: map[string]string{"content-type": "text/plain"}}}},
			"DELETE":               {URL: base, Method: "DELETE"},
		} {
			resp, err := c.Do(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, resp); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

func TestBadRequestsAreNotSent(t *testing.T) {
	t.Parallel()
	c := fake(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, errors.New("sent")
	}, Options{})
	for _, c2 := range []struct {
		r    Request
		want string
	}{
		{Request{URL: "api.test/v1?key=secret"}, `must begin with http:// or https:// and a host, not "api.test/v1"`},
		{Request{URL: "http://"}, "must begin with"},
		{Request{URL: "http://a b/?key=secret"}, "can not be parsed"},
		{Request{URL: "ftp://api.test/"}, "must begin with"},
		{Request{URL: "ftp://me:secret@api.test/"}, `not "…@api.test/"`},
		{Request{URL: base, Headers: []Headers{{Set: map[string]string{"X Y": "secret"}}}}, `header name "X Y"`},
		{Request{URL: base, Headers: []Headers{{Set: map[string]string{"": "secret"}}}}, `header name ""`},
		{Request{URL: base, Headers: []Headers{{Set: map[string]string{"X-Key": "secret\n"}}}}, `value of header X-Key has the character '\n'`},
	} {
		_, err := c.Do(t.Context(), &c2.r)
		e := typed(t, err)
		if e.Phase != PhaseRequest || e.Retryable || !strings.Contains(e.Error(), c2.want) || strings.Contains(e.Error(), "secret") {
			t.Errorf("%+v: phase %s, retryable %v: %v", c2.r, e.Phase, e.Retryable, e)
		}
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	stop := errors.New("user pressed escape")
	check := func(t *testing.T, err error, phase Phase) {
		t.Helper()
		e := typed(t, err)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, stop) || e.Retryable || e.Phase != phase {
			t.Errorf("phase %s, retryable %v: %v", e.Phase, e.Retryable, err)
		}
	}
	hang := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not notice that the client has gone
		if strings.HasSuffix(r.URL.Path, "/body") {
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
		}
		if strings.HasSuffix(r.URL.Path, "/busy") {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		<-r.Context().Done()
	}
	run := func(name, path string, test func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, hang, func(t *testing.T, c *Client) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				test(t, c, ctx, func() { cancel(stop) }, &Request{URL: base + path, Body: [][]byte{[]byte("{}")}, Retry: Retry{Max: 5}})
			})
		})
	}
	run("before", "", func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request) {
		cancel()
		_, err := c.Do(ctx, r)
		check(t, err, PhaseHeader)
	})
	run("waiting for the status", "", func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request) {
		time.AfterFunc(time.Second, cancel)
		_, err := c.Do(ctx, r)
		check(t, err, PhaseHeader)
	})
	run("waiting for the next try", "/busy", func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request) {
		r.OnWait = func(w Wait) { time.AfterFunc(w.Delay/2, cancel) }
		_, err := c.Do(ctx, r)
		check(t, err, PhaseWait)
		if !strings.Contains(err.Error(), "429 status code (no body)") {
			t.Errorf("%q does not say why it waited", err)
		}
	})
	run("reading the answer", "/body", func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request) {
		resp, err := c.Do(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, cancel)
		b, err := io.ReadAll(resp.Body)
		if string(b) != "half" {
			t.Errorf("read %q", b)
		}
		check(t, err, PhaseBody)
		if _, again := resp.Body.Read(make([]byte, 1)); again != err {
			t.Errorf("the error became %v", again)
		}
		// Nothing else is closed here: the end of the context was enough.
	})
	run("closing while a read waits", "/body", func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request) {
		resp, err := c.Do(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { resp.Body.Close() })
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("no error")
		}
	})
	run("closing early", "/body", func(t *testing.T, c *Client, ctx context.Context, cancel func(), r *Request) {
		resp, err := c.Do(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		resp.Body.Close()
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
			t.Error("read after Close")
		}
	})
}

// A body of an injected client that knows nothing of contexts must be unblocked
// too.
func TestAbortClosesABodyThatIgnoresContexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		defer pw.Close()
		c := fake(func(*http.Request) (*http.Response, error) {
			resp := answer(200, "")
			resp.Body = pr
			return resp, nil
		}, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := c.Do(ctx, &Request{URL: base})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, cancel)
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/bad" {
			http.Error(w, strings.Repeat("no ", 1000), http.StatusBadRequest)
			return
		}
		io.WriteString(w, "fine")
	}, func(t *testing.T, c *Client) {
		var reused []bool
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) },
		})
		for _, path := range []string{"", "/bad", "", "/bad", ""} {
			resp, err := c.Do(ctx, &Request{URL: base + path})
			if err == nil {
				readAll(t, resp) // reading to the end is as good as Close
			}
			synctest.Wait()
		}
		if d := cmp.Diff([]bool{false, true, true, true, true}, reused); d != "" {
			t.Errorf("connections reused (-want +got):\n%s", d)
		}
	})
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var seen []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprintf("%s %s%s key=%q accept=%q %s", r.Method, r.Host, r.URL.Path, r.Header.Get("X-Key"), r.Header.Get("Accept"), b))
		if to := r.URL.Query().Get("to"); to != "" {
			status := http.StatusTemporaryRedirect
			if r.URL.Query().Has("found") {
				status = http.StatusFound
			}
			http.Redirect(w, r, to, status)
			return
		}
		io.WriteString(w, "fine")
	}
	body := [][]byte{[]byte("{}")}
	for _, c := range []struct {
		name, query string
		body        [][]byte
		want        string // the last request, "" when the redirect is not followed
	}{
		{"same host", "?to=/v2", body, `POST api.test/v2 key="k" accept="a" {}`},
		{"other host with a body", "?to=http://evil.test/v2%3Ftoken=t", body, ""},
		{"other host without a body loses our headers", "?to=http://evil.test/v2", nil, `GET evil.test/v2 key="" accept="a" `},
		{"a POST is not turned into a GET", "?found&to=/v2", body, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen = nil
			bubble(t, handler, func(t *testing.T, client *Client) {
				resp, err := client.Do(t.Context(), &Request{URL: base + c.query, Body: c.body, Headers: []Headers{{Set: map[string]string{"x-key": "k", "accept": "a"}}}})
				if c.want != "" {
					if err != nil {
						t.Fatal(err)
					}
					readAll(t, resp)
					if got := seen[len(seen)-1]; len(seen) != 2 || got != c.want {
						t.Errorf("got %q, want %q last", seen, c.want)
					}
					return
				}
				e := typed(t, err)
				if len(seen) != 1 || e.Status/100 != 3 || e.Retryable || !strings.Contains(e.Error(), "redirect to http://") || strings.Contains(e.Error(), "token") {
					t.Errorf("requests %q, error %v", seen, e)
				}
			})
		})
	}
}

func TestRedirectsInCirclesAreFinal(t *testing.T) {
	t.Parallel()
	n := 0
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	}, func(t *testing.T, client *Client) {
		_, err := client.Do(t.Context(), &Request{URL: base, Body: [][]byte{[]byte("{}")}, Retry: Retry{Max: 3}})
		if e := typed(t, err); e.Retryable || n != 10 || !strings.Contains(e.Error(), "10 redirects") {
			t.Errorf("%d requests, error %v", n, e)
		}
	})
}

func TestTLSFailuresAreFinal(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	c := New(Options{})
	defer c.Close()
	_, err := c.Do(t.Context(), &Request{URL: srv.URL, Retry: Retry{Max: 3}, OnWait: func(Wait) { t.Error("it waited for another try") }})
	e := typed(t, err)
	if e.Retryable || e.Attempts != 1 || !strings.Contains(e.Error(), "certificate") {
		t.Errorf("retryable %v after %d tries: %v", e.Retryable, e.Attempts, e)
	}
}
