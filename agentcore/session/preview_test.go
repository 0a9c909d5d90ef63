package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	s := stored(t, userLine("u", "", "u"), userLine("v", "u", "v"), userLine("w", "v", "w"))
	note := &CustomMessageEntry{CustomType: "x", Content: []ai.Block{&ai.Text{Text: "n"}}}
	for _, c := range []struct {
		name    string
		entries []Entry
		want    []string
		err     string
	}{
		{"nothing", nil, []string{"user u", "user v", "user w"}, ""},
		{"a message", []Entry{note, note}, []string{"user u", "user v", "user w", "custom n", "custom n"}, ""},
		{"edits", []Entry{&ContextEditEntry{TargetID: "u"}, &ContextEditEntry{TargetID: "w"}}, []string{"user v"}, ""},
		{"an edit of what is added", []Entry{
			&CustomMessageEntry{Meta: Meta{ID: "own"}, CustomType: "x", Content: []ai.Block{&ai.Text{Text: "n"}}},
			&ContextEditEntry{TargetID: "own", Replacement: &Replacement{Content: []ai.Block{&ai.Text{Text: "N"}}}},
		}, []string{"user u", "user v", "user w", "custom N"}, ""},
		{"a compaction", []Entry{note, &CompactionEntry{Summary: "s", FirstKept: "w"}, note}, []string{"compactionSummary s", "user w", "custom n", "custom n"}, ""},
		{"a compaction that keeps nothing", []Entry{note, &CompactionEntry{Summary: "s"}}, []string{"compactionSummary s"}, ""},
		{"an edit of nothing", []Entry{note, &ContextEditEntry{TargetID: "nowhere"}}, nil, `entry 1: append context_edit entry: entry "nowhere" to be edited`},
		{"an id that is taken", []Entry{&CustomEntry{Meta: Meta{ID: "u"}, CustomType: "x"}}, nil, `"u" is taken`},
		{"no JSON", []Entry{&CustomEntry{CustomType: "x", Data: []byte("{")}}, nil, "not valid JSON"},
		{"none", []Entry{nil}, nil, "entry 0: there is none"},
		{"nil of a type", []Entry{(*CustomEntry)(nil)}, nil, "entry 0: there is none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			entries, err := s.Preview(t.Context(), c.entries...)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q in it", err, c.err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			var got Context
			for _, m := range Project(entries) {
				got.Messages = append(got.Messages, m...)
			}
			if d := cmp.Diff(c.want, brief(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if s.Leaf() != "w" || s.Len() != 3 || note.ID != "" {
				t.Errorf("the leaf is %s, there are %d entries, the one given is called %q", s.Leaf(), s.Len(), note.ID)
			}
		})
	}
	if _, err := s.Append(t.Context(), &CustomEntry{Meta: Meta{ID: "own"}, CustomType: "x"}); err != nil {
		t.Errorf("an id of a preview is not free again: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Preview(t.Context()); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}
