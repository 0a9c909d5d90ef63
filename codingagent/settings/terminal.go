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
	// Line chats in plain lines instead, for screen readers and simple terminals.
	Line bool
	// ReducedMotion moves nothing on the screen; ASCII draws with ASCII signs.
	ReducedMotion, ASCII bool
	// ResumeHint leaves only a hint on the main screen when the full screen is
	// left, instead of the conversation.
	ResumeHint bool
	// Scrollbar is "auto", "always" or "hidden".
	Scrollbar string // auto
	// CopyOnSelect copies what is selected with the mouse.
	CopyOnSelect       bool // true
	HideThinking       bool // folded to a line
	NoThinking         bool // not even that line
	ExternalEditor     string
	EditorPadding      int    // 0 to 3
	OutputPadding      int    // 0 or 1; 1
	CompletionRows     int    // 3 to 20; 5
	ViKeys             bool   // the editor has the keys of vi
	HardwareCursor     bool   // show the terminal's own cursor
	DoubleEscape       string // "tree", "fork" or "none"; tree
	QuietStartup       bool
	ShowTerminalStatus bool // progress beside the window's title
	WheelLines         int  // 1 to 100; 0 is what the terminal is like
	ShowImages         bool // true
	ImageWidth         int  // 60 cells
	ClearOnShrink      bool
	// Hyperlinks and TrueColor are "auto", "true" or "false"; Images is
	// "auto", "kitty", "iterm2" or "false".
	Hyperlinks, TrueColor, Images string
}

func defaultTerminal() Terminal {
	return Terminal{
		Theme: "system", Scrollbar: "auto", CopyOnSelect: true, OutputPadding: 1, CompletionRows: 5, DoubleEscape: "tree",
		ShowImages: true, ImageWidth: 60, Hyperlinks: "auto", TrueColor: "auto", Images: "auto",
	}
}

// fields are the keys of t.
func (t *Terminal) fields(r *reader) map[string]field {
	return map[string]field{
		"theme": text(&t.Theme),
		"tuiMode": func(key string, v json.RawMessage) error {
			var mode string
			err := oneOf(&mode, "fullscreen", "regular", "line")(key, v)
			if err == nil {
				t.Regular, t.Line = mode == "regular", mode == "line"
			}
			return err
		},
		"fullscreenExitOutput":   choice(&t.ResumeHint, map[string]bool{"resume-hint": true, "transcript": false}, "transcript or resume-hint"),
		"fullscreenScrollbar":    oneOf(&t.Scrollbar, "auto", "always", "hidden"),
		"fullscreenCopyOnSelect": as("true or false", &t.CopyOnSelect),
		"hideThinkingBlock": func(key string, v json.RawMessage) error {
			if t.NoThinking = string(v) == `"entirely"`; t.NoThinking {
				t.HideThinking = true
				return nil
			}
			return as(`true, false or "entirely"`, &t.HideThinking)(key, v)
		},
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
			r.object(key+".", v, map[string]field{
				"showTerminalProgress": as("true or false", &t.ShowTerminalStatus),
				"showImages":           as("true or false", &t.ShowImages),
				"imageWidthCells":      within(&t.ImageWidth, 1, 1000),
				"clearOnShrink":        as("true or false", &t.ClearOnShrink),
				"reducedMotion":        as("true or false", &t.ReducedMotion),
				"ascii":                as("true or false", &t.ASCII),
				"hyperlinks":           switchable(&t.Hyperlinks),
				"trueColor":            switchable(&t.TrueColor),
				"images":               switchable(&t.Images, "kitty", "iterm2"),
			})
			return nil
		},
		"fullscreenWheelScrollLines": func(key string, v json.RawMessage) error {
			if string(v) == `"auto"` {
				t.WheelLines = 0
				return nil
			}
			return within(&t.WheelLines, 1, 100)(key, v)
		},
	}
}

// switchable stores true, false, "auto" or one of some words.
func switchable(p *string, words ...string) field {
	return func(key string, v json.RawMessage) error {
		if string(v) == "true" || string(v) == "false" {
			*p = string(v)
			return nil
		}
		return oneOf(p, append([]string{"auto"}, words...)...)(key, v)
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
