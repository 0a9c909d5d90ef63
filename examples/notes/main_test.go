package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/storage/sqlite"
)

// Two runs of the program: what the first noted, the second finds.
func TestNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.db")
	p := faux.New(faux.Config{})
	ask := func(request string) string {
		t.Helper()
		repo, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		answer, err := ask(t.Context(), repo, ai.NewModels(p).Stream, p.Model(), request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	p.Queue(
		faux.Calls(
			faux.Call("take", map[string]any{"topic": "house", "text": "The plumber comes on Tuesday at nine."}),
			faux.Call("take", map[string]any{"topic": "two words", "text": "refused by the schema"}),
			faux.Call("take", map[string]any{"topic": "house", "text": "The boiler is from 2011."}),
		),
		faux.Say("Noted."),
	)
	if got := ask("The plumber comes on Tuesday at nine, for the boiler of 2011."); got != "Noted." {
		t.Errorf("answer %q", got)
	}
	p.Queue(faux.Calls(faux.Call("find", map[string]any{"words": "plumber"})), faux.Say("On Tuesday at nine."))
	if got := ask("When does the plumber come?"); got != "On Tuesday at nine." {
		t.Errorf("answer %q", got)
	}
	shown := p.Requests()[3].Call.Messages
	result := shown[len(shown)-1].(*ai.ToolResultMessage)
	if got := ai.TextOf(result.Content, ""); got != "topic-house: The plumber comes on Tuesday at nine.\n" {
		t.Errorf("found %q", got)
	}
	// The second run goes on where the first ended.
	first := ""
	for _, m := range shown {
		if u, ok := m.(*ai.UserMessage); ok {
			first = ai.TextOf(u.Content, "")
			break
		}
	}
	if !strings.HasPrefix(first, "The plumber comes on Tuesday") || !strings.HasPrefix(ai.ReplaySystem(shown).Text, "You keep the notes") {
		t.Errorf("the model was shown %q first, with the prompt %q", first, ai.ReplaySystem(shown).Text)
	}
}
