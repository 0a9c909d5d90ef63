package session

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
)

// Stub is what is known of a stored entry without decoding it.
type Stub struct {
	// Pos is where the entry stands; Next is the position behind it. What the
	// numbers mean is the storage's own business, but they grow, and Next is
	// never 0.
	Pos, Next int64
	// Size is the length of the stored JSON in bytes.
	Size int
	Type Type
	// Role is that of the message, for [TypeMessage].
	Role ai.Role
	// CustomType is that of the entry, if it has one.
	CustomType string
	ID, Parent string
	// At is when the entry was appended, in Unix milliseconds; 0 if unknown.
	At int64
	// Fault is not empty for stored text that is no entry: it says why. Such
	// text is skipped and counted.
	Fault string
}

// Time is when the entry was appended; the zero time if unknown.
func (s *Stub) Time() time.Time {
	if s.At == 0 {
		return time.Time{}
	}
	return time.UnixMilli(s.At).UTC()
}

// scanner walks one line of JSON, in as many pieces as it comes in, and picks
// up the members that an index needs. It follows strings and brackets to the
// end of the line and so tells a torn line, even one that happens to end in a
// bracket, but it does not check what is inside of values. It needs no memory
// in proportion to the line.
type scanner struct {
	depth  int
	opened bool // the outermost bracket was seen
	closed bool // and it was closed again
	bad    bool // text outside of it, or not an object

	inString bool
	slashes  int // backslashes that end the last piece, within a string
	capture  captured
	buf      []byte // the captured string or number

	value     bool // at a watched depth: the next token is a value
	key       member
	inMessage bool // depth 2 is inside of the message

	version    []byte // header: the number, as text
	kind       []byte
	id, parent []byte
	at         []byte
	custom     []byte
	role       []byte
	messageAt  []byte // message.timestamp, a number
	hasParent  bool
	escaped    [memberCount]bool // the member's text must be unquoted
}

// captured says what is being copied to buf.
type captured int

const (
	captureNone captured = iota
	captureKey
	captureString
	captureNumber
)

// member names the members that the scanner picks up.
type member int

const (
	memberOther member = iota
	memberType
	memberID
	memberParent
	memberTime
	memberCustom
	memberMessage
	memberVersion
	memberRole
	memberMessageTime
	memberCount
)

// maxCaptured is the longest text that is picked up; longer ones are as good
// as none.
const maxCaptured = 64 << 10

func (s *scanner) reset() {
	*s = scanner{
		buf: s.buf[:0], version: s.version[:0], kind: s.kind[:0], id: s.id[:0], parent: s.parent[:0],
		at: s.at[:0], custom: s.custom[:0], role: s.role[:0], messageAt: s.messageAt[:0],
	}
}

// watched says whether members at this depth are of interest.
func (s *scanner) watched() bool { return s.depth == 1 || s.depth == 2 && s.inMessage }

// feed walks the next piece of the line. Pieces must not hold line feeds.
func (s *scanner) feed(b []byte) {
	for i := 0; i < len(b) && !s.bad; {
		if s.inString {
			i = s.str(b, i)
			continue
		}
		c := b[i]
		i++
		switch c {
		case '"':
			if s.depth == 0 {
				s.bad = true
				continue
			}
			s.inString, s.slashes = true, 0
			if s.watched() {
				s.begin(s.value)
			}
		case '{', '[':
			if s.closed || s.depth == 0 && c != '{' {
				s.bad = true
				continue
			}
			if s.depth == 1 && s.value && s.key == memberMessage && c == '{' {
				s.inMessage = true
			}
			s.depth++
			s.opened = true
			s.value = false
		case '}', ']':
			s.endNumber()
			s.depth--
			switch {
			case s.depth < 0:
				s.bad = true
				continue
			case s.depth == 0:
				s.closed = true
			case s.depth == 1:
				s.inMessage = false
			}
			s.value = true // until the comma
		case ':':
			s.value, s.bad = true, s.depth == 0
		case ',':
			s.endNumber()
			s.value, s.bad = false, s.depth == 0
		case ' ', '\t', '\r':
		default:
			if s.depth == 0 {
				s.bad = true
				continue
			}
			s.number(c)
		}
	}
}

// begin starts a string at a watched depth.
func (s *scanner) begin(isValue bool) {
	switch {
	case !isValue:
		s.capture = captureKey
	case s.target(false) != nil:
		s.capture = captureString
	default:
		return
	}
	s.buf = s.buf[:0]
}

// str walks on in a string and returns the index behind what it has used.
func (s *scanner) str(b []byte, i int) int {
	for {
		j := bytes.IndexByte(b[i:], '"')
		end := i + j
		if j < 0 {
			end = len(b)
		}
		if s.capture != captureNone {
			s.copy(b[i:end])
		}
		n := 0 // backslashes before the quote
		for end-n > i && b[end-1-n] == '\\' {
			n++
		}
		if n == end-i {
			n += s.slashes
		}
		if j < 0 {
			s.slashes = n
			return len(b)
		}
		i = end + 1
		s.slashes = 0
		if n%2 == 0 {
			s.inString = false
			s.endString()
			return i
		}
		if s.capture != captureNone {
			s.buf = append(s.buf, '"')
		}
	}
}

// copy captures a piece of a string.
func (s *scanner) copy(piece []byte) {
	s.buf = append(s.buf, piece...)
	if len(s.buf) > maxCaptured {
		s.capture = captureNone
		if !s.value {
			s.key = memberOther
		}
	}
}

