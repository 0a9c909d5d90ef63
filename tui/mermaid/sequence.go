package mermaid

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// actor takes part in a sequence.
type actor struct {
	id      string
	text    []string
	person  bool
	created bool // by a message, not at the beginning
	index   int
	box     string // the title of the box around it and its neighbours
	boxed   int    // which box, from 1
}

// eventKind is what happens in a sequence.
type eventKind uint8

const (
	messageEvent eventKind = iota
	noteEvent
	beginEvent // of a fragment
	elseEvent
	endEvent
	activateEvent
	deactivateEvent
	destroyEvent
)

// event is one statement of a sequence. Fragments go from a beginEvent to an endEvent.
type event struct {
	kind     eventKind
	from, to *actor
	text     []string
	weight   weight
	marks    [2]mark // at from and at to
	place    string  // of a note: over, left or right
	word     string  // of a fragment: loop, alt, ...
	creates  bool
	on, off  bool // the message activates its receiver, ends its sender's activity
	inside   *span
}

// sequence is a sequence diagram.
type sequence struct {
	actors []*actor
	byID   map[string]*actor
	events []*event
	open   []string // what is open: fragments, and "box"

	number, step int // of messages; 0 is none
	boxes        int
	boxTitle     string
	create       string   // who is made by the next message
	dying        []*actor // who ends with their next message
}

var (
	messages = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.+?)\s*(<<-->>|<<->>|-->>|->>|-->|->)\s*([+-]?)\s*([^:]+?)\s*(?::\s*(.*))?$`)
	})
	otherMessages = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.+?)\s*(--x|-x|--\)|-\))\s*([+-]?)\s*([^:]+?)\s*(?::\s*(.*))?$`)
	})
	sequenceNotes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^note\s+(over|left of|right of)\s+([^:,]+?)\s*(?:,\s*([^:]+?)\s*)?:\s*(.*)$`)
	})
	participants = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(create\s+)?(participant|actor)\s+(.+?)(?:\s*@\{[^}]*\})?(?:\s+as\s+(.+))?$`)
	})
)

const maxActors = 40

func readSequence(s *source) (drawing, error) {
	q := &sequence{byID: map[string]*actor{}}
	for _, l := range s.lines[1:] {
		if t, ok := strings.CutPrefix(l.text, "title"); ok && (strings.HasPrefix(t, " ") || strings.HasPrefix(t, ":")) {
			s.title = oneLine(strings.TrimLeft(t, ": "))
			continue
		}
		if !q.statement(strings.TrimRight(l.text, "; ")) {
			return nil, unknown(l)
		}
	}
	if len(q.open) > 0 && !s.partial {
		return nil, unknown(line{text: q.open[len(q.open)-1] + " without end"})
	}
	for len(q.open) > 0 {
		q.end()
	}
	for _, a := range q.dying {
		q.events = append(q.events, &event{kind: destroyEvent, from: a, to: a})
	}
	switch {
	case len(q.actors) == 0:
		return nil, ErrEmpty
	case len(q.actors) > maxActors:
		return nil, ErrTooLarge
	}
	return q, nil
}

func (q *sequence) statement(s string) bool {
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
		return true
	case "participant", "actor", "create":
		if m := participants().FindStringSubmatch(s); m != nil {
			return q.declare(m)
		}
	case "destroy":
		q.dying = append(q.dying, q.actor(rest))
		return rest != ""
	case "activate", "deactivate":
		a := q.actor(rest)
		kind := choose(word == "activate", activateEvent, deactivateEvent)
		q.events = append(q.events, &event{kind: kind, from: a, to: a})
		return rest != ""
	case "autonumber":
		return q.autonumber(strings.Fields(rest))
	case "link", "links", "properties", "details":
		return rest != ""
	case "box":
		q.boxes++
		q.boxTitle = boxTitle(rest)
		q.open = append(q.open, "box")
		return true
	case "loop", "alt", "opt", "par", "par_over", "critical", "break", "rect":
		if !messageLike(s) {
			q.begin(word, rest)
			return true
		}
	case "else", "and", "option":
		if len(q.open) == 0 || q.open[len(q.open)-1] == "box" {
			return false
		}
		q.events = append(q.events, &event{kind: elseEvent, word: word, text: clean(rest)})
		return true
	case "end":
		return rest == "" && len(q.open) > 0 && q.end()
	}
	if m := sequenceNotes().FindStringSubmatch(s); m != nil {
		e := &event{kind: noteEvent, place: strings.ToLower(strings.TrimSuffix(m[1], " of")), from: q.actor(m[2]), text: clean(m[4])}
		e.to = e.from
		if m[3] != "" {
			e.to = q.actor(m[3])
		}
		q.events = append(q.events, e)
		return true
	}
	m := messages().FindStringSubmatch(s)
	if m == nil {
		m = otherMessages().FindStringSubmatch(s)
	}
	return m != nil && q.message(m)
}

