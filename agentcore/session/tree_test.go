package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A circle: each entry appears at most once, and there is a warning.
func TestCircle(t *testing.T) {
	t.Parallel()
	s := stored(t, userLine("a", "b", "a"), userLine("b", "a", "b"), userLine("c", "b", "c"))
	c, err := s.Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"user a", "user b", "user c"}, brief(c)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if p := s.Problems(); len(p) != 1 || p[0].ID != "a" || !strings.Contains(p[0].Text, "circle") {
		t.Errorf("problems: %v", p)
	}
	rows, err := s.Rows(t.Context())
	if err != nil || len(rows) != 3 || !rows[0].Gap || rows[2].Depth != 2 {
		t.Errorf("rows %+v, %v", rows, err)
	}
}

// A parent that never was: the branch is usable, the gap is marked, and what
// else the file holds stays within reach.
func TestMissingParent(t *testing.T) {
	t.Parallel()
	s := stored(t, userLine("e", "", "e"), userLine("f", "e", "f"), userLine("d", "zz", "d"))
	c, err := s.Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"user d"}, brief(c)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	roots, err := s.Tree(t.Context())
	if err != nil || len(roots) != 2 || roots[0].ID != "e" || roots[0].Gap || len(roots[0].Children) != 1 || roots[1].ID != "d" || !roots[1].Gap {
		t.Errorf("roots %+v, %v", roots, err)
	}
	if p := s.Problems(); len(p) != 1 || p[0].ID != "d" || !strings.Contains(p[0].Text, `"zz"`) {
		t.Errorf("problems: %v", p)
	}
	if err := s.MoveTo(t.Context(), "f"); err != nil {
		t.Error(err)
	}
}

func TestOddTrees(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		lines    []string
		leaf     string
		context  []string
		problems int
	}{
		{"its own parent", []string{userLine("a", "a", "a")}, "a", []string{"user a"}, 1},
		{"a long circle off the leaf", []string{userLine("a", "c", "a"), userLine("b", "a", "b"), userLine("c", "b", "c"), userLine("d", "", "d")}, "d", []string{"user d"}, 1},
		{"two circles", []string{userLine("a", "b", "a"), userLine("b", "a", "b"), userLine("c", "d", "c"), userLine("d", "c", "d")}, "d", []string{"user c", "user d"}, 2},
		{"parents behind their children", []string{userLine("b", "a", "b"), userLine("a", "", "a"), userLine("c", "b", "c")}, "c", []string{"user a", "user b", "user c"}, 0},
		{"an id twice: the last one counts", []string{userLine("a", "", "old"), userLine("a", "", "new"), userLine("b", "a", "b")}, "b", []string{"user new", "user b"}, 1},
		{"an id twice on one branch", []string{userLine("a", "", "a"), userLine("b", "a", "b"), userLine("a", "b", "a again")}, "a", []string{"user b", "user a again"}, 2},
		{"several roots", []string{userLine("a", "", "a"), userLine("b", "", "b")}, "b", []string{"user b"}, 0},
		{"nothing", nil, "", nil, 0},
		{"an older program went on from a move", []string{
			userLine("a", "", "a"), userLine("b", "a", "b"),
			`{"type":"custom","id":"m","parentId":"a","timestamp":"2026-11-29T19:01:57.951Z","customType":"pi.leaf","data":{"from":"b"}}`,
			userLine("c", "m", "c"),
		}, "c", []string{"user a", "user c"}, 0},
		{"a move under a move", []string{
			userLine("a", "", "a"),
			`{"type":"custom","id":"m","parentId":null,"timestamp":"2026-11-29T19:01:57.951Z","customType":"pi.leaf","data":{"from":"a"}}`,
			`{"type":"custom","id":"n","parentId":"m","timestamp":"2026-11-29T19:01:57.951Z","customType":"pi.leaf","data":{"from":"a"}}`,
		}, "", nil, 0},
		{"an entry that can not be decoded is a link", []string{userLine("a", "", "a"), messageLine("x", "a", `{"role":"user","content":5}`), userLine("b", "x", "b")}, "b", []string{"user a", "user b"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := stored(t, tt.lines...)
			c, err := s.Context(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.context, brief(c)); d != "" {
				t.Errorf("context (-want +got):\n%s", d)
			}
			if s.Leaf() != tt.leaf {
				t.Errorf("leaf %q, want %q", s.Leaf(), tt.leaf)
			}
			if p := s.Problems(); len(p) != tt.problems {
				t.Errorf("problems %v, want %d", p, tt.problems)
			}
			rows, err := s.Rows(t.Context())
			if err != nil || len(rows) != s.Len() {
				t.Errorf("%d rows of %d entries, %v", len(rows), s.Len(), err)
			}
			if _, err := s.AppendMessage(t.Context(), &note{Kind: "note"}); err != nil {
				t.Errorf("going on: %v", err)
			}
		})
	}
}

// Hidden moves do not show in the tree; what hangs under one is shown under
// what the move went to.
func TestTreeHidesMoves(t *testing.T) {
	t.Parallel()
	s := stored(t,
		userLine("a", "", "a"), userLine("b", "a", "b"),
		`{"type":"custom","id":"m","parentId":"a","timestamp":"2026-11-29T19:01:57.951Z","customType":"pi.leaf","data":{"from":"b"}}`,
		userLine("c", "m", "c"),
	)
	rows, err := s.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprint(r.ID, " under ", r.Parent, " at ", r.Depth))
	}
	if d := cmp.Diff([]string{"a under  at 0", "b under a at 1", "c under a at 1"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if p, err := s.PathTo("c"); err != nil || len(p) != 2 {
		t.Errorf("path %v, %v", p, err)
	}
}

func TestTreeOrder(t *testing.T) {
	t.Parallel()
	at := func(id, parent, clock string) string {
		return fmt.Sprintf(`{"type":"custom","customType":"x","id":%q,"parentId":%q,"timestamp":"2026-11-29T19:%s.000Z"}`, id, parent, clock)
	}
	s := stored(t, userLine("r", "", "r"), at("b", "r", "03:00"), at("c", "r", "02:00"), at("d", "r", "03:00"), at("a", "r", "01:00"))
	roots, err := s.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range roots[0].Children {
		got = append(got, n.ID)
	}
	if d := cmp.Diff([]string{"a", "c", "b", "d"}, got); d != "" {
		t.Errorf("children by time (-want +got):\n%s", d)
	}
}
