package linematch

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// dfa is an automaton that is built while it runs. A state is a set of places in
// the program, before the empty moves that depend on the next character, and what
// the character before was, as far as word boundaries and the start of a line go.
//
// Its table has 256 entries for each state. Positive entries are the next state,
// as the start of its row, so that a step is one load and one test. The others
// are the reasons to stop.
type dfa struct {
	prog  *syntax.Prog
	words bool // the program asks for word boundaries

	table  []int32
	states []dfaState
	index  map[string]int32
	wide   map[wideStep]int32 // transitions on characters that are not one byte
	start  int32              // the state at the start of a line
	gen    int                // how often the table was thrown away

	seen  sparse
	stack []uint32
	next  []uint32
	key   []byte
}

type dfaState struct {
	places []uint32
	word   bool // the character before was part of a word
	bol    bool // there is none: the line starts here
	eol    int8 // whether the line matches if it ends here: 1 yes, -1 no, 0 unknown
}

type wideStep struct {
	state int32
	r     rune
}

// Entries of the table that are no states.
const (
	unknown  int32 = 0
	stopLine int32 = -1 // a line break
	stopHit  int32 = -2 // the line matches
	stopWide int32 = -3 // the start of a character of several bytes
	stopCR   int32 = -4 // a carriage return
	stopDead int32 = -5 // the line can not match any more
)

// mostStates is the number of states at which the table is thrown away: 2 MiB.
const mostStates = 2000

func newDFA(prog *syntax.Prog) *dfa {
	d := &dfa{prog: prog, seen: newSparse(len(prog.Inst))}
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			d.words = true
		}
	}
	d.clear()
	return d
}

// clear throws the table away. What is left is the state at the start of a line.
func (d *dfa) clear() {
	d.gen++
	d.table = d.table[:0]
	d.states = d.states[:0]
	d.index = map[string]int32{}
	d.wide = map[wideStep]int32{}
	d.table = append(d.table, make([]int32, 256)...) // row 0 is no state
	d.states = append(d.states, dfaState{})
	d.start = d.add(nil, false, true)
}

// add returns the state with the given places, which it may keep and sort.
func (d *dfa) add(places []uint32, word, bol bool) int32 {
	slices.Sort(places)
	d.key = d.key[:0]
	for _, p := range places {
		d.key = binary.LittleEndian.AppendUint32(d.key, p)
	}
	var flags byte
	if word {
		flags |= 1
	}
	if bol {
		flags |= 2
	}
	d.key = append(d.key, flags)
	if id, ok := d.index[string(d.key)]; ok {
		return id
	}
	if len(d.states) > mostStates {
		key, places := string(d.key), slices.Clone(places)
		d.clear()
		if id, ok := d.index[key]; ok {
			return id
		}
		d.key = append(d.key[:0], key...)
		return d.insert(places, word, bol)
	}
	return d.insert(slices.Clone(places), word, bol)
}

func (d *dfa) insert(places []uint32, word, bol bool) int32 {
	id := int32(len(d.states) * 256)
	d.states = append(d.states, dfaState{places: places, word: word, bol: bol})
	d.table = append(d.table, make([]int32, 256)...)
	row := d.table[id : id+256]
	for b := utf8.RuneSelf; b < 256; b++ {
		row[b] = stopWide
	}
	row['\n'], row['\r'] = stopLine, stopCR
	d.index[string(d.key)] = id
	return id
}

// scan finds the first matching line of buf from pos on, which is the start of a
// line.
func (d *dfa) scan(buf []byte, pos int) (start, end int, ok bool) {
	start = pos
	s := d.start
	for i := pos; i < len(buf); {
		table := d.table
		entry := unknown
		for ; i < len(buf); i++ {
			if entry = table[s+int32(buf[i])]; entry <= 0 {
				break
			}
			s = entry
		}
		if i == len(buf) {
			break
		}
		switch entry {
		case unknown:
			gen := d.gen
			to := d.step(s, rune(buf[i]))
			if gen == d.gen {
				d.table[s+int32(buf[i])] = to
			}
			entry = to
		case stopWide:
			r, n := utf8.DecodeRune(buf[i:])
			entry = d.wideStep(s, r)
			if entry > 0 {
				i += n - 1
			}
		case stopCR:
			if (i+1 == len(buf) || buf[i+1] == '\n') && d.endsHere(s) {
				entry = stopHit
			} else {
				entry = d.wideStep(s, '\r')
			}
		}
		switch {
		case entry > 0:
			s = entry
			i++
		case entry == stopLine:
			if d.endsHere(s) {
				return start, i, true
			}
			i++
			start, s = i, d.start
		case entry == stopHit:
			if j := bytes.IndexByte(buf[i:], '\n'); j >= 0 {
				return start, i + j, true
			}
			return start, len(buf), true
		case entry == stopDead:
			j := bytes.IndexByte(buf[i:], '\n')
			if j < 0 {
				return len(buf), len(buf), false
			}
			i += j + 1
			start, s = i, d.start
		}
	}
	if start < len(buf) && d.endsHere(s) {
		return start, len(buf), true
	}
	// An empty text is a line where it is asked for as one.
	if len(buf) == 0 && d.endsHere(s) {
		return 0, 0, true
	}
	return len(buf), len(buf), false
}

