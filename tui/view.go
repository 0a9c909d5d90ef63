package tui

import (
	"github.com/pi-go/pi/tui/input"
)

// view is the window of a full-screen program onto its transcript. It is bound
// to a line of an item, not to a line number, so that it stays where it is when
// things above it change.
type view struct {
	follow bool // the end is in view, and stays so
	item   int  // the first item in view
	line   int  // and its first line
	rows   int  // height of the window
	shown  []place
}

// place is a line of a transcript.
type place struct {
	item *Item
	line int
}

// The actions that scroll a full-screen transcript.
const (
	actionPageUp       = "tui.altScreen.pageUp"
	actionPageDown     = "tui.altScreen.pageDown"
	actionHalfPageUp   = "tui.altScreen.halfPageUp"
	actionHalfPageDown = "tui.altScreen.halfPageDown"
	actionLineUp       = "tui.altScreen.lineUp"
	actionLineDown     = "tui.altScreen.lineDown"
	actionTop          = "tui.altScreen.top"
	actionBottom       = "tui.altScreen.bottom"
	actionPrevious     = "tui.altScreen.previousPrompt"
	actionNext         = "tui.altScreen.nextPrompt"
	actionSearch       = "tui.altScreen.search"
)

// wheelLines is how far a step of the wheel scrolls unless somebody says otherwise.
const wheelLines = 3

// SetWheelLines sets how many lines a step of the wheel scrolls; 0 is the usual number.
func (p *Program) SetWheelLines(n int) {
	p.wheel = n
}

// scrollKey scrolls, if the event asks for it.
func (p *Program) scrollKey(ev input.Event) bool {
	page := max(p.view.rows-1, 1)
	step := wheelLines
	if p.wheel > 0 {
		step = p.wheel
	}
	switch e := ev.(type) {
	case input.Mouse:
		switch {
		case e.Action != input.MouseWheel:
			return p.selectWith(e)
		case e.Button == input.WheelUp:
			p.Scroll(-step)
		case e.Button == input.WheelDown:
			p.Scroll(step)
		default:
			return false
		}
		return true
	case input.Key:
		switch p.opts.Bindings.First(e, actionPageUp, actionPageDown, actionHalfPageUp, actionHalfPageDown,
			actionLineUp, actionLineDown, actionTop, actionBottom, actionPrevious, actionNext, actionSearch) {
		case actionPageUp:
			p.Scroll(-page)
		case actionPageDown:
			p.Scroll(page)
		case actionHalfPageUp:
			p.Scroll(-max(page/2, 1))
		case actionHalfPageDown:
			p.Scroll(max(page/2, 1))
		case actionLineUp:
			p.Scroll(-1)
		case actionLineDown:
			p.Scroll(1)
		case actionTop:
			p.view.follow, p.view.item, p.view.line = false, 0, 0
			p.dirty = true
		case actionBottom:
			p.view.follow = true
			p.dirty = true
		case actionPrevious:
			p.ScrollToStop(-1)
		case actionNext:
			p.ScrollToStop(1)
		case actionSearch:
			p.OpenSearch()
		default:
			return false
		}
		return true
	}
	return false
}

// Scroll moves a full-screen transcript by a number of lines, up if negative. It
// must be called on the program's goroutine.
func (p *Program) Scroll(lines int) {
	t, v := p.Transcript, &p.view
	if v.follow {
		if lines >= 0 {
			return
		}
		v.anchorEnd(t)
		v.follow = false
	}
	for ; lines < 0; lines++ {
		if v.line > 0 {
			v.line--
			continue
		}
		// Go to the last line of the item above that has any.
		k := min(v.item, len(t.items)) - 1 // some may have gone since the last frame
		for k >= 0 {
			t.layOut(t.items[k])
			if len(t.items[k].lines) > 0 {
				break
			}
			k--
		}
		if k < 0 {
			break
		}
		v.item, v.line = k, len(t.items[k].lines)-1
	}
	v.line += max(lines, 0)
	p.dirty = true
}

// ScrollTo brings an item to the top of a full-screen transcript's window, or as
// near to it as there are lines. Like all that moves the view it must be called on
// the program's goroutine.
func (p *Program) ScrollTo(it *Item) {
	if it.t != p.Transcript {
		return
	}
	p.view.follow, p.view.item, p.view.line = false, it.index, 0
	p.dirty = true
}

