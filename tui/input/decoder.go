package input

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

const esc = 0x1b

// Waiting times for what may be cut off. A terminal sends a sequence in one go;
// a slow connection may cut it, and a person may press escape.
const (
	waitEscape   = 30 * time.Millisecond  // ESC alone, or ESC and the first byte of a sequence
	waitSequence = 150 * time.Millisecond // within a sequence
	waitString   = 2 * time.Second        // within an answer such as the clipboard's
	waitPaste    = time.Second            // within a paste
)

// maxString is the longest answer that is collected; longer ones are dropped, so
// that a terminal that never ends one can not use up the memory.
const maxString = 1 << 20

// Decoder takes the bytes a terminal sends and returns events. The zero Decoder
// is ready to use. It belongs to one goroutine.
type Decoder struct {
	rest    []byte // not decoded yet: the beginning of something
	pasting bool
	began   bool // the paste has had its first piece
	stalled bool // the paste has paused: its end may be lost
	skip    byte // the second byte of a sequence that is too long, while the rest of it is dropped
	// ExpectPosition tells that the cursor's position has been asked for. An
	// answer in the first row looks like F3 with modifiers; without it, it is
	// taken for that key where both are possible.
	ExpectPosition bool
}

// ParseKey returns the key that some bytes stand for. It is false if they are not
// exactly one key.
func ParseKey(raw string) (Key, bool) {
	var d Decoder
	events := append(d.Feed([]byte(raw)), d.Flush()...)
	if len(events) != 1 {
		return Key{}, false
	}
	k, ok := events[0].(Key)
	return k, ok
}

// Feed takes bytes and returns the events that are whole.
//
// A paste goes on until its end comes, however long it pauses: what follows a pause
// must not be taken for keys, of which enter may be one. Only ctrl+c, in a read of
// its own and once [Decoder.Flush] has told of a pause, ends it, as the end is lost
// when a connection breaks; it is then a key like any other.
func (d *Decoder) Feed(b []byte) []Event {
	if d.stalled && isInterrupt(b) {
		return append(d.Abandon(), d.Feed(b)...)
	}
	d.rest = append(d.rest, b...)
	return d.decode(false)
}

// isInterrupt tells that a read is ctrl+c and nothing else.
func isInterrupt(b []byte) bool {
	if len(b) > 16 {
		return false
	}
	k, ok := ParseKey(string(b))
	return ok && k.Action == Press && k.Is(ID{Mods: Ctrl, Name: "c"})
}

// Wait returns how long to wait for more bytes before [Decoder.Flush]; ok is
// false if nothing is waiting. The time begins with the last Feed.
func (d *Decoder) Wait() (_ time.Duration, ok bool) {
	switch r := d.rest; {
	case d.skip != 0:
		return waitString, true
	case d.pasting && !d.stalled:
		return waitPaste, true
	case len(r) == 0 || d.pasting:
		return 0, false
	case len(r) <= 2 || len(r) == 3 && r[1] == esc:
		return waitEscape, true
	case r[0] == esc && strings.IndexByte("]P_^X", r[1]) >= 0:
		return waitString, true
	}
	return waitSequence, true
}

// Flush returns the events of what was waiting: it will not become more. A paste
// waits on, see [Decoder.Feed].
func (d *Decoder) Flush() []Event {
	if d.pasting {
		d.stalled = true
		return nil
	}
	if d.skip != 0 {
		d.skip, d.rest = 0, d.rest[:0]
		return nil
	}
	return d.decode(true)
}

// Abandon is [Decoder.Flush] for when the rest can not come any more, as when
// another program has read the input meanwhile: a paste that has begun ends, too.
func (d *Decoder) Abandon() []Event {
	if !d.pasting {
		return d.Flush()
	}
	p := Paste{Text: string(d.rest), First: !d.began, Last: true}
	d.pasting, d.began, d.stalled, d.rest = false, false, false, d.rest[:0]
	return []Event{p}
}

