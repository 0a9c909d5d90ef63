package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

func infos(t *testing.T, r session.Repo, o session.ListOptions) []session.Info {
	t.Helper()
	var out []session.Info
	for i, err := range r.List(t.Context(), o) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, i)
	}
	session.SortByTime(out)
	return out
}

func testList(t *testing.T, r session.Repo) {
	if got := infos(t, r, session.ListOptions{}); len(got) != 0 {
		t.Fatalf("an empty repo lists %v", got)
	}
	ids := make([]string, 3)
	for i := range ids {
		s, err := session.Create(t.Context(), r, session.Header{Cwd: fmt.Sprintf("/p%d", i%2)}, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = s.ID()
		m := ai.UserText(fmt.Sprintf("question %d", i))
		m.Timestamp = int64(1000 * (i + 1))
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		a := &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: "an"}, &ai.Text{Text: "swer"}}, Timestamp: int64(1000*(i+1) + 1), StopReason: ai.StopEnd}
		if _, err := s.AppendMessage(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if err := s.SetName(t.Context(), fmt.Sprintf(" name\r\n%d ", i)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	done := 0
	got := infos(t, r, session.ListOptions{Text: true, Progress: func(d, total int) {
		done = d
		if total != 3 {
			t.Errorf("progress: %d sessions in all, want 3", total)
		}
	}})
	if len(got) != 3 || done != 3 {
		t.Fatalf("%d sessions, progress %d, want 3", len(got), done)
	}
	first := got[0]
	if first.ID != ids[2] || first.Name != "name 2" || first.First != "question 2" || first.Messages != 2 ||
		!first.Modified.Equal(time.UnixMilli(3001)) || first.Cwd != "/p0" || first.Text != "question 2 an swer" || first.Created.IsZero() || first.Size == 0 {
		t.Errorf("the latest session: %+v", first)
	}
	if s, err := session.Open(t.Context(), r, first.Ref, session.Options{Mode: session.ReadOnly}); err != nil || s.ID() != ids[2] {
		t.Errorf("open by ref: %v", err)
	} else {
		s.Close()
	}
	if got := infos(t, r, session.ListOptions{Cwd: "/p1"}); len(got) != 1 || got[0].ID != ids[1] || got[0].Text != "" {
		t.Errorf("sessions in /p1: %+v", got)
	}
	for range r.List(t.Context(), session.ListOptions{}) {
		break // must not leave anything running
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range r.List(ctx, session.ListOptions{}) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled list: %v", err)
		}
	}
}

func testPrefix(t *testing.T, r session.Repo) {
	for _, id := range []string{"abc-1", "abc-2", "abd"} {
		s, err := session.Create(t.Context(), r, session.Header{ID: id}, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		add(t, s, User(id))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for ref, want := range map[string][]string{"abd": {"abd"}, "abc-1": {"abc-1"}, "abc": {"abc-1", "abc-2"}, "ab": {"abc-1", "abc-2", "abd"}} {
		s, err := session.Open(t.Context(), r, ref, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(want, s.ID()) {
			t.Errorf("%q opened %q", ref, s.ID())
		}
		s.Close()
	}
	for _, ref := range []string{"x", ""} {
		if _, err := session.Open(t.Context(), r, ref, session.Options{}); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("open %q: %v, want not found", ref, err)
		}
	}
}

func testTaken(t *testing.T, r session.Repo) {
	s, err := session.Create(t.Context(), r, session.Header{ID: "mine"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add(t, s, User("a"))
	if o, err := session.Create(t.Context(), r, session.Header{ID: "mine"}, session.Options{}); !errors.Is(err, session.ErrTaken) {
		t.Errorf("the same id again: %v, %v; want %v", o, err, session.ErrTaken)
	}
	for _, id := range []string{"a/b", "../x", "-a", "a b", ".", "ä"} {
		if o, err := session.Create(t.Context(), r, session.Header{ID: id}, session.Options{}); err == nil {
			o.Close()
			t.Errorf("id %q was accepted", id)
		}
	}
}

func testDelete(t *testing.T, r session.Repo) {
	s := create(t, r)
	add(t, s, User("a"))
	s.Close()
	if err := r.Delete(t.Context(), s.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Open(t.Context(), r, s.ID(), session.Options{}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("open: %v, want not found", err)
	}
	if err := r.Delete(t.Context(), s.ID()); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("delete again: %v, want not found", err)
	}
	if got := infos(t, r, session.ListOptions{}); len(got) != 0 {
		t.Errorf("still listed: %v", got)
	}
}
