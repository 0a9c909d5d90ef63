package interactive

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What people have in their files from older versions still counts.
func TestNamesOfOlderVersions(t *testing.T) {
	t.Parallel()
	for old, want := range map[string]string{
		"cursorUp": "tui.editor.cursorUp", "pageDown": "tui.editor.pageDown", "yankPop": "tui.editor.yankPop", "undo": "tui.editor.undo",
		"newLine": "tui.input.newLine", "submit": "tui.input.submit", "tab": "tui.input.tab", "copy": "tui.input.copy",
		"selectUp": "tui.select.up", "selectPageDown": "tui.select.pageDown", "selectConfirm": "tui.select.confirm", "selectCancel": "tui.select.cancel",
		"interrupt": "app.interrupt", "clear": "app.clear", "exit": "app.exit", "suspend": "app.suspend",
		"cycleThinkingLevel": "app.thinking.cycle", "toggleThinking": "app.thinking.toggle",
		"cycleModelForward": "app.model.cycleForward", "cycleModelBackward": "app.model.cycleBackward", "selectModel": "app.model.select",
		"expandTools": "app.tools.expand", "externalEditor": "app.editor.external", "followUp": "app.message.followUp", "dequeue": "app.message.dequeue",
		"pasteImage": "app.clipboard.pasteImage", "newSession": "app.session.new", "tree": "app.session.tree", "fork": "app.session.fork",
		"resume": "app.session.resume", "toggleSessionNamedFilter": "app.session.toggleNamedFilter", "toggleSessionPath": "app.session.togglePath",
		"toggleSessionSort": "app.session.toggleSort", "renameSession": "app.session.rename", "deleteSession": "app.session.delete",
		"deleteSessionNoninvasive": "app.session.deleteNoninvasive", "treeFoldOrUp": "app.tree.foldOrUp", "treeUnfoldOrDown": "app.tree.unfoldOrDown",
		"treeEditLabel": "app.tree.editLabel", "treeToggleLabelTimestamp": "app.tree.toggleLabelTimestamp",
	} {
		b := newBindings(otherPlatform)
		if !slices.Contains(b.Actions(), want) {
			t.Errorf("there is no action %s", want)
		}
		if notes := setBindings(b, []byte(`{"`+old+`": "alt+9"}`)); len(notes) > 0 || b.Text(want) != "alt+9" {
			t.Errorf("%s: %s has the keys %s, notes %q", old, want, b.Text(want), notes)
		}
	}
}

func TestSetBindings(t *testing.T) {
	t.Parallel()
	b := newBindings(otherPlatform)
	notes := setBindings(b, []byte(`{"$schema": 1, "interrupt": "f7", "app.interrupt": ["f8", "f9"], "app.exit": [], "app.clear": 7, "nope": "f1", "tui.editor.undo": "hyper+x"}`))
	if got := b.Text("app.interrupt"); got != "f8/f9" {
		t.Errorf("of both spellings the old one won: %s", got)
	}
	if b.Text("app.exit") != "" || b.Text("app.clear") != "ctrl+c" || b.Text("tui.editor.undo") != "ctrl+-" {
		t.Error("an empty list did not unbind, or a bad value counts")
	}
	want := []string{"app.clear: expected a key", `"nope": there is no such action`, `"tui.editor.undo"`}
	if len(notes) != len(want) {
		t.Fatalf("notes %q", notes)
	}
	for i := range want {
		if !strings.Contains(notes[i], want[i]) {
			t.Errorf("note %d is %q, want %q in it", i, notes[i], want[i])
		}
	}
	if notes := setBindings(b, nil); len(notes) > 0 || b.Text("app.exit") != "ctrl+d" {
		t.Error("without a file the usual keys are not back")
	}
	if notes := setBindings(b, []byte(`{`)); len(notes) != 1 || !strings.Contains(notes[0], "not JSON") {
		t.Errorf("notes %q", notes)
	}
}

func TestKeysOfPlatforms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		p      platform
		action string
		keys   string
	}{
		{otherPlatform, "app.suspend", "ctrl+z"},
		{windowsPlatform, "app.suspend", ""},
		{wslPlatform, "app.suspend", "ctrl+z"},
		{otherPlatform, "tui.editor.undo", "ctrl+-"},
		{windowsPlatform, "tui.editor.undo", "ctrl+z"},
		{wslPlatform, "tui.editor.undo", "alt+z"},
		{otherPlatform, "app.message.followUp", "alt+enter"},
		{windowsPlatform, "app.message.followUp", "ctrl+q"},
		{wslPlatform, "app.message.dequeue", "alt+q"},
		{otherPlatform, "app.model.cycleBackward", "ctrl+shift+p"},
		{wslPlatform, "app.model.cycleBackward", "alt+p"},
		{otherPlatform, "app.clipboard.pasteImage", "ctrl+v"},
		{windowsPlatform, "app.clipboard.pasteImage", "alt+v/ctrl+v"},
		{otherPlatform, "tui.altScreen.search", "ctrl+shift+f"},
		{windowsPlatform, "tui.altScreen.search", "ctrl+f"},
		{otherPlatform, "tui.altScreen.nextPrompt", "ctrl+shift+down/ctrl+down"},
		{wslPlatform, "tui.altScreen.nextPrompt", "ctrl+down"},
		{otherPlatform, "app.tree.foldOrUp", "ctrl+left/alt+left"},
		{macPlatform, "app.tree.foldOrUp", "alt+left/ctrl+left"},
	} {
		if got := newBindings(tc.p).Text(tc.action); got != tc.keys {
			t.Errorf("on platform %d %s has the keys %q, want %q", tc.p, tc.action, got, tc.keys)
		}
	}
}

// A key action of the table has a binding, and a command's action is one.
func TestActionsAreKnown(t *testing.T) {
	t.Parallel()
	known := newBindings(otherPlatform).Actions()
	for _, a := range keyActions() {
		if !slices.Contains(known, a.action) {
			t.Errorf("%s has no binding", a.action)
		}
	}
	var names []string
	for _, c := range commands() {
		if c.action != "" && !slices.Contains(known, c.action) {
			t.Errorf("/%s names the action %s, which has no binding", c.name, c.action)
		}
		if c.help == "" || c.run == nil {
			t.Errorf("/%s has no help or does nothing", c.name)
		}
		names = append(names, c.name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(slices.Compact(slices.Clone(names)), names); diff != "" {
		t.Errorf("a command is there twice:\n%s", diff)
	}
}

func TestConflictsAreNamed(t *testing.T) {
	t.Parallel()
	b := newBindings(otherPlatform)
	setBindings(b, []byte(`{"app.clear": "escape"}`))
	var got []string
	for _, c := range b.Conflicts() {
		got = append(got, conflictText(b, c))
	}
	want := []string{"escape: app.interrupt (stop what is under way), app.clear (clear the editor, stop; twice exits)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
	if c := newBindings(otherPlatform).Conflicts(); len(c) > 0 {
		t.Errorf("the usual keys are in conflict: %v", c)
	}
}
