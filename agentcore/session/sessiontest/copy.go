package sessiontest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
)

func fork(t *testing.T, s *session.Session, r session.Repo, o session.ForkOptions) *session.Session {
	t.Helper()
	f, err := session.Fork(t.Context(), s, r, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func testFork(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	b := add(t, s, Assistant("b"))
	label := add(t, s, &session.LabelEntry{TargetID: a, Label: "start"})
	c := add(t, s, User("c"))
	compaction := add(t, s, &session.CompactionEntry{Summary: "so far", FirstKept: label})
	d := add(t, s, User("d"))
	if err := s.MoveTo(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	e := add(t, s, User("e"))
	add(t, s, &session.LabelEntry{TargetID: e, Label: "other branch"})

	f := fork(t, s, r, session.ForkOptions{Entry: d})
	ids := []string{}
	for _, stub := range f.Stubs() {
		ids = append(ids, stub.Parent+">"+stub.ID)
	}
	last := f.Stubs()[5]
	equal(t, "links of the copy", []string{">" + a, a + ">" + b, b + ">" + c, c + ">" + compaction, compaction + ">" + d, d + ">" + last.ID}, ids)
	if ce, err := f.Entry(t.Context(), compaction); err != nil || ce.(*session.CompactionEntry).FirstKept != c {
		t.Errorf("the compaction keeps from %v (%v), want the entry behind the label", ce, err)
	}
	if l, err := f.Label(t.Context(), a); l != "start" || err != nil || last.Type != session.TypeLabel {
		t.Errorf("label %q, %v", l, err)
	}
	if ls, err := s.Entry(t.Context(), label); err != nil || ls.Head().Time != last.Time() {
		t.Errorf("the label is of %v, want %v", last.Time(), ls.Head().Time)
	}
	if h := f.Header(); h.ID == s.ID() || h.Cwd != "/project" || h.Parent != s.Ref() {
		t.Errorf("header %+v", h)
	}
	f = reopen(t, r, f, session.ReadWrite)
	if got := said(t, f); len(got) != 3 || got[1] != "c" || got[2] != "d" {
		t.Errorf("context %q", got)
	}

	f = fork(t, s, r, session.ForkOptions{Entry: c, Before: true, Header: session.Header{Cwd: "/other", ID: "chosen"}})
	equal(t, "before c", []string{"a", "b"}, said(t, f))
	if h := f.Header(); h.ID != "chosen" || h.Cwd != "/other" {
		t.Errorf("header %+v", h)
	}
	f = fork(t, s, r, session.ForkOptions{Entry: a, Before: true})
	if f.Len() != 0 || f.Leaf() != "" {
		t.Errorf("before the first entry: %d entries", f.Len())
	}
	add(t, f, User("anew"))
	equal(t, "clone", []string{"a", "b", "e"}, said(t, fork(t, s, r, session.ForkOptions{})))

	for name, o := range map[string]session.ForkOptions{"before an answer": {Entry: b, Before: true}, "at nothing": {Entry: "nothing"}} {
		if f, err := session.Fork(t.Context(), s, r, o); err == nil {
			f.Close()
			t.Errorf("%s: forked", name)
		}
	}
	if _, err := session.Fork(t.Context(), s, r, session.ForkOptions{Entry: "nothing"}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("at nothing: %v", err)
	}
}

func testCopy(t *testing.T, r session.Repo) {
	s := create(t, r)
	a := add(t, s, User("a"))
	b := add(t, s, Assistant("b"))
	if err := s.MoveTo(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	add(t, s, User("c"))
	if err := s.MoveTo(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	raw := func(s *session.Session) []string {
		var out []string
		for _, stub := range s.Stubs() {
			text, err := s.Raw(t.Context(), stub.ID)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
		return out
	}
	c, err := session.Copy(t.Context(), s, r, session.Header{Cwd: "/elsewhere"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	equal(t, "entries of the copy", raw(s), raw(c))
	if c.Leaf() != b || c.Header().Cwd != "/elsewhere" || c.ID() == s.ID() {
		t.Errorf("leaf %q, header %+v", c.Leaf(), c.Header())
	}

	var text bytes.Buffer
	if err := s.Export(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "\n"); n != 3 || !strings.HasSuffix(text.String(), "}\n") {
		t.Errorf("exported %d lines:\n%s", n, text.String())
	}
	if _, err := session.Import(t.Context(), bytes.NewReader(text.Bytes()), r, session.Header{}, session.Options{}); !errors.Is(err, session.ErrTaken) {
		t.Errorf("imported under the same id: %v", err)
	}
	i, err := session.Import(t.Context(), strings.NewReader("garbage\n"+text.String()+`{"torn`), r, session.Header{ID: "imported"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	equal(t, "entries of the import", raw(s)[:2], raw(i))
	if i.ID() != "imported" || i.Header().Cwd != "/project" || i.Skipped() != 2 {
		t.Errorf("header %+v, problems %v", i.Header(), i.Problems())
	}
	old := `{"type":"session","id":"v1","timestamp":"2025-01-02T03:04:05.678Z"}` + "\n" + `{"type":"message","message":{"role":"user","content":"one"}}` + "\n"
	o, err := session.Import(t.Context(), strings.NewReader(old), r, session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	equal(t, "an old session", []string{"one"}, said(t, o))
	if _, err := session.Import(t.Context(), strings.NewReader("hello\n"), r, session.Header{}, session.Options{}); !errors.Is(err, session.ErrNotSession) {
		t.Errorf("imported text: %v", err)
	}
}