func (d *Decoder) decode(flush bool) []Event {
	var events []Event
	s := string(d.rest)
	all := len(s)
	for s != "" {
		var n int
		switch {
		case d.skip != 0:
			if n = d.drop(s); n == 0 && d.skip == 0 {
				continue
			}
		case d.pasting:
			var p Paste
			if p, n = d.paste(s); p.Text != "" || p.Last {
				events = append(events, p)
			}
		case s[0] == esc:
			var ev Event
			if ev, n = d.escape(s, flush); ev != nil {
				events = append(events, ev)
			}
		default:
			var ev Event
			if ev, n = plain(s, flush); ev != nil {
				events = append(events, ev)
			}
		}
		if n == 0 {
			break
		}
		s = s[n:]
	}
	if len(s) > maxString {
		s = d.tooLong(s)
	}
	if len(s) != all || flush {
		d.rest = append(d.rest[:0], s...)
	}
	if flush {
		d.rest = d.rest[:0]
	}
	return events
}

// tooLong drops the beginning of a sequence, and sees to it that the rest of it is
// dropped as well when it comes: it must not be taken for what somebody types.
func (d *Decoder) tooLong(s string) (rest string) {
	body := strings.TrimLeft(s, "\x1b")
	if len(body) == len(s) || body == "" {
		return ""
	}
	d.skip = body[0]
	if s[len(s)-1] == esc {
		return s[len(s)-1:] // perhaps the first half of its end
	}
	return ""
}