// ScrollToStop brings the nearest item above (-1) or below (1) the top of the
// window that is a stop, see [Item.SetStop], to the top.
func (p *Program) ScrollToStop(direction int) {
	t, v := p.Transcript, p.view
	if v.follow {
		v.anchorEnd(t)
	}
	i := v.item
	if direction < 0 && v.line == 0 || direction > 0 {
		i += direction
	}
	for ; i >= 0 && i < len(t.items); i += direction {
		if t.items[i].stop {
			p.ScrollTo(t.items[i])
			return
		}
	}
	if direction > 0 {
		p.view.follow = true
		p.dirty = true
	}
}

// Following reports whether the end of the transcript is in view and stays so.
func (p *Program) Following() bool { return p.view.follow }

// TopItem returns the item at the top of a full-screen transcript's window; nil
// if there is none.
func (p *Program) TopItem() *Item {
	t, v := p.Transcript, p.view
	if v.follow {
		v.anchorEnd(t)
	}
	if v.item < 0 || v.item >= len(t.items) {
		return nil
	}
	return t.items[v.item]
}

// anchorEnd binds the view to the line that is at its top when the end is in view.
func (v *view) anchorEnd(t *Transcript) {
	rows := v.rows
	v.item, v.line = 0, 0
	for i := len(t.items) - 1; i >= 0; i-- {
		t.layOut(t.items[i])
		n := len(t.items[i].lines)
		if n >= rows {
			v.item, v.line = i, n-rows
			return
		}
		rows -= n
	}
}

// window returns the rows of the transcript in view, and brings the view into
// the limits of what there is.
func (v *view) window(t *Transcript, rows int) []string {
	v.rows = rows
	v.shown = v.shown[:0]
	if rows <= 0 {
		return nil
	}
	out := make([]string, 0, rows)
	take := func(it *Item, from int) {
		to := min(len(it.lines), from+rows-len(out))
		out = append(out, it.lines[from:to]...)
		for line := from; line < to; line++ {
			v.shown = append(v.shown, place{it, line})
		}
	}
	if !v.follow {
		v.item = min(max(v.item, 0), len(t.items))
		line := v.line
		i := v.item
		for ; i < len(t.items) && len(out) < rows; i++ {
			t.layOut(t.items[i])
			lines := t.items[i].lines
			if line >= len(lines) {
				line -= len(lines)
				if len(out) == 0 {
					v.item, v.line = i+1, line
				}
				continue
			}
			take(t.items[i], line)
			line = 0
		}
		if len(out) == rows {
			if i < len(t.items) || v.item >= len(t.items) {
				return out
			}
			// Just at the end: then follow it.
			end := *v
			end.anchorEnd(t)
			v.follow = end.item == v.item && end.line == v.line
			return out
		}
		// There is less than a window below: show the end.
		v.follow = true
		out, v.shown = out[:0], v.shown[:0]
	}
	v.anchorEnd(t)
	line := v.line
	for i := v.item; i < len(t.items) && len(out) < rows; i++ {
		t.layOut(t.items[i])
		lines := t.items[i].lines
		take(t.items[i], min(line, len(lines)))
		line = 0
	}
	return out
}

// scrollbar returns a cell for each row of the window, nil if all is in view.
func (p *Program) scrollbar(rows int) []string {
	t := p.Transcript
	total := t.height()
	if p.opts.ScrollbarThumb == "" || total <= rows && !p.opts.ScrollbarAlways || rows < 2 {
		return nil
	}
	first := p.view.line
	if p.view.item < len(t.items) {
		t.place(p.view.item)
		first += t.start[p.view.item]
	}
	size := min(max(1, rows*rows/max(total, 1)), rows)
	at := 0
	if total > rows {
		at = min(first*(rows-size)/(total-rows), rows-size)
	}
	if p.view.follow {
		at = rows - size
	}
	bar := make([]string, rows)
	for i := range bar {
		bar[i] = p.opts.ScrollbarTrack
		if i >= at && i < at+size {
			bar[i] = p.opts.ScrollbarThumb
		}
		if bar[i] == "" {
			bar[i] = " "
		}
	}
	return bar
}
