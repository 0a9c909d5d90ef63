package input

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Mod is a set of modifier keys.
type Mod uint8

// The modifiers that can be part of a key's name.
const (
	Ctrl Mod = 1 << iota
	Shift
	Alt
	Super
)

// modNames is in the order in which names are written.
var modNames = [...]struct {
	mod  Mod
	name string
}{{Ctrl, "ctrl"}, {Shift, "shift"}, {Alt, "alt"}, {Super, "super"}}

// ID names a key with its modifiers. IDs can be compared with ==. The zero ID
// names no key.
type ID struct {
	Mods Mod
	// Name is the key without modifiers: a character ("a", "ä", "!"), or one of
	// the names that [Parse] lists. Letters are in lower case.
	Name string
}

// String returns the name as [Parse] reads it, such as "ctrl+shift+pageUp".
func (id ID) String() string {
	var b strings.Builder
	for _, m := range modNames {
		if id.Mods&m.mod != 0 {
			b.WriteString(m.name + "+")
		}
	}
	b.WriteString(id.Name)
	return b.String()
}

// With returns the ID with modifiers added.
func (id ID) With(m Mod) ID { id.Mods |= m; return id }

// keyNames maps names in lower case to their usual form.
var keyNames = sync.OnceValue(func() map[string]string {
	m := map[string]string{"esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "pgup": "pageUp", "pgdn": "pageDown"}
	for _, n := range []string{
		"escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end",
		"pageUp", "pageDown", "up", "down", "left", "right", "menu", "printScreen", "pause",
	} {
		m[strings.ToLower(n)] = n
	}
	for i := 1; i <= 35; i++ {
		n := fmt.Sprintf("f%d", i)
		m[n] = n
	}
	return m
})

// Parse reads the name of a key: modifiers (ctrl, shift, alt, super) in any
// order, joined by "+", then a key. The key is one character, f1 to f35, or one
// of escape (esc), enter (return), tab, space, backspace, delete, insert, clear,
// home, end, pageUp, pageDown, up, down, left, right, menu, printScreen, pause.
// Upper and lower case are the same: a capital letter is written shift+a.
func Parse(s string) (ID, error) {
	var id ID
	rest := s
	for {
		// The key itself may be "+".
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 {
			break
		}
		mod := Mod(0)
		for _, m := range modNames {
			if strings.EqualFold(rest[:i], m.name) {
				mod = m.mod
			}
		}
		switch {
		case mod == 0:
			return ID{}, fmt.Errorf("key %q: %q is no modifier; use ctrl, shift, alt or super", s, rest[:i])
		case id.Mods&mod != 0:
			return ID{}, fmt.Errorf("key %q: %s is there twice", s, strings.ToLower(rest[:i]))
		}
		id.Mods |= mod
		rest = rest[i+1:]
	}
	if name, ok := keyNames()[strings.ToLower(rest)]; ok {
		id.Name = name
		return id, nil
	}
	if r, n := utf8.DecodeRuneInString(rest); n == len(rest) && n > 0 && r != utf8.RuneError && unicode.IsGraphic(r) && r != ' ' {
		id.Name = string(unicode.ToLower(r))
		return id, nil
	}
	return ID{}, fmt.Errorf("key %q: there is no key %q; use a character or a name such as enter, pageUp, f1", s, rest)
}

// MustParse is [Parse] for names that are written in a program. It panics if the
// name is wrong.
func MustParse(s string) ID {
	id, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return id
}