// drop returns how much of s belongs to a sequence that is dropped.
func (d *Decoder) drop(s string) int {
	inString := strings.IndexByte("]P_^X", d.skip) >= 0
	for i := range len(s) {
		c := s[i]
		switch {
		case inString && c != '\a' && c != esc, !inString && c >= 0x20 && c <= 0x3f:
			continue
		case inString && c == esc && i+1 == len(s):
			return i
		}
		d.skip = 0
		switch {
		case inString && c == esc && s[i+1] == '\\':
			return i + 2
		case inString && c == '\a', !inString && c >= 0x40 && c <= 0x7e:
			return i + 1
		}
		return i // broken off by something else
	}
	return len(s)
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// paste takes what is sure to belong to the paste.
func (d *Decoder) paste(s string) (p Paste, n int) {
	p.First = !d.began
	if i := strings.Index(s, pasteEnd); i >= 0 {
		p.Text, p.Last = s[:i], true
		d.pasting, d.began, d.stalled = false, false, false
		return p, i + len(pasteEnd)
	}
	// The end of s may be the beginning of the end marker.
	n = len(s)
	for k := min(len(pasteEnd)-1, len(s)); k > 0; k-- {
		if strings.HasPrefix(pasteEnd, s[len(s)-k:]) {
			n = len(s) - k
			break
		}
	}
	p.Text = s[:n]
	d.began = d.began || n > 0
	return p, n
}

// plain decodes what does not begin with ESC: one character.
func plain(s string, flush bool) (Event, int) {
	c := s[0]
	if c < 0x20 || c == 0x7f {
		return control(c, 0, s[:1]), 1
	}
	if c >= utf8.RuneSelf && !utf8.FullRuneInString(s) && !flush {
		return nil, 0
	}
	n, _ := text.Cluster(s)
	if n == len(s) && !flush && incomplete(s) {
		return nil, 0
	}
	return typed(s[:n], 0, s[:n]), n
}

// incomplete reports whether a cluster ends in a joiner, so that more must follow.
func incomplete(cluster string) bool {
	return strings.HasSuffix(cluster, "\u200d") || !utf8.FullRuneInString(cluster[lastStart(cluster):])
}

func lastStart(s string) int {
	i := len(s) - 1
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// typed is a key that types a cluster.
func typed(cluster string, mods Mod, raw string) Key {
	k := Key{Raw: raw, Text: strings.ToValidUTF8(cluster, "\ufffd")}
	k.Mods = mods
	k.Name = k.Text
	if r, n := utf8.DecodeRuneInString(k.Text); n == len(k.Text) {
		k.ID = named(r, mods)
	}
	if mods&^Shift != 0 {
		k.Text = ""
	}
	return k
}

// control is the key that a control character of the legacy encoding stands for.
func control(c byte, mods Mod, raw string) Key {
	k := Key{Raw: raw}
	k.Mods = mods
	switch c {
	case 0x00:
		k.ID = ID{mods | Ctrl, "space"}
		k.also = []ID{{mods | Ctrl, "@"}}
	case '\b':
		k.ID = ID{mods | Ctrl, "h"}
		k.also = []ID{{mods | Ctrl, "backspace"}}
	case '\t':
		k.Name = "tab"
	case '\n':
		k.ID = ID{mods | Ctrl, "j"}
		k.also = []ID{{mods | Shift, "enter"}}
	case '\r':
		k.Name = "enter"
	case esc:
		k.Name = "escape"
	case 0x1c:
		k.ID = ID{mods | Ctrl, "\\"}
	case 0x1d:
		k.ID = ID{mods | Ctrl, "]"}
	case 0x1e:
		k.ID = ID{mods | Ctrl, "^"}
		k.also = []ID{{mods | Ctrl, "6"}}
	case 0x1f:
		k.ID = ID{mods | Ctrl, "-"}
		k.also = []ID{{mods | Ctrl, "_"}, {mods | Ctrl, "/"}}
	case 0x7f:
		k.Name = "backspace"
	default:
		k.ID = ID{mods | Ctrl, string(rune('a' + c - 1))}
	}
	return k
}

// escape decodes what begins with ESC. n is 0 if more is needed.
func (d *Decoder) escape(s string, flush bool) (Event, int) {
	if len(s) == 1 {
		if !flush {
			return nil, 0
		}
		return control(esc, 0, s), 1
	}
	switch c := s[1]; c {
	case esc:
		return d.twice(s, flush)
	case '[':
		return d.csi(s, flush)
	case 'O':
		if len(s) == 2 {
			return short(s, flush)
		}
		if ev := ss3(s[:3]); ev != nil {
			return ev, 3
		}
		return alt(s)
	case ']', 'P', '_', '^', 'X':
		return str(s, flush)
	}
	if s[1] >= utf8.RuneSelf && !utf8.FullRuneInString(s[1:]) && !flush {
		return nil, 0
	}
	return alt(s)
}

// short is ESC and the first byte of a longer sequence, of which no more comes:
// a key with alt.
func short(s string, flush bool) (Event, int) {
	if !flush {
		return nil, 0
	}
	return alt(s)
}

// alt decodes ESC and a character: terminals send alt like this.
func alt(s string) (Event, int) {
	c := s[1]
	if c < 0x20 || c == 0x7f {
		return control(c, Alt, s[:2]), 2
	}
	n, _ := text.Cluster(s[1:])
	return typed(s[1:1+n], Alt, s[:1+n]), 1 + n
}

// twice decodes ESC ESC: alt with a key that is a sequence itself, or two
// presses of escape.
func (d *Decoder) twice(s string, flush bool) (Event, int) {
	if len(s) == 2 || len(s) == 3 && (s[2] == '[' || s[2] == 'O') {
		if !flush {
			return nil, 0
		}
		return control(esc, 0, s[:1]), 1
	}
	if s[2] == '[' || s[2] == 'O' {
		ev, n := d.escape(s[1:], flush)
		if n == 0 {
			return nil, 0
		}
		if k, ok := ev.(Key); ok && k.Mods&Alt == 0 {
			k.Mods |= Alt
			k.Raw = s[:n+1]
			return k, n + 1
		}
	}
	return control(esc, 0, s[:1]), 1
}
