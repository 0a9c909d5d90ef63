// Package sessiontest is the conformance suite of session back ends. A back
// end's test calls [Run] with a function that makes an empty repo:
//
//	func TestRepo(t *testing.T) {
//		sessiontest.Run(t, func(t testing.TB) session.Repo {
//			return session.NewDir(t.TempDir())
//		})
//	}
package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// NewRepo makes a repo without sessions. It registers its own clean-up.
type NewRepo func(t testing.TB) session.Repo

// Run runs the suite.
func Run(t *testing.T, newRepo NewRepo) {
	tests := []struct {
		name string
		run  func(t *testing.T, r session.Repo)
	}{
		{"every entry comes back as it was", testRoundTrip},
		{"entries chain under the leaf", testChain},
		{"a move of the leaf lasts", testMove},
		{"a move to the root lasts", testMoveToRoot},
		{"a summary goes where the leaf goes", testMoveWithSummary},
		{"unknown entries and fields are kept", testUnknown},
		{"JSON from outside can not tear a line", testLineFeeds},
		{"a refused entry changes nothing", testRefused},
		{"what was said before an abort is stored", testCancelled},
		{"a second writer is refused", testSecondWriter},
		{"a reader changes nothing", testReadOnly},
		{"a reader can follow", testFollow},
		{"sessions are listed", testList},
		{"sessions are found by part of their id", testPrefix},
		{"an id is taken once", testTaken},
		{"sessions can be deleted", testDelete},
		{"a branch can be forked", testFork},
		{"a session can be copied, exported and imported", testCopy},
		{"a closed session says so", testClosed},
		{"any sequence of operations", testModel},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, newRepo(t)) })
	}
}

