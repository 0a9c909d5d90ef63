package input

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// csi decodes ESC [ and what follows.
func (d *Decoder) csi(s string, flush bool) (Event, int) {
	if len(s) == 2 {
		return short(s, flush)
	}
	if s[2] == 'M' { // the mouse as X10 sent it: three bytes more
		if len(s) < 6 && !flush {
			return nil, 0
		}
		if len(s) >= 6 {
			return mouse(int(s[3])-32, int(s[4])-33, int(s[5])-33, true), 6
		}
	}
	if s[2] == '[' { // the Linux console's F1 to F5
		if len(s) == 3 {
			return waitOrAlt(s, flush)
		}
		if c := s[3]; c >= 'A' && c <= 'E' {
			return key(ID{0, "f" + string('1'+c-'A')}, s[:4]), 4
		}
	}
	i := 2
	for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
		i++
	}
	params := s[2:i]
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i == len(s) {
		switch {
		case !flush:
			return nil, 0
		case s[i-1] == '$':
			if name, ok := tildeName(numbers(params).at(0, 0)); ok { // rxvt: see below
				return key(ID{Shift, name}, s), i
			}
		}
		return Unknown{s}, i
	}
	between, final := s[2+len(params):i], s[i]
	// rxvt ends some keys with "$", which is an intermediate byte for all others.
	if between == "$" && final != 'y' && final != 'p' && params != "" {
		between, final, i = "", '$', i-1
	}
	if final < 0x40 && final != '$' || final > 0x7e {
		return Unknown{s[:i]}, i
	}
	raw := s[:i+1]
	if raw == pasteBegin {
		d.pasting, d.began = true, false
		return nil, i + 1
	}
	if ev := d.sequence(params, between, final, raw); ev != nil {
		return ev, i + 1
	}
	return Unknown{raw}, i + 1
}

// waitOrAlt waits for the rest of a sequence; when none comes, what there is was
// alt with a key, and text after it.
func waitOrAlt(s string, flush bool) (Event, int) {
	if !flush {
		return nil, 0
	}
	return alt(s[:2])
}

func (d *Decoder) sequence(params, between string, final byte, raw string) Event {
	if params != "" && params[0] >= '<' {
		return private(params[0], params[1:], between, final)
	}
	if between != "" {
		return nil
	}
	p := numbers(params)
	mods, action, known := modifiers(p, 1)
	switch final {
	case 'u':
		return kitty(p, mods, action, known, raw)
	case '~':
		if p.at(0, 0) == 27 { // modifyOtherKeys
			mods, action, _ = modifiers(p, 1)
			return coded(rune(p.at(2, 0)), mods, action, raw)
		}
		if name, ok := tildeName(p.at(0, 0)); ok {
			return Key{ID: ID{mods, name}, Action: action, Raw: raw}
		}
	case '$', '^', '@': // rxvt: shift, ctrl, both
		if name, ok := tildeName(p.at(0, 0)); ok {
			m := map[byte]Mod{'$': Shift, '^': Ctrl, '@': Ctrl | Shift}[final]
			return key(ID{m, name}, raw)
		}
	case 'Z':
		return Key{ID: ID{mods | Shift, "tab"}, Action: action, Raw: raw}
	case 'I':
		return Focus{In: true}
	case 'O':
		return Focus{}
	case 'R':
		if len(p) >= 2 {
			if row, m := p.at(0, 1), p.at(1, 1); d.ExpectPosition || row != 1 || m < 2 || m > 8 {
				d.ExpectPosition = false
				return Position{X: m - 1, Y: row - 1}
			}
		}
		return Key{ID: ID{mods, "f3"}, Action: action, Raw: raw}
	case 't':
		switch p.at(0, 0) {
		case 6:
			return CellSize{Width: p.at(2, 0), Height: p.at(1, 0)}
		case 8, 48: // 48: a resize told in band
			return TextSize{Width: p.at(2, 0), Height: p.at(1, 0)}
		}
	case 'a', 'b', 'c', 'd': // rxvt: arrows with shift
		return key(ID{Shift, [...]string{"up", "down", "right", "left"}[final-'a']}, raw)
	default:
		if name, ok := letterName(final); ok {
			return Key{ID: ID{mods, name}, Action: action, Raw: raw}
		}
	}
	return nil
}

