package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/auth"
)

func uploader(s *httptest.Server, key auth.Resolved) Radius {
	return Radius{Gateway: s.URL, Client: s.Client(), Auth: func(context.Context) (auth.Resolved, error) { return key, nil }}
}

// Whatever a gateway answers, an upload ends with an address or says what was wrong,
// and the session and the key go nowhere else.
func TestUploadToAHostileGateway(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was asked", r.Method, r.URL)
	}))
	t.Cleanup(elsewhere.Close)
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("{", 1<<16)); err != nil {
				return
			}
		}
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, tc := range []struct {
		name   string
		answer http.HandlerFunc
		want   string // of the error
	}{
		{"moved", status(http.StatusFound, ""), "it sends the session elsewhere"},
		{"moved with the body", status(http.StatusPermanentRedirect, ""), "it sends the session elsewhere"},
		{"endless", endless, "its answer is no JSON"},
		{"endless refusal", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); endless(w, r) }, "500 Internal Server Error"},
		{"a page", status(200, "<html><body>Sign in</body></html>"), "its answer is no JSON"},
		{"a page that refuses", status(502, "<html>"), "502 Bad Gateway"},
		{"nothing", status(200, ""), "its answer is no JSON"},
		{"no content", status(204, ""), "its answer is no JSON"},
		{"null", status(200, "null"), "does not say where to"},
		{"a script", status(200, `{"artifact":{"canonical_url":"javascript:alert(1)"}}`), "does not say where to"},
		{"a file", status(200, `{"artifact":{"canonical_url":"file:///etc/passwd"}}`), "does not say where to"},
		{"another type", status(200, `{"artifact":[1]}`), "does not say where to"},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"artifact"`)
		}, "unexpected EOF"},
		{"a long refusal", status(403, fmt.Sprintf(`{"error":{"message":%q}}`, strings.Repeat("no ", 100_000))), "no no no"},
		{"gone", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(tc.answer)
			defer s.Close()
			address, err := uploader(s, auth.Resolved{APIKey: "sk-radius"}).Upload(t.Context(), "t", []byte("{}\n"))
			if err == nil || address != "" || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%q, %.300v; want %q", address, err, tc.want)
			}
			if len(err.Error()) > 600 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if strings.Contains(err.Error(), "sk-radius") {
				t.Errorf("the error has the key: %s", err)
			}
		})
	}
}

// One that never answers is left when the person leaves.
func TestUploadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	defer s.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := uploader(s, auth.Resolved{}).Upload(ctx, "t", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