// clock gives times a second apart, so that times differ and are the same in
// every run; the year keeps clocks apart.
func clock(year int) func() time.Time {
	at := time.Date(year, 11, 29, 19, 1, 57, 926e6, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

func create(t *testing.T, r session.Repo) *session.Session {
	t.Helper()
	s, err := session.Create(t.Context(), r, session.Header{Cwd: "/project"}, session.Options{Now: clock(2026)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func reopen(t *testing.T, r session.Repo, s *session.Session, mode session.Mode) *session.Session {
	t.Helper()
	if mode == session.ReadWrite {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	o, err := session.Open(t.Context(), r, s.ID(), session.Options{Mode: mode, Now: clock(2027)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

func add(t *testing.T, s *session.Session, e session.Entry) string {
	t.Helper()
	id, err := s.Append(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// User makes an entry of what a user says.
func User(text string) session.Entry {
	m := ai.UserText(text)
	m.Timestamp = 1795978917945
	return &session.MessageEntry{Message: m}
}

// Assistant makes an entry of what a model answers.
func Assistant(text string) session.Entry {
	return &session.MessageEntry{Message: &ai.AssistantMessage{
		Content: []ai.Block{&ai.Text{Text: text}}, API: "faux", Provider: "mock", Model: "mock-1",
		Usage:      ai.Usage{Input: 100, Output: 10, Total: 110, Cost: ai.Cost{Input: 0.1, Output: 0.01, Total: 0.11}},
		StopReason: ai.StopEnd, Timestamp: 1795978917978,
	}}
}

func entries(t *testing.T, s *session.Session) []session.Entry {
	t.Helper()
	var out []session.Entry
	for e, err := range s.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// All makes one entry of every kind. Labels and edits are of the entry whose
// id is given.
func All(target string) []session.Entry {
	return []session.Entry{
		&session.ModelEntry{Provider: "mock", ModelID: "mock-1"},
		&session.ThinkingEntry{Level: ai.ThinkingHigh},
		&session.MessageEntry{Message: &ai.SystemMessage{
			Content: "Be brief.", Sections: []ai.Section{{Name: "rules", Text: new("none")}},
			ToolsAdded: []ai.Tool{{Name: "clock", Description: "tells the time", Parameters: json.RawMessage(`{"type":"object"}`)}}, Timestamp: 1,
		}},
		User("hello \u2028 \x00 \"quoted\" \\ 東京 🧭"),
		Assistant("hi"),
		&session.MessageEntry{Message: &ai.ToolResultMessage{
			ToolCallID: "call_1", ToolName: "clock", Content: []ai.Block{&ai.Text{Text: "noon"}, &ai.Image{Data: "aGk=", MIMEType: "image/png"}},
			Details: json.RawMessage(`{"zone":"UTC"}`), DurationMS: new(int64(3)), Timestamp: 2,
		}},
		&session.MessageEntry{Message: &session.OpaqueMessage{Kind: "hologram", Raw: json.RawMessage(`{"role":"hologram","timestamp":7,"x":[1]}`), Timestamp: 7}},
		&session.UsageEntry{Kind: "cache_warm", Provider: "p", Model: "m", Usage: ai.Usage{CacheRead: 1, Total: 1}, Note: "note"},
		&session.CompactionEntry{
			Summary: "so far", FirstKept: target, TokensBefore: 30005, Details: json.RawMessage(`{"readFiles":[]}`),
			Usage: &ai.Usage{Input: 3}, FromHook: new(false), System: &ai.SystemMessage{Content: "Be brief.", Timestamp: 3},
		},
		&session.BranchSummaryEntry{FromID: target, Summary: "tried", Details: json.RawMessage(`[1]`), FromHook: new(true)},
		&session.CustomEntry{CustomType: "ext", Data: json.RawMessage(`{"n":1}`)},
		&session.CustomMessageEntry{CustomType: "ext", Content: []ai.Block{&ai.Text{Text: "inj"}}, Plain: true, Display: true, Details: json.RawMessage(`{"k":1}`)},
		&session.ContextEditEntry{TargetID: target, Replacement: &session.Replacement{Content: []ai.Block{&ai.Text{Text: "edited"}}}},
		&session.ContextEditEntry{TargetID: target},
		&session.LabelEntry{TargetID: target, Label: "bm"},
		&session.LabelEntry{TargetID: target},
		&session.InfoEntry{Name: "my name"},
	}
}

// equal compares entries; times and unknown fields included.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	opts := cmp.Options{cmpopts.EquateEmpty(), cmp.AllowUnexported(session.MessageEntry{})}
	if d := cmp.Diff(want, got, opts); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func testRoundTrip(t *testing.T, r session.Repo) {
	s := create(t, r)
	first := add(t, s, User("first"))
	want := []session.Entry{entries(t, s)[0]}
	for _, e := range All(first) {
		add(t, s, e)
		want = append(want, e)
	}
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "entries while open", want, entries(t, s))
	s = reopen(t, r, s, session.ReadWrite)
	equal(t, "entries after opening again", want, entries(t, s))
	if got := s.Problems(); len(got) != 0 {
		t.Errorf("problems: %v", got)
	}
	if got, want := s.Leaf(), want[len(want)-1].Head().ID; got != want {
		t.Errorf("leaf %q, want %q", got, want)
	}
	h := s.Header()
	if h.Cwd != "/project" || h.Version != session.Version || h.ID == "" || h.Time.IsZero() {
		t.Errorf("header %+v", h)
	}
	if name, err := s.Name(t.Context()); name != "my name" || err != nil {
		t.Errorf("name %q, %v", name, err)
	}
}

func testChain(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	b := add(t, s, Assistant("b"))
	c := add(t, s, &session.LabelEntry{TargetID: a, Label: "start"})
	s = reopen(t, r, s, session.ReadWrite)
	d := add(t, s, User("d"))
	var got []string
	for _, e := range entries(t, s) {
		got = append(got, e.Head().Parent+">"+e.Head().ID)
	}
	equal(t, "links", []string{">" + a, a + ">" + b, b + ">" + c, c + ">" + d}, got)
	if l, err := s.Label(t.Context(), a); l != "start" || err != nil {
		t.Errorf("label %q, %v", l, err)
	}
}

// said gives the texts of the messages that a model sees.
func said(t *testing.T, s *session.Session) []string {
	t.Helper()
	c, err := s.Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range session.ModelMessages(c.Messages) {
		switch m := m.(type) {
		case *ai.UserMessage:
			out = append(out, ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			out = append(out, ai.TextOf(m.Content, ""))
		}
	}
	return out
}

func testMove(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	b := add(t, s, Assistant("b"))
	add(t, s, User("c"))
	if err := s.MoveTo(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, r, s, session.ReadWrite)
	if s.Leaf() != b {
		t.Fatalf("leaf %q after opening again, want %q", s.Leaf(), b)
	}
	if got := len(entries(t, s)); got != 3 || s.Len() != 3 || len(s.Stubs()) != 3 {
		t.Errorf("%d entries are shown, want 3: the move is not one of them", got)
	}
	d := add(t, s, User("d"))
	if e, err := s.Entry(t.Context(), d); err != nil || e.Head().Parent != b {
		t.Errorf("the next entry's parent is %v (%v), want %q", e, err, b)
	}
	equal(t, "context", []string{"a", "b", "d"}, said(t, s))
	rows, err := s.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows {
		got = append(got, fmt.Sprint(row.Depth, row.Active))
	}
	equal(t, "tree", []string{"0 true", "1 true", "2 false", "2 true"}, got)
	if err := s.MoveTo(t.Context(), "nothing"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a move to nothing: %v", err)
	}
	left, err := s.Left(t.Context(), a)
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func testMoveToRoot(t *testing.T, r session.Repo) {
	s := create(t, r)
	add(t, s, User("a"))
	if err := s.MoveTo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, r, s, session.ReadWrite)
	if s.Leaf() != "" {
		t.Fatalf("leaf %q after opening again, want none", s.Leaf())
	}
	add(t, s, User("b"))
	equal(t, "context", []string{"b"}, said(t, s))
	roots, err := s.Tree(t.Context())
	if err != nil || len(roots) != 2 {
		t.Errorf("%d roots, %v; want 2", len(roots), err)
	}
}

func testMoveWithSummary(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	b := add(t, s, Assistant("b"))
	id, err := s.MoveWithSummary(t.Context(), a, &session.BranchSummaryEntry{Summary: "b was said"})
	if err != nil {
		t.Fatal(err)
	}
	s = reopen(t, r, s, session.ReadWrite)
	e, err := s.Entry(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := e.(*session.BranchSummaryEntry); !ok || got.FromID != b || got.Parent != a || s.Leaf() != id {
		t.Errorf("got %+v, leaf %q", e, s.Leaf())
	}
	if got := said(t, s); len(got) != 2 || !strings.Contains(got[1], "<summary>\nb was said\n</summary>") {
		t.Errorf("context %q", got)
	}
}

func testUnknown(t *testing.T, r session.Repo) {
	lines := []string{
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-11-29T19:01:57.951Z","mood":"good","message":{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1,"tone":{"a":1}}}`,
		`{"type":"hologram","id":"h1","parentId":"u1","timestamp":"2026-11-29T19:01:58.951Z","x":1}`,
		`{"type":"message","id":"x1","parentId":"h1","timestamp":"2026-11-29T19:01:59.951Z","message":{"role":"bashExecution","command":"ls","timestamp":5}}`,
	}
	st, err := r.Create(t.Context(), session.Header{Extra: map[string]json.RawMessage{"provider": json.RawMessage(`"p"`)}}, func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield([]byte(l), nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Load(t.Context(), st, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s = reopen(t, r, s, session.ReadWrite)
	if got := string(s.Header().Extra["provider"]); got != `"p"` {
		t.Errorf("unknown header field is %q", got)
	}
	for i, id := range []string{"u1", "h1", "x1"} {
		got, err := s.Raw(t.Context(), id)
		if err != nil || string(got) != lines[i] {
			t.Errorf("stored entry %s (%v):\n%s\nwant\n%s", id, err, got, lines[i])
		}
	}
	all := entries(t, s)
	if u, ok := all[1].(*session.UnknownEntry); !ok || u.Kind != "hologram" || u.Err != nil {
		t.Errorf("unknown entry: %#v", all[1])
	}
	if o, ok := all[2].(*session.MessageEntry).Message.(*session.OpaqueMessage); !ok || o.Timestamp != 5 {
		t.Errorf("unknown message: %#v", all[2])
	}
	if got, err := all[0].AppendJSON(nil); err != nil || !strings.Contains(string(got), `"mood":"good"`) || !strings.Contains(string(got), `"tone":{"a":1}`) {
		t.Errorf("written again: %s, %v", got, err)
	}
	equal(t, "context", []string{"hi"}, said(t, s))
	if e := add(t, s, User("on")); e == "" || len(entries(t, s)) != 4 {
		t.Error("could not go on behind an unknown entry")
	}
}

func testLineFeeds(t *testing.T, r session.Repo) {
	s := create(t, r)
	add(t, s, User("a"))
	call := &ai.ToolCall{ID: "1", Name: "t", Arguments: json.RawMessage("{\n  \"text\": \"a\\nb\",\r\n \"n\": 1.0\n}")}
	id := add(t, s, &session.MessageEntry{Message: &ai.AssistantMessage{Content: []ai.Block{call}, StopReason: ai.StopToolUse}})
	s = reopen(t, r, s, session.ReadWrite)
	e, err := s.Entry(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	got := e.(*session.MessageEntry).Message.(*ai.AssistantMessage).ToolCalls()
	if len(got) != 1 || string(got[0].Arguments) != `{"text":"a\nb","n":1.0}` {
		t.Errorf("arguments came back as %s", got[0].Arguments)
	}
}

func testRefused(t *testing.T, r session.Repo) {
	s := create(t, r)
	sys := add(t, s, &session.MessageEntry{Message: &ai.SystemMessage{Content: "s"}})
	a := add(t, s, User("a"))
	other := add(t, s, User("other"))
	if err := s.MoveTo(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	edit := func(id string) session.Entry { return &session.ContextEditEntry{TargetID: id} }
	refused := map[string]session.Entry{
		"label of nothing":      &session.LabelEntry{TargetID: "nothing", Label: "x"},
		"edit of nothing":       edit("nothing"),
		"edit of a prompt":      edit(sys),
		"edit off the branch":   edit(other),
		"no message":            &session.MessageEntry{},
		"answer in the making":  &session.MessageEntry{Message: &ai.AssistantMessage{StopReason: ai.StopPending}},
		"details that are none": &session.CustomEntry{CustomType: "x", Data: json.RawMessage(`{"a":`)},
		"taken id":              &session.CustomEntry{Meta: session.Meta{ID: a}, CustomType: "x"},
		"unknown":               &session.UnknownEntry{Kind: "x", Raw: json.RawMessage(`{}`)},
	}
	for name, e := range refused {
		before := *e.Head()
		if _, err := s.Append(t.Context(), e); err == nil {
			t.Errorf("%s: appended", name)
		}
		if d := cmp.Diff(before, *e.Head()); d != "" {
			t.Errorf("%s: the entry was changed:\n%s", name, d)
		}
	}
	for _, m := range []agentcore.Message{&session.CompactionSummary{}, &session.BranchSummary{}} {
		if _, err := s.AppendMessage(t.Context(), m); err == nil {
			t.Errorf("%s message: appended", m.Role())
		}
	}
	if s.Leaf() != a || s.Len() != 3 {
		t.Errorf("leaf %q of %d entries, want %q of 3", s.Leaf(), s.Len(), a)
	}
	s = reopen(t, r, s, session.ReadWrite)
	if s.Leaf() != a || s.Len() != 3 {
		t.Errorf("after opening again: leaf %q of %d entries, want %q of 3", s.Leaf(), s.Len(), a)
	}
}

func testCancelled(t *testing.T, r session.Repo) {
	s := create(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, err := s.Append(ctx, User("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, Assistant("b")); err != nil {
		t.Fatal(err)
	}
	if err := s.MoveTo(ctx, a); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, r, s, session.ReadWrite)
	if s.Leaf() != a || s.Len() != 2 {
		t.Errorf("leaf %q of %d entries", s.Leaf(), s.Len())
	}
}

func testSecondWriter(t *testing.T, r session.Repo) {
	s := create(t, r)
	add(t, s, User("a"))
	_, err := session.Open(t.Context(), r, s.ID(), session.Options{})
	var locked *session.LockedError
	if !errors.As(err, &locked) || !errors.Is(err, session.ErrLocked) {
		t.Fatalf("second writer: %v", err)
	}
	reopen(t, r, s, session.ReadOnly).Close()
	if err := r.Delete(t.Context(), s.ID()); !errors.Is(err, session.ErrLocked) {
		t.Errorf("deleted under its writer: %v", err)
	}
	s = reopen(t, r, s, session.ReadWrite) // free again
	add(t, s, User("b"))
}

func testReadOnly(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	add(t, s, User("b"))
	o := reopen(t, r, s, session.ReadOnly)
	if _, err := o.Append(t.Context(), User("c")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append: %v", err)
	}
	if err := o.MoveTo(t.Context(), a); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("move: %v", err)
	}
	if o.Len() != 2 {
		t.Errorf("%d entries", o.Len())
	}
}

func testFollow(t *testing.T, r session.Repo) {
	s := create(t, r)
	add(t, s, User("a"))
	o := reopen(t, r, s, session.ReadOnly)
	if _, err := o.Stats(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, s, Assistant("b"))
	add(t, s, &session.InfoEntry{Name: "later"})
	if n, err := o.Refresh(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d new entries, %v; want 2", n, err)
	}
	equal(t, "context of the reader", said(t, s), said(t, o))
	if name, err := o.Name(t.Context()); name != "later" || err != nil {
		t.Errorf("name %q, %v", name, err)
	}
	if st, err := o.Stats(t.Context()); err != nil || st.AssistantMessages != 1 {
		t.Errorf("stats %+v, %v", st, err)
	}
	if o.Leaf() != s.Leaf() {
		t.Errorf("leaf %q, want %q", o.Leaf(), s.Leaf())
	}
	if n, err := o.Refresh(t.Context()); n != 0 || err != nil {
		t.Errorf("%d new entries, %v; want none", n, err)
	}
}

func testClosed(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	for name, err := range map[string]error{
		"append": second(s.Append(t.Context(), User("b"))), "move": s.MoveTo(t.Context(), ""), "entry": second(s.Entry(t.Context(), a)),
		"context": second(s.Context(t.Context())), "sync": s.Sync(t.Context()), "refresh": second(s.Refresh(t.Context())), "tree": second(s.Tree(t.Context())),
	} {
		if !errors.Is(err, session.ErrClosed) {
			t.Errorf("%s: %v, want %v", name, err, session.ErrClosed)
		}
	}
}

func second[T any](_ T, err error) error { return err }
