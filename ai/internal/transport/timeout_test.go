package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func wantTimeout(t *testing.T, err error, phase Phase, what string, after time.Duration) {
	t.Helper()
	e := typed(t, err)
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.What != what || timeout.After != after {
		t.Fatalf("error %v, want the %s limit of %v", err, what, after)
	}
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("%v must match DeadlineExceeded and nothing else", err)
	}
	if e.Phase != phase || e.Retryable != (what != "total") {
		t.Errorf("phase %s, retryable %v", e.Phase, e.Retryable)
	}
}

func TestConnectLimit(t *testing.T) {
	t.Parallel()
	dialling := 0
	opt := Options{
		Random: func() float64 { return 0 },
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			dialling++
			<-ctx.Done() // a network that swallows everything
			dialling--
			return nil, ctx.Err()
		},
	}
	bubbleWith(t, opt, nil, func(t *testing.T, c *Client) {
		start := time.Now()
		_, err := c.Do(t.Context(), &Request{URL: base, Timeouts: Timeouts{Connect: 3 * time.Second}, Retry: Retry{Max: 1}})
		wantTimeout(t, err, PhaseConnect, "connect", 3*time.Second)
		if took := time.Since(start); took != 6500*time.Millisecond {
			t.Errorf("two tries took %v", took)
		}
		synctest.Wait()
		if dialling != 0 {
			t.Errorf("%d dials go on for nobody", dialling)
		}
	})
}

func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	slow := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(10 * time.Second):
			io.WriteString(w, "fine")
		case <-r.Context().Done():
		}
	}
	bubble(t, slow, func(t *testing.T, c *Client) {
		r := &Request{URL: base, Body: [][]byte{[]byte("{}")}, Timeouts: Timeouts{Connect: time.Second, Header: 9 * time.Second}}
		_, err := c.Do(t.Context(), r)
		wantTimeout(t, err, PhaseHeader, "header", 9*time.Second)

		r.Timeouts.Header = 11 * time.Second
		resp, err := c.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, resp); got != "fine" {
			t.Errorf("answer %q", got)
		}
	})
}

