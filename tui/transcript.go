package tui

import (
	"slices"
	"sort"
	"strings"
)

// Transcript is a long column of components of which only the last ones are
// seen, such as a conversation or a log. Components are drawn when they are in
// view and not again until they say that they have changed, so work does not
// grow with the length. It belongs to the goroutine of its program.
type Transcript struct {
	items  []*Item
	start  []int // start[i] is the line at which items[i] begins; valid to there
	valid  int   // so many entries of start are right
	dirty  []*Item
	live   map[*Item]bool
	width  int
	keep   int // lines at the beginning that have not changed since TakeKeep
	last   int // the item of the last line that was asked for
	report func(error)
}

// Deferred is a component that takes time to draw for the first time, such as one
// that has to be read from a file. A full-screen program draws it when it comes into
// view or is searched, and not while idle.
type Deferred interface {
	Component
	// Estimate says about how many lines it has, at no cost.
	Estimate(width int) int
}

// Item is a component's place in a [Transcript].
type Item struct {
	t         *Transcript
	whole     *Item // of which it is a part
	component Component
	index     int
	raw       []string // as the component gave them
	lines     []string // the same without the cursor's mark
	cursor    place    // where that was; its item is nil if there was none
	cursorAt  string   // what stood before it in its line
	width     int      // for which lines were drawn; 0 for never
	dirty     bool
	drawn     bool // a deferred one was drawn
	stop      bool
}

// NewTranscript returns an empty transcript.
func NewTranscript() *Transcript { return &Transcript{live: map[*Item]bool{}} }

// Append adds a component at the end.
func (t *Transcript) Append(c Component) *Item { return t.Insert(len(t.items), c) }

// Insert adds a component at an index, 0 ≤ at ≤ Len.
func (t *Transcript) Insert(at int, c Component) *Item {
	it := &Item{t: t, component: c, index: at}
	t.items = slices.Insert(t.items, at, it)
	for i := at + 1; i < len(t.items); i++ {
		t.items[i].index = i
	}
	t.changedFrom(at)
	it.Touch()
	return it
}

// Len returns the number of components.
func (t *Transcript) Len() int { return len(t.items) }

// Item returns the place at an index.
func (t *Transcript) Item(i int) *Item { return t.items[i] }

// Clear removes all components.
func (t *Transcript) Clear() {
	for _, it := range t.items {
		it.t = nil
	}
	t.items, t.dirty = nil, nil
	clear(t.live)
	t.changedFrom(0)
}

// Invalidate makes all components draw anew.
func (t *Transcript) Invalidate() {
	for _, it := range t.items {
		Invalidate(it.component)
		it.width, it.drawn = 0, len(it.lines) > 0
	}
	t.changedFrom(0)
}

// Part makes an item of a component that the item's component draws: touching it
// touches the item. It can not be removed or replaced.
func (it *Item) Part(c Component) *Item { return &Item{whole: it, component: c} }

// Touch tells that the component may have changed.
func (it *Item) Touch() {
	if it.whole != nil {
		it.whole.Touch()
		return
	}
	if it.t == nil || it.dirty {
		return
	}
	it.dirty = true
	it.t.dirty = append(it.t.dirty, it)
}

// SetLive makes the component be asked for its lines at every frame, as a
// running clock needs; a finished one must be set to false again.
func (it *Item) SetLive(live bool) {
	if it.whole != nil {
		it.whole.SetLive(live)
		return
	}
	if it.t == nil {
		return
	}
	if live {
		it.t.live[it] = true
	} else {
		delete(it.t.live, it)
	}
	it.Touch()
}

// Component returns the component.
func (it *Item) Component() Component { return it.component }

// Replace puts another component at the place.
func (it *Item) Replace(c Component) {
	it.component = c
	it.Touch()
}

// SetStop makes the item one that the keys for the previous and the next prompt
// go to.
func (it *Item) SetStop(stop bool) { it.stop = stop }

// Remove takes the component out of the transcript.
func (it *Item) Remove() {
	t := it.t
	if t == nil {
		return
	}
	t.items = slices.Delete(t.items, it.index, it.index+1)
	for i := it.index; i < len(t.items); i++ {
		t.items[i].index = i
	}
	delete(t.live, it)
	t.changedFrom(it.index)
	it.t = nil
}

// changedFrom tells that items from an index on are others or begin elsewhere.
func (t *Transcript) changedFrom(index int) {
	t.place(index)
	if index < len(t.start) {
		t.keep = min(t.keep, t.start[index])
	}
	t.valid = min(t.valid, index+1)
}

// place makes start right up to an index.
func (t *Transcript) place(index int) {
	if t.valid == 0 {
		t.start = append(t.start[:0], 0)
		t.valid = 1
	}
	t.start = t.start[:min(len(t.start), t.valid)]
	for t.valid <= index && t.valid <= len(t.items) {
		before := t.items[t.valid-1]
		t.start = append(t.start, t.start[t.valid-1]+before.height(t.width))
		t.valid++
	}
}

