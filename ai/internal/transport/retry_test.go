package transport

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A script answers one try after the other and notes when they came.
type script struct {
	start time.Time
	steps []func() (*http.Response, error)
	times []time.Duration
}

func (s *script) RoundTrip(*http.Request) (*http.Response, error) {
	s.times = append(s.times, time.Since(s.start))
	n := len(s.times) - 1
	if n >= len(s.steps) {
		return nil, errors.New("one try too many")
	}
	return s.steps[n]()
}

func status(code int, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) { return answer(code, "", header...), nil }
}

func TestRetries(t *testing.T) {
	t.Parallel()
	// The clock of a bubble starts here.
	date := func(d time.Duration) string {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format(http.TimeFormat)
	}
	fine := status(200)
	refused := func() (*http.Response, error) { return nil, syscall.ECONNREFUSED }
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		name   string
		retry  Retry
		random float64
		steps  []func() (*http.Response, error)
		tries  []time.Duration // when
		fails  string          // part of the error, "" for success
	}{
		{"seconds", Retry{Max: 2}, 0, steps(status(429, "retry-after", "7"), fine), []time.Duration{0, 7 * s}, ""},
		{"a fraction of seconds", Retry{Max: 2}, 0, steps(status(429, "retry-after", "1.5"), fine), []time.Duration{0, 1500 * ms}, ""},
		{"a date", Retry{Max: 2}, 0, steps(status(429, "retry-after", date(20*s)), fine), []time.Duration{0, 20 * s}, ""},
		{"a date by a server whose clock is off", Retry{Max: 2}, 0, steps(status(429, "retry-after", date(time.Hour+20*s), "date", date(time.Hour)), fine), []time.Duration{0, 20 * s}, ""},
		{"a date in the past", Retry{Max: 2}, 0, steps(status(429, "retry-after", date(-20*s)), fine), []time.Duration{0, 500 * ms}, ""},
		{"milliseconds win", Retry{Max: 2}, 0, steps(status(429, "retry-after", "7", "retry-after-ms", "250"), fine), []time.Duration{0, 250 * ms}, ""},
		{"nonsense", Retry{Max: 2}, 0, steps(status(429, "retry-after", "soon"), status(429, "retry-after", "NaN"), fine), []time.Duration{0, 500 * ms, 1500 * ms}, ""},
		{"529", Retry{Max: 2}, 0, steps(status(529), fine), []time.Duration{0, 500 * ms}, ""},
		{"408, 409 and 500", Retry{Max: 3}, 0, steps(status(408), status(409), status(500), fine), []time.Duration{0, 500 * ms, 1500 * ms, 3500 * ms}, ""},
		{"network", Retry{Max: 2}, 0, steps(refused, fine), []time.Duration{0, 500 * ms}, ""},
		{"it grows up to 8 s", Retry{Max: 6}, 0, steps(refused, refused, refused, refused, refused, refused, fine), []time.Duration{0, 500 * ms, 1500 * ms, 3500 * ms, 7500 * ms, 15500 * ms, 23500 * ms}, ""},
		{"jitter takes off up to a quarter", Retry{Max: 2}, 1, steps(refused, refused, fine), []time.Duration{0, 375 * ms, 1125 * ms}, ""},
		{"the server's wait has no jitter", Retry{Max: 2}, 1, steps(status(429, "retry-after", "7"), fine), []time.Duration{0, 7 * s}, ""},
		{"forced", Retry{Max: 2}, 0, steps(status(400, "x-should-retry", "true"), fine), []time.Duration{0, 500 * ms}, ""},
		{"no cap", Retry{Max: 2, MaxDelay: -1}, 0, steps(status(429, "retry-after", "5400"), fine), []time.Duration{0, 5400 * s}, ""},
		{"at the cap", Retry{Max: 2, MaxDelay: 5 * s}, 0, steps(status(429, "retry-after", "5"), fine), []time.Duration{0, 5 * s}, ""},

		{"above the cap", Retry{Max: 2}, 0, steps(status(429, "retry-after", "5400")), []time.Duration{0}, "asks to wait 1h30m0s before the next try, longer than the limit of 1m0s"},
		{"no retries asked for", Retry{}, 0, steps(status(429, "retry-after", "7")), []time.Duration{0}, "429 status code (no body)"},
		{"used up", Retry{Max: 1}, 0, steps(status(500), status(503)), []time.Duration{0, 500 * ms}, "503 status code"},
		{"400", Retry{Max: 2}, 0, steps(status(400)), []time.Duration{0}, "400 status code"},
		{"401", Retry{Max: 2}, 0, steps(status(401)), []time.Duration{0}, "401 status code"},
		{"forbidden", Retry{Max: 2}, 0, steps(status(429, "x-should-retry", "false", "retry-after", "1")), []time.Duration{0}, "429 status code"},
		{"final at this vendor", Retry{Max: 2, Final: []int{504}}, 0, steps(status(504)), []time.Duration{0}, "504 status code"},
		{"final, but forced", Retry{Max: 2, Final: []int{504}}, 0, steps(status(504, "x-should-retry", "true"), fine), []time.Duration{0, 500 * ms}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sc := &script{start: time.Now(), steps: c.steps}
				client := New(Options{HTTP: &http.Client{Transport: sc}, Random: func() float64 { return c.random }})
				var waits []Wait
				resp, err := client.Do(t.Context(), &Request{URL: base, Retry: c.retry, OnWait: func(w Wait) { waits = append(waits, w) }})
				if d := cmp.Diff(c.tries, sc.times); d != "" {
					t.Errorf("times of the tries (-want +got):\n%s", d)
				}
				for i, w := range waits {
					if want := sc.times[i+1] - sc.times[i]; w.Delay != want || w.Attempt != i+1 || w.Max != c.retry.Max || w.Err == nil || w.Err.Attempts != i+1 {
						t.Errorf("wait %d was announced as %+v, it took %v", i+1, w, want)
					}
					if asked := w.Err.Header.Get("Retry-After") != "" && w.Err.RetryAfter > 0; w.Asked != asked {
						t.Errorf("wait %d: asked for by the server: %v", i+1, w.Asked)
					}
				}
				if len(waits) != len(sc.times)-1 {
					t.Errorf("%d waits announced for %d tries", len(waits), len(sc.times))
				}
				if c.fails == "" {
					if err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
					return
				}
				e := typed(t, err)
				if !strings.Contains(e.Error(), c.fails) || e.Phase != PhaseStatus || e.Attempts != len(c.tries) {
					t.Errorf("phase %s, %d tries: %v\nwant %q", e.Phase, e.Attempts, e, c.fails)
				}
			})
		})
	}
}

func steps(s ...func() (*http.Response, error)) []func() (*http.Response, error) { return s }

func TestInjectedClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	var slept []time.Duration
	sc := &script{steps: steps(status(429, "retry-after", now.Add(9*time.Second).Format(http.TimeFormat)), status(200))}
	c := New(Options{
		HTTP:  &http.Client{Transport: sc},
		Now:   func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil },
	})
	resp, err := c.Do(t.Context(), &Request{URL: base, Retry: Retry{Max: 1}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if d := cmp.Diff([]time.Duration{9 * time.Second}, slept); d != "" {
		t.Errorf("waits (-want +got):\n%s", d)
	}
}