// The header limit begins when the connection stands.
func TestHeaderLimitDoesNotCountTheConnection(t *testing.T) {
	t.Parallel()
	opt := Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		time.Sleep(5 * time.Second)
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			buf := make([]byte, 4096)
			there.Read(buf)
			time.Sleep(5 * time.Second)
			io.WriteString(there, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			io.Copy(io.Discard, there)
		}()
		return here, nil
	}}
	bubbleWith(t, opt, nil, func(t *testing.T, c *Client) {
		resp, err := c.Do(t.Context(), &Request{URL: base, Timeouts: Timeouts{Connect: 6 * time.Second, Header: 6 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	})
}

func TestIdleLimit(t *testing.T) {
	t.Parallel()
	trickle := func(w http.ResponseWriter, r *http.Request) {
		for range 5 {
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			time.Sleep(4 * time.Second)
		}
		<-r.Context().Done()
	}
	bubble(t, trickle, func(t *testing.T, c *Client) {
		resp, err := c.Do(t.Context(), &Request{URL: base, Timeouts: Timeouts{Header: time.Second, Idle: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		// A consumer that takes its time is not an idle server.
		for range 2 {
			time.Sleep(time.Minute)
			if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		b, err := io.ReadAll(resp.Body)
		if string(b) != "xxx" {
			t.Errorf("read %q", b)
		}
		wantTimeout(t, err, PhaseBody, "idle", 5*time.Second)
	})
}

// A server that is alive for ever and says nothing is left in the end; one that says
// something now and then is not, nor is the consumer's time counted.
func TestProgressLimit(t *testing.T) {
	t.Parallel()
	const limit = 58 * time.Second
	beat := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "x"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(4 * time.Second)
		}
	}
	bubble(t, beat, func(t *testing.T, c *Client) {
		r := &Request{URL: base, Timeouts: Timeouts{Idle: 5 * time.Second, Progress: limit}}
		resp, err := c.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		b, err := io.ReadAll(resp.Body)
		wantTimeout(t, err, PhaseBody, "progress", limit)
		if took := time.Since(start); took != limit || len(b) != 15 {
			t.Errorf("%d bytes in %v", len(b), took)
		}

		var got int64
		r.Progress = func() int64 { return got }
		resp, err = c.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 100; n++ {
			if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if n%10 == 0 {
				got++
			}
			if n%7 == 0 {
				time.Sleep(time.Hour)
			}
		}
		got++
		heard := time.Now()
		_, err = io.ReadAll(resp.Body)
		wantTimeout(t, err, PhaseBody, "progress", limit)
		if took := time.Since(heard); took != limit {
			t.Errorf("%v after the last piece", took)
		}
	})
	// Without a limit for silence there is only this one.
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, func(t *testing.T, c *Client) {
		resp, err := c.Do(t.Context(), &Request{URL: base, Timeouts: Timeouts{Idle: -1, Progress: limit}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(resp.Body)
		wantTimeout(t, err, PhaseBody, "progress", limit)
	})
}

func TestTotalLimit(t *testing.T) {
	t.Parallel()
	serve := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/busy":
			w.Header().Set("Retry-After", "8")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/v1/trickle":
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "x"); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
		default:
			<-r.Context().Done()
		}
	}
	limits := Timeouts{Total: 10 * time.Second}
	bubble(t, serve, func(t *testing.T, c *Client) {
		start := time.Now()
		_, err := c.Do(t.Context(), &Request{URL: base, Timeouts: limits})
		wantTimeout(t, err, PhaseHeader, "total", 10*time.Second)

		_, err = c.Do(t.Context(), &Request{URL: base + "/busy", Timeouts: limits, Retry: Retry{Max: 5}})
		wantTimeout(t, err, PhaseWait, "total", 10*time.Second)

		resp, err := c.Do(t.Context(), &Request{URL: base + "/trickle", Timeouts: limits})
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		wantTimeout(t, err, PhaseBody, "total", 10*time.Second)
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("three times 10 s took %v", took)
		}
	})
}

func TestCallersDeadline(t *testing.T) {
	t.Parallel()
	bubble(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(t *testing.T, c *Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Do(ctx, &Request{URL: base, Retry: Retry{Max: 3}})
		if e := typed(t, err); !errors.Is(err, context.DeadlineExceeded) || e.Retryable || e.Attempts != 1 {
			t.Errorf("retryable %v after %d tries: %v", e.Retryable, e.Attempts, err)
		}
	})
}

// A transport that reports no phases is under the header limit.
func TestLimitsOfAnInjectedTransport(t *testing.T) {
	t.Parallel()
	opt := Options{HTTP: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})}}
	bubbleWith(t, opt, nil, func(t *testing.T, c *Client) {
		_, err := c.Do(t.Context(), &Request{URL: base, Timeouts: Timeouts{Connect: time.Second, Header: 9 * time.Second}})
		wantTimeout(t, err, PhaseHeader, "header", 9*time.Second)
		if !strings.Contains(err.Error(), "GET http://api.test/v1: wait for the answer: timeout: no answer within 9s") {
			t.Errorf("message %q", err)
		}
	})
}

func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	for in, want := range map[Timeouts]Timeouts{
		{}:                      {DefaultConnect, DefaultHeader, DefaultIdle, 0, DefaultProgress},
		{-1, -1, -1, -1, -1}:    {},
		{1, 2, 3, 4, 5}:         {1, 2, 3, 4, 5},
		{Idle: -time.Second}:    {DefaultConnect, DefaultHeader, 0, 0, 0},
		{Idle: 2 * time.Hour}:   {DefaultConnect, DefaultHeader, 2 * time.Hour, 0, 2 * time.Hour},
		{Idle: -1, Progress: 1}: {DefaultConnect, DefaultHeader, 0, 0, 1},
	} {
		if got := in.withDefaults(); got != want {
			t.Errorf("%v: got %v, want %v", in, got, want)
		}
	}
}
