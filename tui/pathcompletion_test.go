package tui_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/edit"
)

func TestPathsAndCommandsAreCompleted(t *testing.T) {
	files := fstest.MapFS{"main.go": {}, "my notes.txt": {}, ".hidden": {}, "docs/guide.md": {}, "docs/.git": {}}
	all := tui.Completers(tui.CommandCompleter([]tui.ListItem{{Value: "help"}, {Value: "quit"}}), tui.PathCompleter(files))
	for _, c := range []struct {
		before string
		forced bool
		row    int
		prefix string
		want   []string
	}{
		{"see @", false, 0, "@", []string{"@docs/", "@main.go", `@"my notes.txt"`}},
		{"see @ma", false, 0, "@ma", []string{"@main.go"}},
		{"see @docs/", false, 0, "@docs/", []string{"@docs/guide.md"}},
		{"see @.h", false, 0, "@.h", []string{"@.hidden"}},
		{"see @none/", false, 0, "", nil},
		{"see @../", false, 0, "", nil},
		{"cat do", false, 0, "", nil},
		{"cat do", true, 0, "do", []string{"docs/"}},
		{"/", false, 0, "/", []string{"/help ", "/quit "}},
		{"/q", false, 0, "/q", []string{"/quit "}},
		{"/q", false, 1, "", nil},
		{"/quit n", false, 0, "", nil},
	} {
		got, err := all.Complete(t.Context(), tui.CompletionRequest{Lines: []string{c.before}, Cursor: edit.Pos{Row: c.row, Col: len(c.before)}, Before: c.before, Forced: c.forced})
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		prefix := ""
		if got != nil {
			prefix = got.Prefix
			for _, i := range got.Items {
				values = append(values, i.Value)
			}
		}
		if !slices.Equal(values, c.want) || prefix != c.prefix {
			t.Errorf("%q forced %v: %q instead of %q, want %q instead of %q", c.before, c.forced, values, prefix, c.want, c.prefix)
		}
	}
}
