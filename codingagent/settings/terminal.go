package settings

import (
	"encoding/json"
	"fmt"
)

// Terminal says how the program looks and behaves in a terminal.
type Terminal struct {
	// Theme is the name of a theme, or "light/dark" with a name for each kind
	// of terminal.
	Theme string // system
	// Regular draws on the main screen, with the terminal's own scrollback.
	Regular bool
	// ResumeHint leaves only a hint on the main screen when the full screen is
	// left, instead of the conversation.
	ResumeHint bool
	// Scrollbar is "auto", "always" or "hidden".
	Scrollbar string // auto
	// CopyOnSelect copies what is selected with the mouse.
	CopyOnSelect       bool // true
	HideThinking       bool
	ExternalEditor     string
	EditorPadding      int    // 0 to 3
	OutputPadding      int    // 0 or 1; 1
	CompletionRows     int    // 3 to 20; 5
	ViKeys             bool   // the editor has the keys of vi
	HardwareCursor     bool   // show the terminal's own cursor
	DoubleEscape       string // "tree", "fork" or "none"; tree
	QuietStartup       bool
	ShowTerminalStatus bool // progress beside the window's title
}

func defaultTerminal() Terminal {
	return Terminal{
		Theme: "system", Scrollbar: "auto", CopyOnSelect: true, OutputPadding: 1, CompletionRows: 5, DoubleEscape: "tree",
	}
}

// fields are the keys of t.
func (t *Terminal) fields(r *reader) map[string]field {
	return map[string]field{
		"theme":                  text(&t.Theme),
		"tuiMode":                choice(&t.Regular, map[string]bool{"regular": true, "fullscreen": false}, "fullscreen or regular"),
		"fullscreenExitOutput":   choice(&t.ResumeHint, map[string]bool{"resume-hint": true, "transcript": false}, "transcript or resume-hint"),
		"fullscreenScrollbar":    oneOf(&t.Scrollbar, "auto", "always", "hidden"),
		"fullscreenCopyOnSelect": as("true or false", &t.CopyOnSelect),
		"hideThinkingBlock":      as("true or false", &t.HideThinking),
		"externalEditor":         text(&t.ExternalEditor),
		"editorPaddingX":         within(&t.EditorPadding, 0, 3),
		"outputPad":              within(&t.OutputPadding, 0, 1),
		"autocompleteMaxVisible": within(&t.CompletionRows, 3, 20),
		"editorKeys":             choice(&t.ViKeys, map[string]bool{"standard": false, "vi": true}, "standard or vi"),
		"showHardwareCursor":     as("true or false", &t.HardwareCursor),
		"doubleEscapeAction":     oneOf(&t.DoubleEscape, "tree", "fork", "none"),
		"quietStartup": func(key string, v json.RawMessage) error {
			if string(v) == `"header"` {
				t.QuietStartup = true
				return nil
			}
			return as(`true, false or "header"`, &t.QuietStartup)(key, v)
		},
		"terminal": func(key string, v json.RawMessage) error {
			r.object(key+".", v, map[string]field{"showTerminalProgress": as("true or false", &t.ShowTerminalStatus)})
			return nil
		},
	}
}

// choice stores what a word stands for.
func choice[T any](p *T, words map[string]T, expected string) field {
	return func(key string, v json.RawMessage) error {
		var word string
		if err := text(&word)(key, v); err != nil {
			return err
		}
		got, ok := words[word]
		if !ok {
			return fmt.Errorf("expected %s, found %s", expected, shown(v))
		}
		*p = got
		return nil
	}
}

// oneOf stores one of some words.
func oneOf(p *string, words ...string) field {
	same := make(map[string]string, len(words))
	expected := ""
	for i, w := range words {
		same[w] = w
		switch {
		case i == len(words)-1 && i > 0:
			expected += " or "
		case i > 0:
			expected += ", "
		}
		expected += w
	}
	return choice(p, same, expected)
}

// within stores a whole number between two others.
func within(p *int, low, high int) field {
	return func(key string, v json.RawMessage) error {
		var n int
		if err := as("a whole number", &n)(key, v); err != nil {
			return err
		}
		if n < low || n > high {
			return fmt.Errorf("expected a number from %d to %d, found %d", low, high, n)
		}
		*p = n
		return nil
	}
}
