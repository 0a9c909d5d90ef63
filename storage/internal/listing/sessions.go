package listing

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
)

// Row is what a back end keeps of a session for lists. Modified is in Unix
// milliseconds, 0 when nothing was said yet.
type Row struct {
	Key                      int64
	ID                       string
	Header                   []byte
	Name, First              string
	Modified, Messages, Size int64
}

func (r *Row) info() (session.Info, error) {
	info := session.Info{Ref: r.ID, ID: r.ID, Name: r.Name, First: r.First, Messages: int(r.Messages), Size: r.Size}
	h, err := session.ParseHeader(r.Header)
	if err != nil {
		return info, err
	}
	info.Cwd, info.Parent, info.Created, info.Modified = h.Cwd, h.Parent, h.Time, h.Time
	if r.Modified > 0 {
		info.Modified = time.UnixMilli(r.Modified).UTC()
	}
	return info, nil
}

// Sessions lists what rows gives, in its order, as [session.Repo] wants it; text gives
// what was said in a session, by its key.
func Sessions(
	ctx context.Context, o session.ListOptions, rows func(context.Context) ([]Row, error), text func(ctx context.Context, key int64) (string, error),
) iter.Seq2[session.Info, error] {
	return func(yield func(session.Info, error) bool) {
		all, err := rows(ctx)
		if err != nil {
			yield(session.Info{}, fmt.Errorf("list sessions: %w", err))
			return
		}
		same := session.SameDir(o.Cwd)
		for i, row := range all {
			info, err := row.info()
			if err == nil && o.Text && same(info.Cwd) {
				info.Text, err = text(ctx, row.Key)
			}
			if o.Progress != nil {
				o.Progress(i+1, len(all))
			}
			if err != nil {
				err = fmt.Errorf("read session %s: %w", info.Ref, err)
			} else if !same(info.Cwd) {
				continue
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// Said gathers what was said in stored messages.
type Said struct{ texts []string }

// Add takes a stored entry; what can not be read says nothing.
func (s *Said) Add(body []byte) {
	if e, err := session.DecodeEntry(body, nil); err == nil {
		if said := session.Said(e); said != "" {
			s.texts = append(s.texts, said)
		}
	}
}

// Text joins what was said.
func (s *Said) Text() string { return strings.Join(s.texts, " ") }