func key(id ID, raw string) Key { return Key{ID: id, Raw: raw} }

// params are the numbers of a sequence, each with its sub-parameters.
type params [][]int

func numbers(s string) params {
	if s == "" {
		return nil
	}
	var p params
	for f := range strings.SplitSeq(s, ";") {
		var sub []int
		for v := range strings.SplitSeq(f, ":") {
			n := -1
			for i := 0; i < len(v) && v[i] >= '0' && v[i] <= '9'; i++ {
				n = min(max(n, 0)*10+int(v[i]-'0'), 1<<30)
			}
			sub = append(sub, n)
		}
		p = append(p, sub)
	}
	return p
}

func (p params) at(i, missing int) int { return p.sub(i, 0, missing) }

func (p params) sub(i, j, missing int) int {
	if i >= len(p) || j >= len(p[i]) || p[i][j] < 0 {
		return missing
	}
	return p[i][j]
}

// capsLock is not a modifier of a key's name, but matters for what it types.
const capsLock = 64

// modifiers reads a parameter of the form mods or mods:action. bits are all the
// modifiers as the terminal sent them.
func modifiers(p params, i int) (m Mod, a Action, bits int) {
	bits = max(p.at(i, 1), 1) - 1
	if bits&1 != 0 {
		m |= Shift
	}
	if bits&2 != 0 || bits&32 != 0 { // alt, meta
		m |= Alt
	}
	if bits&4 != 0 {
		m |= Ctrl
	}
	if bits&8 != 0 || bits&16 != 0 { // super, hyper
		m |= Super
	}
	switch p.sub(i, 1, 1) {
	case 2:
		a = Repeat
	case 3:
		a = Release
	}
	return m, a, bits
}

// kitty decodes CSI code:shifted:base ; mods:action ; text u.
func kitty(p params, mods Mod, action Action, bits int, raw string) Event {
	code := rune(p.at(0, 0))
	if name, text, ok := functional(code); ok {
		if name == "" {
			return Unknown{raw} // a modifier key, or a lock key
		}
		k := Key{ID: ID{mods, name}, Action: action, Raw: raw}
		if text != "" && mods&^Shift == 0 {
			k.Text = text
		}
		return k
	}
	// A key of another alphabet with ctrl or alt means the key at that place of
	// the standard layout: so shortcuts work in every layout.
	if base := rune(p.sub(0, 2, 0)); base != 0 && mods&^Shift != 0 && code >= utf8.RuneSelf {
		code = base
	}
	ev := coded(code, mods, action, raw)
	k, ok := ev.(Key)
	if !ok {
		return ev
	}
	if mods&^Shift != 0 {
		return k
	}
	switch {
	case len(p) > 2 && p.at(2, 0) > 0:
		var b strings.Builder
		for j := range p[2] {
			if r := rune(p.sub(2, j, 0)); r >= 0x20 && r != 0x7f {
				b.WriteRune(r)
			}
		}
		if t := b.String(); t != "" && t != k.Text {
			k.Text = t
			if r, n := utf8.DecodeRuneInString(t); n == len(t) && unicode.ToLower(r) != code {
				k.ID = named(r, mods)
			}
		}
	case mods&Shift != 0 && p.sub(0, 1, 0) > 0:
		shifted := rune(p.sub(0, 1, 0))
		k.Text = string(shifted)
		// A shifted sign is a key of its own; a shifted letter is shift+letter.
		if !unicode.IsLetter(shifted) {
			k.also = append(k.also, k.ID)
			k.ID = ID{mods &^ Shift, string(shifted)}
		}
	case bits&capsLock != 0 && k.Text != "":
		k.Text = strings.ToUpper(k.Text)
		if mods&Shift != 0 {
			k.Text = strings.ToLower(k.Text)
		}
	}
	if action == Release {
		k.Text = ""
	}
	return k
}