func (s *scanner) endString() {
	if s.capture == captureNone {
		return
	}
	switch s.capture {
	case captureKey:
		s.key = s.member()
		if t := s.target(false); t != nil { // a repeated member: the last one counts
			*t = (*t)[:0]
			s.escaped[s.key] = false
		}
		if t := s.target(true); t != nil {
			*t = (*t)[:0]
		}
		switch s.key {
		case memberParent:
			s.hasParent = true
		case memberMessage:
			s.role, s.messageAt = s.role[:0], s.messageAt[:0]
		}
	case captureString:
		if t := s.target(false); t != nil {
			*t = append((*t)[:0], s.buf...)
			s.escaped[s.key] = bytes.IndexByte(s.buf, '\\') >= 0 || !utf8.Valid(s.buf)
		}
	}
	s.capture = captureNone
}

// number gathers the characters of numbers and literals.
func (s *scanner) number(c byte) {
	if s.capture == captureNone {
		if !s.value || !s.watched() || s.target(true) == nil {
			return
		}
		s.capture, s.buf = captureNumber, s.buf[:0]
	}
	if s.capture == captureNumber && len(s.buf) < 64 {
		s.buf = append(s.buf, c)
	}
}

func (s *scanner) endNumber() {
	if s.capture == captureNumber {
		if t := s.target(true); t != nil {
			*t = append((*t)[:0], s.buf...)
		}
		s.capture = captureNone
	}
}

// member names the key in buf.
func (s *scanner) member() member {
	key := s.buf
	if bytes.IndexByte(key, '\\') >= 0 {
		key = []byte(unquote(key))
	}
	if s.depth == 2 {
		switch string(key) {
		case "role":
			return memberRole
		case "timestamp":
			return memberMessageTime
		}
		return memberOther
	}
	switch string(key) {
	case "type":
		return memberType
	case "id":
		return memberID
	case "parentId":
		return memberParent
	case "timestamp":
		return memberTime
	case "customType":
		return memberCustom
	case "message":
		return memberMessage
	case "version":
		return memberVersion
	}
	return memberOther
}

// target is where the value of the current member goes.
func (s *scanner) target(number bool) *[]byte {
	if number {
		switch s.key {
		case memberMessageTime:
			return &s.messageAt
		case memberVersion:
			return &s.version
		}
		return nil
	}
	switch s.key {
	case memberType:
		return &s.kind
	case memberID:
		return &s.id
	case memberParent:
		return &s.parent
	case memberTime:
		return &s.at
	case memberCustom:
		return &s.custom
	case memberRole:
		return &s.role
	}
	return nil
}

// fault says why the line is no whole JSON object; "" when it is one.
func (s *scanner) fault() string {
	switch {
	case s.bad && s.closed:
		return "text after the JSON object"
	case s.bad || !s.opened:
		return "not a JSON object"
	case s.depth != 0 || s.inString:
		return "the line is torn: its JSON object does not end"
	}
	return ""
}

// stub gives what was picked up. Strings that occur often are shared.
func (s *scanner) stub() Stub {
	return Stub{
		Type:       Type(intern(s.text(s.kind, memberType))),
		Role:       ai.Role(intern(s.text(s.role, memberRole))),
		CustomType: intern(s.text(s.custom, memberCustom)),
		ID:         string(s.text(s.id, memberID)),
		At:         scanTime(s.at),
	}
}

// text gives a picked-up text, unquoted where it must be.
func (s *scanner) text(b []byte, m member) []byte {
	if s.escaped[m] {
		return []byte(unquote(b))
	}
	return b
}

// unquote decodes the inside of a JSON string; "" when it is none.
func unquote(inner []byte) string {
	var text string
	quoted := make([]byte, 0, len(inner)+2)
	quoted = append(append(append(quoted, '"'), inner...), '"')
	if json.Unmarshal(quoted, &text) != nil {
		return ""
	}
	return text
}

// intern avoids a copy of the names that nearly every line has.
func intern(b []byte) string {
	switch string(b) {
	case "message":
		return "message"
	case "user":
		return "user"
	case "assistant":
		return "assistant"
	case "toolResult":
		return "toolResult"
	case "system":
		return "system"
	case "custom":
		return "custom"
	case "custom_message":
		return "custom_message"
	case "label":
		return "label"
	case LeafType:
		return LeafType
	}
	return string(b)
}

// scanTime reads a time as entries write it, in Unix milliseconds; 0 when it
// is none.
func scanTime(b []byte) int64 {
	if len(b) == len(timeLayout) && b[4] == '-' && b[7] == '-' && b[10] == 'T' && b[13] == ':' && b[16] == ':' && b[19] == '.' && b[23] == 'Z' {
		num := func(from, to int) int {
			n := 0
			for _, c := range b[from:to] {
				if c < '0' || c > '9' {
					return -1 << 20
				}
				n = n*10 + int(c-'0')
			}
			return n
		}
		y, mo, d := num(0, 4), num(5, 7), num(8, 10)
		h, mi, sec, ms := num(11, 13), num(14, 16), num(17, 19), num(20, 23)
		if y >= 0 && mo >= 1 && mo <= 12 && d >= 1 && d <= 28 && h >= 0 && h < 24 && mi >= 0 && mi < 60 && sec >= 0 && sec < 60 && ms >= 0 {
			return time.Date(y, time.Month(mo), d, h, mi, sec, ms*1e6, time.UTC).UnixMilli()
		}
	}
	t := parseTime(string(b))
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
