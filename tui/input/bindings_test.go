package input

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a": "a", "A": "a", "ctrl+shift+x": "ctrl+shift+x", "shift+ctrl+p": "ctrl+shift+p", "esc": "escape", "return": "enter",
		"pageup": "pageUp", "PageDown": "pageDown", "ctrl++": "ctrl++", "+": "+", "ctrl+alt+]": "ctrl+alt+]", "F12": "f12", "super+k": "super+k",
		"ctrl+-": "ctrl+-", "Ctrl+Space": "ctrl+space", "alt+ä": "alt+ä", "한": "한",
	} {
		id, err := Parse(in)
		if err != nil || id.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, id, err, want)
		}
	}
	for in, want := range map[string]string{
		"":            "no key",
		"ctrl+":       "no key",
		"hyper+x":     "no modifier",
		"ctrl+ctrl+x": "twice",
		"abc":         "no key",
		"ctrl+foo":    "no key",
		" ":           "no key",
	} {
		if _, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want one with %q", in, err, want)
		}
	}
}

func bindings() *Bindings {
	return NewBindings([]Binding{
		{"editor.left", []string{"left", "ctrl+b"}, "one left"},
		{"editor.newLine", []string{"shift+enter", "ctrl+j"}, "new line"},
		{"editor.undo", []string{"ctrl+-"}, "undo"},
		{"app.exit", []string{"ctrl+d"}, "exit"},
	})
}

func press(bytes string) Key {
	var d Decoder
	return append(d.Feed([]byte(bytes)), d.Flush()...)[0].(Key)
}

func TestBindings(t *testing.T) {
	t.Parallel()
	b := bindings()
	if !b.Is(press("\x02"), "editor.left") || !b.Is(press("\x1b[D"), "editor.left") || b.Is(press("x"), "editor.left") {
		t.Error("the standard keys of editor.left are wrong")
	}
	if !b.Is(press("\n"), "editor.newLine") || !b.Is(press("\x1f"), "editor.undo") {
		t.Error("bytes that stand for several keys do not do the action of one")
	}
	if b.Is(press("\x1b[1;1:3D"), "editor.left") {
		t.Error("a release does an action")
	}
	if got := b.First(press("\x04"), "editor.left", "app.exit"); got != "app.exit" {
		t.Errorf("First = %q", got)
	}
	errs := b.Set(map[string][]string{
		"editor.left": {"alt+h", "nonsense"}, "app.exit": {}, "editor.undo": {"alsonotakey"}, "left": {"x"},
	})
	var got []string
	for _, err := range errs {
		got = append(got, err.Error())
	}
	want := []string{
		`key binding "editor.left": key "nonsense": there is no key "nonsense"; use a character or a name such as enter, pageUp, f1`,
		`key binding "editor.undo": key "alsonotakey": there is no key "alsonotakey"; use a character or a name such as enter, pageUp, f1`,
		`key binding "left": there is no such action (did you mean "editor.left"?)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if text := b.Text("editor.left"); text != "alt+h" {
		t.Errorf("editor.left has the keys %q", text)
	}
	if len(b.Keys("app.exit")) != 0 || b.Text("editor.undo") != "ctrl+-" {
		t.Error("an empty list does not take the keys, or a wrong one does")
	}
	b.Reset()
	if b.Text("app.exit") != "ctrl+d" {
		t.Error("Reset does not bring the standard keys back")
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	b := bindings()
	if c := b.Conflicts(); len(c) > 0 {
		t.Errorf("standard bindings are in conflict: %v", c)
	}
	b.Set(map[string][]string{"editor.undo": {"ctrl+b", "ctrl+d"}})
	want := []Conflict{{Key: MustParse("ctrl+b"), Actions: []string{"editor.left", "editor.undo"}}}
	if diff := cmp.Diff(want, b.Conflicts()); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
}

// What a program has chosen is no mistake of the user's, and neither is what a user
// has taken back.
func TestStandardBindingsAreNoConflict(t *testing.T) {
	t.Parallel()
	b := NewBindings([]Binding{{Action: "a.one", Keys: []string{"x"}}, {Action: "a.two", Keys: []string{"x"}}, {Action: "a.three", Keys: []string{"y"}}})
	if c := b.Conflicts(); len(c) > 0 {
		t.Errorf("conflicts of standard bindings: %v", c)
	}
	b.Set(map[string][]string{"a.three": {"x"}})
	if c := b.Conflicts(); len(c) != 1 || len(c[0].Actions) != 3 {
		t.Errorf("conflicts of a user's binding: %v", c)
	}
	b.Set(map[string][]string{"a.one": {"z"}})
	b.Reset()
	if c := b.Conflicts(); len(c) > 0 {
		t.Errorf("conflicts after Reset: %v", c)
	}
}