// wideStep is step with a memory.
func (d *dfa) wideStep(s int32, r rune) int32 {
	key := wideStep{s, r}
	if to, ok := d.wide[key]; ok {
		return to
	}
	gen := d.gen
	to := d.step(s, r)
	if gen == d.gen {
		if len(d.wide) > 1<<16 {
			d.wide = map[wideStep]int32{}
		}
		d.wide[key] = to
	}
	return to
}

// step computes where a character leads.
func (d *dfa) step(s int32, r rune) int32 {
	st := &d.states[s/256]
	word := d.words && isWord(r)
	if d.closure(st, d.emptyOps(st, word, false)) {
		return stopHit
	}
	d.next = d.next[:0]
	for _, p := range d.seen.dense {
		if in := &d.prog.Inst[p]; takes(in, r) {
			d.next = append(d.next, in.Out)
		}
	}
	slices.Sort(d.next)
	d.next = slices.Compact(d.next)
	if len(d.next) == 0 && d.deadEnd(word) {
		return stopDead
	}
	return d.add(d.next, word, false)
}

// takes reports whether an instruction consumes a character.
func takes(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1:
		return in.MatchRune(r)
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true // there is no line break within a line
	}
	return false
}

// emptyOps are the assertions that hold between the character before a state and
// the next one, or the end of the line.
func (d *dfa) emptyOps(st *dfaState, word, end bool) syntax.EmptyOp {
	var ops syntax.EmptyOp
	if st.bol {
		ops |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	if end {
		ops |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if st.word != word {
		ops |= syntax.EmptyWordBoundary
	} else {
		ops |= syntax.EmptyNoWordBoundary
	}
	return ops
}

// closure collects in seen where the empty moves lead from a state, and from the
// start of the program, as a match can begin anywhere. It reports whether the end
// of the program is among it.
func (d *dfa) closure(st *dfaState, ops syntax.EmptyOp) bool {
	d.seen.clear()
	d.stack = append(d.stack[:0], st.places...)
	d.stack = append(d.stack, uint32(d.prog.Start))
	for len(d.stack) > 0 {
		p := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if !d.seen.add(p) {
			continue
		}
		in := &d.prog.Inst[p]
		switch in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^ops == 0 {
				d.stack = append(d.stack, in.Out)
			}
		}
	}
	return false
}

// deadEnd reports whether nothing can match any more from within a line with no
// places left, because every match begins at the start of a line.
func (d *dfa) deadEnd(word bool) bool {
	const all = syntax.EmptyEndLine | syntax.EmptyEndText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	if d.closure(&dfaState{word: word}, all) {
		return false
	}
	for _, p := range d.seen.dense {
		switch d.prog.Inst[p].Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			return false
		}
	}
	return true
}

// endsHere reports whether a line matches that ends in a state.
func (d *dfa) endsHere(s int32) bool {
	st := &d.states[s/256]
	if st.eol == 0 {
		st.eol = -1
		if d.closure(st, d.emptyOps(st, false, true)) {
			st.eol = 1
		}
	}
	return st.eol > 0
}

// isWord reports whether a character is part of a word, as Unicode sees it
// (UTS 18, annex C).
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.In(r, wordTables()...)
}

// sparse is a set of small numbers that is emptied at no cost.
type sparse struct {
	dense []uint32
	at    []uint32
}

func newSparse(n int) sparse { return sparse{make([]uint32, 0, n), make([]uint32, n)} }

func (s *sparse) clear() { s.dense = s.dense[:0] }

func (s *sparse) add(v uint32) bool {
	if i := s.at[v]; int(i) < len(s.dense) && s.dense[i] == v {
		return false
	}
	s.at[v] = uint32(len(s.dense))
	s.dense = append(s.dense, v)
	return true
}
