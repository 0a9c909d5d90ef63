package partialjson

import (
	"encoding/json"
	"strings"
)

// maxDepth is the deepest nesting encoding/json reads. Deeper containers are
// dropped, so that what Complete returns can always be decoded.
const maxDepth = 10000

// maxShownNumber is how long a number may be and still be shown before its end.
const maxShownNumber = 64

// Parser completes JSON that arrives in pieces. The zero value is ready to use.
//
// Each byte is read once; Complete costs a copy of what it returns, so it is
// meant to be called when somebody looks (once per screen frame), not per piece.
// A Parser belongs to one goroutine.
//
// What is shown of unfinished or odd text:
//
//   - an unfinished string: its characters so far, without a begun escape;
//   - an unfinished container: its finished and begun members;
//   - a key whose value has not begun: nothing;
//   - the beginning of true, false or null: that literal;
//   - an unfinished number: its value as far as it is one, if it is short;
//   - a bare control character in a string: itself;
//   - a backslash that begins no escape: itself;
//   - a missing or additional comma or colon: as if it were right;
//   - an unknown word, a value where none can be, a bracket that closes nothing: nothing;
//   - anything behind the root object: nothing;
//   - a root that is no object: an empty object.
type Parser struct {
	in  []byte // bytes waiting for more: a begun escape or rune, else empty
	out []byte // what was read, as strict JSON, with the member in hand at its end
	tok []byte // the number or word in hand

	stack []level // open containers, the root first
	root  root
	state state

	mark    int  // len(out) before the member in hand and its comma
	haveKey bool // in an object: a key stands at mark and waits for its value
	isKey   bool // the string in hand is a key
	void    bool // the number or word in hand stands where no value can be

	// dropping is set inside a container that is not shown: out from dropAt on
	// goes away again when the stack is back at dropDepth.
	dropping  bool
	dropAt    int
	dropDepth int
}

type level struct {
	array   bool
	members bool // the next member needs a comma
}

// root says what is known about the outermost value.
type root uint8

const (
	rootUnknown root = iota
	rootOpen         // an object, still open
	rootClosed       // an object, complete
	rootOther        // not an object
)

type state uint8

const (
	between state = iota
	inString
	inNumber
	inWord
)

// Complete returns text, the beginning of a JSON object, completed to a valid
// one. It is Parser for somebody who looks only once.
func Complete(text string) json.RawMessage {
	var p Parser
	p.out = make([]byte, 0, len(text)+16)
	p.Feed(text)
	return p.Complete()
}

// Feed reads the next piece.
func (p *Parser) Feed(piece string) {
	if p.root >= rootClosed {
		return
	}
	p.in = append(p.in, piece...)
	n := p.read(p.in)
	p.in = p.in[:copy(p.in, p.in[n:])]
}

// Reset makes the Parser ready for another text. It keeps its memory.
func (p *Parser) Reset() {
	*p = Parser{in: p.in[:0], out: p.out[:0], tok: p.tok[:0], stack: p.stack[:0]}
}

// Complete returns what was read so far as one valid JSON object, the caller's
// to keep.
func (p *Parser) Complete() json.RawMessage {
	return p.AppendComplete(make([]byte, 0, len(p.out)+len(p.tok)+len(p.stack)+8))
}

// AppendComplete appends what Complete returns to dst.
func (p *Parser) AppendComplete(dst []byte) []byte {
	switch p.root {
	case rootClosed:
		return append(dst, p.out...)
	case rootUnknown, rootOther:
		return append(dst, "{}"...)
	}
	shown, depth := len(p.out), len(p.stack)
	switch {
	case p.dropping:
		shown, depth = p.dropAt, p.dropDepth
	case p.state == between && p.haveKey, p.state == inString && p.isKey:
		shown = p.mark
	}
	start := len(dst)
	dst = append(dst, p.out[:shown]...)
	if !p.dropping {
		switch p.state {
		case inString:
			if !p.isKey {
				dst = append(dst, '"')
			}
		case inNumber, inWord:
			var ok bool
			if dst, ok = p.appendToken(dst, false); !ok {
				dst = dst[:start+p.mark]
			}
		}
	}
	for i := depth - 1; i >= 0; i-- {
		dst = append(dst, p.stack[i].closing())
	}
	return dst
}

func (l level) closing() byte {
	if l.array {
		return ']'
	}
	return '}'
}

// read takes in as far as it can be understood and returns how far that is.
func (p *Parser) read(in []byte) int {
	for i := 0; i < len(in); {
		switch p.state {
		case inString:
			n, wait := p.readString(in[i:])
			if i += n; wait {
				return i
			}
		case inNumber:
			n := i
			for n < len(in) && isNumeric(in[n]) {
				n++
			}
			p.tok = append(p.tok, in[i:n]...)
			if i = n; i < len(in) {
				p.endToken()
			}
		case inWord:
			n := i
			for n < len(in) && !isDelimiter(in[n]) {
				n++
			}
			// One byte more than the longest literal tells that it is none.
			room := max(len("false")+1-len(p.tok), 0)
			p.tok = append(p.tok, in[i:min(n, i+room)]...)
			if i = n; i < len(in) {
				p.endToken()
			}
		default:
			p.begin(in[i])
			i++
		}
		if p.root >= rootClosed {
			return len(in)
		}
	}
	return len(in)
}

