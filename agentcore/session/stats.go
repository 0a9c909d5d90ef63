package session

import (
	"context"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Stats counts what is in a session, on all branches.
type Stats struct {
	// Messages counts messages of any role; the others count those of one.
	Messages, UserMessages, AssistantMessages, ToolResults int
	// ToolCalls counts the calls in assistant messages.
	ToolCalls int
	// Usage is everything that was spent: answers, tools, summaries, and what
	// usage entries say.
	Usage ai.Usage
	// Models is what was spent on each model, in order of the names.
	Models []ModelUsage
	// Other is what tools and summaries spent; which model it went to is not
	// recorded.
	Other ai.Usage
}

// ModelUsage is what was spent on one model.
type ModelUsage struct {
	Provider string
	// Model is the name the vendor gave in its answers, or else the one that
	// was asked for.
	Model string
	// Answers counts the answers and other requests.
	Answers int
	Usage   ai.Usage
}

// Stats counts what is in the session. The first call reads all of it.
func (s *Session) Stats(ctx context.Context) (Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Stats{}, ErrClosed
	}
	if s.stats == nil {
		st, err := s.count(ctx)
		if err != nil {
			return Stats{}, err
		}
		s.stats = st
	}
	out := *s.stats
	out.Models = slices.Clone(out.Models)
	return out, nil
}

func (s *Session) count(ctx context.Context) (*Stats, error) {
	st := new(Stats)
	var buf []byte
	for i := range s.tree.nodes {
		n := &s.tree.nodes[i]
		switch n.Type {
		case TypeMessage, TypeCompaction, TypeBranchSummary, TypeUsage:
		default:
			continue
		}
		if n.entry != nil {
			st.add(n.entry)
			continue
		}
		var err error
		if buf, err = s.st.Read(ctx, n.Stub, buf[:0]); err != nil {
			return nil, err
		}
		st.addStored(n.Type, buf)
	}
	return st, nil
}

// add counts one entry.
func (st *Stats) add(e Entry) {
	switch e := e.(type) {
	case *MessageEntry:
		st.Messages++
		switch m := e.Message.(type) {
		case *ai.UserMessage:
			st.UserMessages++
		case *ai.AssistantMessage:
			st.AssistantMessages++
			st.ToolCalls += len(m.ToolCalls())
			st.spent(m.Provider, m.Model, m.ResponseModel, m.Usage)
		case *ai.ToolResultMessage:
			st.ToolResults++
			st.other(m.Usage)
		}
	case *CompactionEntry:
		st.other(e.Usage)
	case *BranchSummaryEntry:
		st.other(e.Usage)
	case *UsageEntry:
		st.spent(e.Provider, e.Model, "", e.Usage)
	}
}

func (st *Stats) other(u *ai.Usage) {
	if u != nil {
		st.Usage = st.Usage.Add(*u)
		st.Other = st.Other.Add(*u)
	}
}

func (st *Stats) spent(provider, model, response string, u ai.Usage) {
	if response != "" {
		model = response
	}
	st.Usage = st.Usage.Add(u)
	at, found := slices.BinarySearchFunc(st.Models, ModelUsage{Provider: provider, Model: model}, func(a, b ModelUsage) int {
		if c := strings.Compare(a.Provider, b.Provider); c != 0 {
			return c
		}
		return strings.Compare(a.Model, b.Model)
	})
	if !found {
		st.Models = slices.Insert(st.Models, at, ModelUsage{Provider: provider, Model: model})
	}
	m := &st.Models[at]
	m.Answers++
	m.Usage = m.Usage.Add(u)
}