func messageLike(s string) bool { return messages().MatchString(s) && strings.Contains(s, ":") }

// boxTitle is the title of a box without the colour before it.
func boxTitle(s string) string {
	if strings.HasPrefix(s, "rgb") {
		if _, rest, ok := strings.Cut(s, ")"); ok {
			return oneLine(rest)
		}
	}
	if first, rest, ok := strings.Cut(s, " "); ok && (first == strings.ToLower(first) || first == "transparent" || colourNames(first)) {
		return oneLine(rest)
	}
	return oneLine(s)
}

func colourNames(s string) bool {
	switch s {
	case "Aqua", "Purple", "Green", "Red", "Blue", "Yellow", "Orange", "Gray", "Grey", "Pink", "LightBlue", "LightGreen", "LightYellow", "LightGray", "LightGrey", "White":
		return true
	}
	return false
}

func (q *sequence) begin(word, text string) {
	q.open = append(q.open, word)
	if word == "rect" {
		text = ""
	}
	q.events = append(q.events, &event{kind: beginEvent, word: word, text: clean(text)})
}

func (q *sequence) end() bool {
	last := q.open[len(q.open)-1]
	q.open = q.open[:len(q.open)-1]
	if last == "box" {
		q.boxTitle = ""
		return true
	}
	q.events = append(q.events, &event{kind: endEvent})
	return true
}

// actor is the one of a name; one that nobody has declared stands in the order in which
// it comes.
func (q *sequence) actor(id string) *actor {
	id = strings.TrimSpace(id)
	a := q.byID[id]
	if a == nil {
		a = &actor{id: id, text: clean(id), index: len(q.actors)}
		q.byID[id] = a
		q.actors = append(q.actors, a)
	}
	return a
}

func (q *sequence) declare(m []string) bool {
	a := q.actor(m[3])
	a.person = m[2] == "actor"
	if m[4] != "" {
		a.text = clean(m[4])
	}
	if m[1] != "" {
		a.created = true
		q.create = a.id
	}
	if len(q.open) > 0 && q.open[len(q.open)-1] == "box" {
		a.box, a.boxed = q.boxTitle, q.boxes
	}
	return true
}

func (q *sequence) autonumber(args []string) bool {
	q.number, q.step = 1, 1
	if len(args) > 0 && args[0] == "off" {
		q.number = 0
		return true
	}
	for i, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil || i > 1 || n < 0 || n > 1_000_000 {
			return false
		}
		if i == 0 {
			q.number = n
		} else {
			q.step = n
		}
	}
	return true
}

func (q *sequence) message(m []string) bool {
	if strings.ContainsAny(m[1], ":;") || strings.Contains(m[4], "->") {
		return false
	}
	e := &event{kind: messageEvent, from: q.actor(m[1]), to: q.actor(m[4]), on: m[3] == "+", off: m[3] == "-"}
	if m[5] != "" {
		e.text = clean(m[5])
	}
	if strings.Contains(m[2], "--") {
		e.weight = dotted
	}
	switch {
	case strings.HasSuffix(m[2], ">>"), strings.HasSuffix(m[2], ")"):
		e.marks[1] = arrow
	case strings.HasSuffix(m[2], "x"):
		e.marks[1] = cross
	}
	if strings.HasPrefix(m[2], "<<") {
		e.marks[0] = arrow
	}
	if q.number > 0 {
		if e.text == nil {
			e.text = []string{""}
		}
		e.text[0] = strings.TrimSpace(strconv.Itoa(q.number) + ". " + e.text[0])
		q.number += q.step
	}
	if q.create != "" && e.to.id == q.create && e.from != e.to {
		e.creates, q.create = true, ""
	}
	q.events = append(q.events, e)
	q.dying = slices.DeleteFunc(q.dying, func(a *actor) bool {
		if a == e.from || a == e.to {
			q.events = append(q.events, &event{kind: destroyEvent, from: a, to: a})
		}
		return a == e.from || a == e.to
	})
	return true
}