// height is how many lines the item counts with.
func (it *Item) height(width int) int {
	if d, ok := it.component.(Deferred); ok && !it.drawn {
		return max(d.Estimate(width), 0)
	}
	return len(it.lines)
}

// layOut draws one item for the width, if it needs to be.
func (t *Transcript) layOut(it *Item) {
	if it.width == t.width && !it.dirty {
		return
	}
	it.dirty = false
	old, resized := it.lines, it.width != t.width
	lines := draw(it.component, t.width, t.report)
	it.width = t.width
	if _, ok := it.component.(Deferred); ok && !it.drawn {
		it.drawn = true // it counted with an estimate
		t.valid = min(t.valid, it.index+1)
	}
	if sameLines(it.raw, lines) {
		return
	}
	// The component may use the memory of its slice again only as long as the
	// lines are the same ones, so it can be kept.
	it.raw = lines
	lines = it.takeCursor(lines)
	it.lines = lines
	same := 0
	if !resized {
		for same < min(len(old), len(lines)) && old[same] == lines[same] {
			same++
		}
	}
	if same == len(old) && same == len(lines) {
		return
	}
	t.place(it.index)
	if it.index < len(t.start) {
		t.keep = min(t.keep, t.start[it.index]+same)
	}
	if len(old) != len(lines) {
		t.valid = min(t.valid, it.index+1)
	}
}

// takeCursor notes where the cursor's mark is in lines, and returns them without.
func (it *Item) takeCursor(lines []string) []string {
	it.cursor = place{}
	cloned := false
	for i := len(lines) - 1; i >= 0; i-- {
		at := strings.Index(lines[i], CursorMarker)
		if at < 0 {
			continue
		}
		if !cloned {
			lines, cloned = slices.Clone(lines), true
			it.cursor, it.cursorAt = place{it, i}, lines[i][:at]
		}
		lines[i] = strings.ReplaceAll(lines[i], CursorMarker, "")
	}
	return lines
}

// refresh draws what has changed since the last frame. If lazy, items that are
// not drawn for the present width stay so until they come into view.
func (t *Transcript) refresh(width int, lazy bool) {
	if width != t.width {
		t.width = width
		t.keep = 0
	}
	for it := range t.live {
		it.Touch()
	}
	dirty := t.dirty
	t.dirty = nil
	for _, it := range dirty {
		if it.t == t && it.dirty && !(lazy && it.width != width) {
			t.layOut(it)
		}
	}
	if lazy {
		t.dirty = slices.DeleteFunc(dirty, func(it *Item) bool { return it.t != t || !it.dirty })
		for _, it := range t.dirty {
			it.dirty = false // layOut sees by the width that it is to be drawn
		}
		t.dirty = t.dirty[:0]
	}
}

// layOutSome draws items that are not drawn for the width, from the end, until
// done says so or none is left; it reports whether some are. Deferred ones are left
// until they come into view.
func (t *Transcript) layOutSome(done func() bool) (left bool) {
	for i := len(t.items) - 1; i >= 0; i-- {
		if _, ok := t.items[i].component.(Deferred); ok || t.items[i].width == t.width {
			continue
		}
		if done() {
			return true
		}
		t.layOut(t.items[i])
	}
	return false
}

// layOutTail draws as many items at the end as fill a number of rows.
func (t *Transcript) layOutTail(rows int) {
	for i := len(t.items) - 1; i >= 0 && rows > 0; i-- {
		t.layOut(t.items[i])
		rows -= len(t.items[i].lines)
	}
}

// layOutAll draws every item that is not drawn for the width.
func (t *Transcript) layOutAll() {
	for _, it := range t.items {
		t.layOut(it)
	}
}

// takeKeep returns how many lines at the beginning are the same as at the last
// call.
func (t *Transcript) takeKeep() int {
	keep := min(t.keep, t.height())
	t.keep = t.height()
	return keep
}

// height returns the number of lines. Items that have not been drawn for the
// present width count with the lines they had, deferred ones that never were with
// their estimates.
func (t *Transcript) height() int {
	t.place(len(t.items))
	return t.start[len(t.items)]
}

// line returns line i of height.
func (t *Transcript) line(i int) string {
	t.place(len(t.items))
	k := t.last
	if k >= len(t.items) || t.start[k] > i || i >= t.start[k+1] {
		if k+1 < len(t.items) && t.start[k+1] <= i && i < t.start[k+2] {
			k++
		} else {
			k = sort.Search(len(t.items), func(k int) bool { return t.start[k+1] > i })
		}
		t.last = k
	}
	return t.items[k].lines[i-t.start[k]]
}