// begin takes the first byte of a token.
func (p *Parser) begin(c byte) {
	switch c {
	case ' ', '\t', '\n', '\r', ':':
	case ',':
		if p.haveKey {
			p.cancel()
		}
	case '"':
		p.beginString()
	case '{', '[':
		p.open(c == '[')
	case '}', ']':
		p.close(c == ']')
	default:
		p.void = !p.place()
		p.tok = append(p.tok[:0], c)
		p.state = inWord
		if c == '-' || '0' <= c && c <= '9' {
			p.state = inNumber
		}
	}
}

func (p *Parser) beginString() {
	if len(p.stack) == 0 {
		p.root = rootOther
		return
	}
	p.isKey = !p.place()
	if p.isKey {
		p.comma()
	}
	p.out = append(p.out, '"')
	p.state = inString
}

func (p *Parser) endString() {
	p.state = between
	p.out = append(p.out, '"')
	if p.isKey {
		p.out = append(p.out, ':')
		p.haveKey = true
		return
	}
	p.commit()
}

// open enters a container, to be shown or, where no value can be, to be dropped.
func (p *Parser) open(array bool) {
	if len(p.stack) == 0 {
		if p.root = rootOther; !array {
			p.root = rootOpen
			p.out = append(p.out, '{')
			p.stack = append(p.stack, level{})
		}
		return
	}
	placed := p.place()
	if !p.dropping && (!placed || len(p.stack) >= maxDepth) {
		p.dropping, p.dropAt, p.dropDepth = true, p.mark, len(p.stack)
		p.haveKey = false
	} else {
		p.commit()
	}
	if array {
		p.out = append(p.out, '[')
	} else {
		p.out = append(p.out, '{')
	}
	p.stack = append(p.stack, level{array: array})
}

func (p *Parser) close(array bool) {
	last := len(p.stack) - 1
	if last < 0 || p.stack[last].array != array {
		return
	}
	if p.haveKey {
		p.cancel()
	}
	p.out = append(p.out, p.stack[last].closing())
	p.stack = p.stack[:last]
	if p.dropping && last == p.dropDepth {
		p.out, p.dropping = p.out[:p.dropAt], false
	}
	if last == 0 {
		p.root = rootClosed
	}
}

// endToken finishes the number or word in hand.
func (p *Parser) endToken() {
	out, ok := p.appendToken(p.out, true)
	p.state = between
	switch {
	case len(p.stack) == 0:
		if ok {
			p.root = rootOther
		}
	case ok:
		p.out = out
		p.commit()
	default:
		p.cancel()
	}
}

// appendToken appends the number or word in hand, if it is one and has a place.
func (p *Parser) appendToken(dst []byte, finished bool) ([]byte, bool) {
	if p.void && len(p.stack) > 0 {
		return dst, false
	}
	if p.state == inNumber {
		if !finished && len(p.tok) > maxShownNumber {
			return dst, false
		}
		return appendNumber(dst, p.tok)
	}
	for _, literal := range [...]string{"true", "false", "null"} {
		if string(p.tok) == literal || !finished && strings.HasPrefix(literal, string(p.tok)) {
			return append(dst, literal...), true
		}
	}
	return dst, false
}

// place prepares for a value and reports whether one can be here. It sets mark;
// in an array it writes the comma, in an object the key has brought it.
func (p *Parser) place() bool {
	if p.haveKey {
		return true
	}
	p.mark = len(p.out)
	if len(p.stack) == 0 || !p.stack[len(p.stack)-1].array {
		return false
	}
	p.comma()
	return true
}

func (p *Parser) comma() {
	if p.stack[len(p.stack)-1].members {
		p.out = append(p.out, ',')
	}
}

// commit makes the member in hand part of its container.
func (p *Parser) commit() {
	p.stack[len(p.stack)-1].members = true
	p.haveKey = false
}

// cancel forgets the member in hand.
func (p *Parser) cancel() {
	p.out = p.out[:p.mark]
	p.haveKey = false
}

func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ':', '"', '{', '}', '[', ']':
		return true
	}
	return false
}

// appendNumber appends the longest beginning of tok that is a JSON number once
// leading zeros are gone.
func appendNumber(dst, tok []byte) ([]byte, bool) {
	digits := func(i int) int {
		for i < len(tok) && '0' <= tok[i] && tok[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if tok[0] == '-' {
		i = 1
	}
	end := digits(i)
	if end == i {
		return dst, false
	}
	dst = append(dst, tok[:i]...)
	for i < end-1 && tok[i] == '0' {
		i++
	}
	if end < len(tok) && tok[end] == '.' {
		n := digits(end + 1)
		if n == end+1 { // "1." is 1, whatever comes then
			return append(dst, tok[i:end]...), true
		}
		end = n
	}
	if end < len(tok) && tok[end]|0x20 == 'e' {
		n := end + 1
		if n < len(tok) && (tok[n] == '+' || tok[n] == '-') {
			n++
		}
		if m := digits(n); m > n {
			end = m
		}
	}
	return append(dst, tok[i:end]...), true
}
