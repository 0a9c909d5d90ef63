package ai

import (
	"errors"
	"sync"
	"testing"
)

type closing struct {
	closed int
	err    error
}

func (c *closing) Close() error { c.closed++; return c.err }

func TestConversation(t *testing.T) {
	t.Parallel()
	c := NewConversation("id")
	m, other := &Model{ID: "m", Provider: "p", API: "a"}, &Model{ID: "n", Provider: "p", API: "a"}
	made := 0
	fresh := func() any { made++; return &closing{} }

	first, release := c.Acquire(m, fresh)
	second, releaseSecond := c.Acquire(m, fresh)
	if first == second {
		t.Error("two calls share a state")
	}
	releaseSecond()
	if second.(*closing).closed != 1 {
		t.Error("the state of the second call was not closed")
	}
	release()
	again, release := c.Acquire(&Model{ID: "m", Provider: "p", API: "a"}, fresh)
	if again != first || first.(*closing).closed != 0 {
		t.Error("the state was not kept")
	}
	elsewhere, releaseElsewhere := c.Acquire(other, fresh)
	if elsewhere == again {
		t.Error("two models share a state")
	}
	releaseElsewhere()

	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if again.(*closing).closed != 0 {
		t.Error("a state in use was closed")
	}
	release()
	if again.(*closing).closed != 1 || elsewhere.(*closing).closed != 1 {
		t.Error("states are open after Close")
	}
	late, release := c.Acquire(m, fresh)
	release()
	if late == again || late.(*closing).closed != 1 {
		t.Error("a closed conversation keeps states")
	}
	if err := c.Close(); err != nil || elsewhere.(*closing).closed != 1 {
		t.Errorf("closed again: %v", err)
	}
	if made != 4 || c.ID() != "id" {
		t.Errorf("%d states made, id %q", made, c.ID())
	}
}

func TestNoConversation(t *testing.T) {
	t.Parallel()
	var c *Conversation
	s, release := c.Acquire(&Model{}, func() any { return &closing{} })
	release()
	if s.(*closing).closed != 1 || c.ID() != "" || c.Close() != nil {
		t.Error("a nil conversation keeps something")
	}
}

func TestConversationCloseErrors(t *testing.T) {
	t.Parallel()
	c := NewConversation("")
	boom := errors.New("boom")
	_, release := c.Acquire(&Model{ID: "m"}, func() any { return &closing{err: boom} })
	release()
	if err := c.Close(); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestConversationIsConcurrent(t *testing.T) {
	t.Parallel()
	c := NewConversation("")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				s, release := c.Acquire(&Model{ID: "m"}, func() any { return new(int) })
				*s.(*int)++ // the race detector tells when it is shared
				release()
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