// coded is a key given by a Unicode code point and modifiers.
func coded(code rune, mods Mod, action Action, raw string) Event {
	k := Key{Action: action, Raw: raw}
	switch code {
	case 0:
		return nil
	case '\r':
		k.ID = ID{mods, "enter"}
	case '\t':
		k.ID = ID{mods, "tab"}
	case esc:
		k.ID = ID{mods, "escape"}
	case '\b', 0x7f:
		k.ID = ID{mods, "backspace"}
	default:
		if code < 0x20 || !utf8.ValidRune(code) {
			return nil
		}
		k.ID = named(code, mods)
		if mods&^Shift == 0 && action != Release {
			k.Text = string(code)
			if mods&Shift != 0 {
				k.Text = strings.ToUpper(k.Text)
			}
		}
	}
	return k
}

// named is the ID of a character: a capital letter is shift and the small one.
func named(r rune, mods Mod) ID {
	if r == ' ' {
		return ID{mods, "space"}
	}
	if l := unicode.ToLower(r); l != r {
		return ID{mods | Shift, string(l)}
	}
	return ID{mods, string(r)}
}

func letterName(final byte) (string, bool) {
	switch final {
	case 'A':
		return "up", true
	case 'B':
		return "down", true
	case 'C':
		return "right", true
	case 'D':
		return "left", true
	case 'E':
		return "clear", true
	case 'F':
		return "end", true
	case 'H':
		return "home", true
	case 'P':
		return "f1", true
	case 'Q':
		return "f2", true
	case 'S':
		return "f4", true
	}
	return "", false
}

func tildeName(n int) (string, bool) {
	switch {
	case n >= 11 && n <= 15:
		return fkey(n - 10), true
	case n >= 17 && n <= 21:
		return fkey(n - 11), true
	case n >= 23 && n <= 26:
		return fkey(n - 12), true
	case n == 28 || n == 29:
		return fkey(n - 13), true
	case n >= 31 && n <= 34:
		return fkey(n - 14), true
	}
	switch n {
	case 1, 7:
		return "home", true
	case 2:
		return "insert", true
	case 3:
		return "delete", true
	case 4, 8:
		return "end", true
	case 5:
		return "pageUp", true
	case 6:
		return "pageDown", true
	}
	return "", false
}

func fkey(n int) string {
	if n < 10 {
		return "f" + string(rune('0'+n))
	}
	return "f" + string(rune('0'+n/10)) + string(rune('0'+n%10))
}

// functional names the keys that the kitty protocol puts into the private use
// area; name is "" for keys that are no use alone, such as shift.
func functional(code rune) (name, text string, ok bool) {
	if code < 57344 || code > 57454 {
		return "", "", false
	}
	switch {
	case code == 57361:
		return "printScreen", "", true
	case code == 57362:
		return "pause", "", true
	case code == 57363:
		return "menu", "", true
	case code >= 57376 && code <= 57398:
		return fkey(int(code-57376) + 13), "", true
	case code >= 57399 && code <= 57408:
		d := string('0' + code - 57399)
		return d, d, true
	case code >= 57409 && code <= 57413:
		t := string("./*-+"[code-57409])
		return t, t, true
	case code == 57414:
		return "enter", "", true
	case code == 57415:
		return "=", "=", true
	case code == 57416:
		return ",", ",", true
	case code >= 57417 && code <= 57427:
		return [...]string{"left", "right", "up", "down", "pageUp", "pageDown", "home", "end", "insert", "delete", "clear"}[code-57417], "", true
	}
	return "", "", true
}

// ss3 decodes ESC O and a letter: arrows and the keypad in application mode.
func ss3(s string) Event {
	c := s[2]
	if name, ok := letterName(c); ok {
		return key(ID{0, name}, s)
	}
	switch {
	case c == 'R':
		return key(ID{0, "f3"}, s)
	case c == 'M':
		return key(ID{0, "enter"}, s)
	case c >= 'a' && c <= 'd': // rxvt: arrows with ctrl
		return key(ID{Ctrl, [...]string{"up", "down", "right", "left"}[c-'a']}, s)
	case c >= 'j' && c <= 'y' || c == 'X':
		sign := byte('=')
		if c != 'X' {
			sign = "*+,-./0123456789"[c-'j']
		}
		return Key{ID: ID{0, string(sign)}, Text: string(sign), Raw: s}
	}
	return nil
}
