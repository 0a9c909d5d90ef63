package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
)

// A log against a slice that keeps everything.
func TestLogAgainstASlice(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		limit := 1 + r.IntN(600_000)
		l := newLog(limit)
		var all []string
		for range 60 {
			if r.IntN(3) > 0 {
				e := strings.Repeat(fmt.Sprint(len(all)%10), 1+r.IntN(40_000))
				all = append(all, e)
				l.add(func() []byte { return []byte(e) })
				l.add(func() []byte { return nil }) // no event
			}
			n := r.IntN(len(all) + 2)
			p := l.after(uint64(n))
			size := 0
			for _, e := range all[min(n, len(all)):] {
				size += len(e)
			}
			switch {
			case n > len(all):
				if !p.gone {
					t.Fatalf("seed %d: event %d does not exist yet", seed, n)
				}
				continue
			case p.gone != (size > limit && len(all)-n > 1):
				t.Fatalf("seed %d: after %d of %d: gone is %v with %d bytes of %d", seed, n, len(all), p.gone, size, limit)
			case p.gone:
				continue
			}
			for i, e := range p.events {
				if string(e) != all[n+i] || p.first != uint64(n+1) {
					t.Fatalf("seed %d: event %d differs", seed, n+i)
				}
			}
			if p.rest != (n+len(p.events) < len(all)) || len(p.events) == 0 && n < len(all) || p.end {
				t.Fatalf("seed %d: %d events after %d of %d, rest %v, end %v", seed, len(p.events), n, len(all), p.rest, p.end)
			}
		}
		l.close([]byte("end"))
		l.close([]byte("again"))
		l.add(func() []byte { return []byte("late") })
		p := l.after(l.last() - 1)
		if len(p.events) != 1 || string(p.events[0]) != "end" || !p.end {
			t.Fatalf("seed %d: it ends with %q", seed, p.events)
		}
	}
}

func TestIDs(t *testing.T) {
	l, other := newLog(1), newLog(1)
	for _, n := range []uint64{0, 1, 1 << 62} {
		if got, ok := l.number(l.id(n)); !ok || got != n {
			t.Errorf("%s is read as %d %v", l.id(n), got, ok)
		}
		if _, ok := l.number(other.id(n)); ok {
			t.Error("an id of another log is taken")
		}
	}
	for _, id := range []string{"", "1", ".", l.epoch, l.epoch + ".", l.epoch + ".-1", l.epoch + ".1.2", l.epoch + ".99999999999999999999", l.epoch + ". 1"} {
		if n, ok := l.number(id); ok {
			t.Errorf("%q is read as %d", id, n)
		}
	}
}

// In silence a comment is sent each heartbeat; events put it off.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := faux.New(faux.Config{})
		s, err := codingagent.NewSession(t.Context(), codingagent.Options{Dir: "/", Models: ai.NewModels(p), Model: p.Model()})
		if err != nil {
			t.Fatal(err)
		}
		srv, err := New(Config{Open: func(context.Context, OpenRequest) (*codingagent.AgentSession, error) { return s, nil }})
		if err != nil {
			t.Fatal(err)
		}
		h, err := host(t.Context(), s, srv.cfg, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.add(h); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		ctx, leave := context.WithCancel(t.Context())
		q := httptest.NewRequestWithContext(ctx, "GET", "http://localhost/v1/sessions/"+h.id+"/events?heartbeat=5", http.NoBody)
		q.Header.Set("Authorization", "Bearer "+srv.Token())
		done := make(chan struct{})
		go func() {
			srv.ServeHTTP(w, q)
			close(done)
		}()
		time.Sleep(4 * time.Second)
		h.log.add(func() []byte { return []byte(`{"type":"x"}`) })
		time.Sleep(11 * time.Second) // 5 s and 10 s after the event
		leave()
		<-done
		_, rest, _ := strings.Cut(w.Body.String(), "\n\n")
		want := "id: " + h.log.id(1) + "\ndata: {\"type\":\"x\"}\n\n:\n\n:\n\n"
		if rest != want {
			t.Errorf("got %q, want %q", rest, want)
		}
		if err := srv.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
