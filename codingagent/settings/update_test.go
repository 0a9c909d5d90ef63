package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "settings.json")
	for _, step := range []struct {
		changes map[string]any
		want    string
	}{
		{map[string]any{"theme": "dark"}, "{\n  \"theme\": \"dark\"\n}"},
		{map[string]any{"theme": "light", "hideThinkingBlock": true}, "{\n  \"theme\": \"light\",\n  \"hideThinkingBlock\": true\n}"},
		{map[string]any{"theme": nil}, "{\n  \"hideThinkingBlock\": true\n}"},
	} {
		if err := Update(t.Context(), path, step.changes); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != step.want {
			t.Errorf("after %v the file is\n%s\nwant\n%s", step.changes, got, step.want)
		}
	}
}

func TestUpdateKeepsWhatItDoesNotKnow(t *testing.T) {
	got, err := change("f", []byte("\uFEFF{\"z\": {\"b\":1, \"a\":1e400}, \"theme\": \"x\", \"a\": [2]}"), map[string]any{"theme": "y"})
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(string(got)), "")
	if want := "\uFEFF" + `{"z":{"b":1,"a":1e400},"theme":"y","a":[2]}`; flat != want {
		t.Errorf("got %s, want %s", flat, want)
	}
	if _, err := change("f", []byte("{ // comment\n}"), map[string]any{"theme": "y"}); err == nil || !strings.Contains(err.Error(), "f:1:3") {
		t.Errorf("a file that is not JSON: error %v", err)
	}
}

// A name that is no setting is refused with the nearest ones, and nothing is written;
// one of an object is written into it.
func TestUpdateOfWhatIsNoSetting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for key, want := range map[string]string{
		"retry.maxRetrys": `there is no setting "retry.maxRetrys"; did you mean retry.maxRetries`,
		"a.b":             `there is no setting "a.b"`,
		"them":            "did you mean theme",
		"":                `there is no setting ""`,
	} {
		err := Update(t.Context(), path, map[string]any{key: 1, "theme": "dark"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", key, err, want)
		}
	}
	same := func(items []json.RawMessage) ([]json.RawMessage, error) {
		return append(items, json.RawMessage(`"x"`)), nil
	}
	if err := UpdateList(t.Context(), path, "package", same); err == nil || !strings.Contains(err.Error(), "did you mean packages") {
		t.Errorf("a list that there is not: error %v", err)
	}
	if data, err := os.ReadFile(path); err == nil {
		t.Errorf("written: %s", data)
	}
	for _, key := range Keys() {
		if err := Update(t.Context(), path, map[string]any{key: 1}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if err := Update(t.Context(), path, map[string]any{key: nil}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), key+`"`) && strings.Contains(key, ".") {
			t.Errorf("%s left %s, %v", key, data, err)
		}
	}
}

func TestTerminalSettings(t *testing.T) {
	s := Defaults()
	r := reader{path: "f"}
	r.object("", []byte(`{"tuiMode":"regular","theme":"a/b","editorPaddingX":2,"autocompleteMaxVisible":99,"doubleEscapeAction":"fork",
		"fullscreenScrollbar":"x","quietStartup":"header","editorKeys":"vi","terminal":{"showTerminalProgress":true}}`), s.fields(&r))
	got := s.Terminal
	want := defaultTerminal()
	want.Regular, want.Theme, want.EditorPadding, want.DoubleEscape, want.QuietStartup, want.ShowTerminalStatus, want.ViKeys = true, "a/b", 2, "fork", true, true, true
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	var notes []string
	for _, n := range r.notes {
		notes = append(notes, n.Message)
	}
	if all := strings.Join(notes, "\n"); len(notes) != 2 || !strings.Contains(all, "from 3 to 20") || !strings.Contains(all, "auto, always or hidden") {
		t.Errorf("notes %q", notes)
	}
}
