package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore/session"
)

// searchers is how many sessions are looked through at a time. Reading is mostly
// waiting for memory, so more gain nothing.
const searchers = 2

// hit is a place where a text was found, in the form of --json.
type hit struct {
	Session string    `json:"session"`
	Path    string    `json:"path"`
	Cwd     string    `json:"cwd"`
	Entry   string    `json:"entry"`
	Type    string    `json:"type"`
	Role    string    `json:"role,omitempty"`
	Time    time.Time `json:"time"`
	Text    string    `json:"text"` // around what was found
}

// searchSessions prints every place where a text occurs, one on a line, as they are
// found: the session that was written last comes first.
func (p *program) searchSessions(ctx context.Context, text string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type job struct {
		info session.Info
		done chan struct{}
		hits []hit
		err  error
	}
	queue := make(chan *job)
	order := make(chan *job, 64)
	var work sync.WaitGroup
	for range searchers {
		work.Go(func() {
			for j := range queue {
				j.hits, j.err = p.searchSession(ctx, j.info, text)
				close(j.done)
			}
		})
	}
	defer work.Wait()
	work.Go(func() {
		defer close(order)
		defer close(queue)
		for info := range p.wanted(ctx, session.ListOptions{}) {
			j := &job{info: info, done: make(chan struct{})}
			select {
			case queue <- j:
				order <- j
			case <-ctx.Done():
				return
			}
		}
	})
	found := 0
	var err error
	for j := range order {
		if <-j.done; err != nil {
			continue // until those who wait for us are done
		}
		if j.err != nil && ctx.Err() == nil {
			p.warn("%s: %s", j.info.Ref, j.err)
		}
		found += len(j.hits)
		if err = p.writeHits(j.hits); err != nil {
			stop()
		}
	}
	if err == nil && found == 0 && ctx.Err() == nil {
		fmt.Fprintf(p.sys.Err, "Nothing was found in the sessions %s.\n", p.where())
	}
	return errors.Join(err, context.Cause(ctx))
}

func (p *program) writeHits(hits []hit) error {
	for _, h := range hits {
		var err error
		if p.args.JSON {
			err = p.writeJSONLine(h)
		} else {
			_, err = fmt.Fprintf(p.sys.Out, "%s %s: %s\n", h.Session, h.Entry, p.clean(h.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// searchSession looks through one session.
func (p *program) searchSession(ctx context.Context, info session.Info, text string) (hits []hit, err error) {
	s, err := p.openForReading(ctx, info.Ref)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for m, err := range s.Search(ctx, session.Query{Text: text}) {
		if err != nil {
			return hits, err
		}
		hits = append(hits, hit{info.ID, info.Ref, info.Cwd, m.ID, string(m.Type), string(m.Role), m.Time(), around(m)})
	}
	return hits, nil
}

// around gives a match with some text on both sides, on one line.
func around(m session.Match) string {
	const room = 50
	from, to := max(m.Offset-room, 0), min(m.Offset+m.Len+room, len(m.Text))
	return strings.Join(strings.Fields(strings.ToValidUTF8(m.Text[from:to], "")), " ")
}
