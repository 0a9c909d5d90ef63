package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Size is a number of cells or a part of the terminal. The zero Size is not set.
type Size struct {
	Cells   int
	Percent float64
	set     bool
}

// Cells returns a size of n cells.
func Cells(n int) Size { return Size{Cells: n, set: true} }

// Percent returns a part of the terminal's width or height.
func Percent(p float64) Size { return Size{Percent: p, set: true} }

// ParseSize reads "40" or "50%".
func ParseSize(s string) (Size, error) {
	if p, ok := strings.CutSuffix(s, "%"); ok {
		if v, err := strconv.ParseFloat(p, 64); err == nil && v >= 0 {
			return Percent(v), nil
		}
	} else if n, err := strconv.Atoi(s); err == nil {
		return Cells(n), nil
	}
	return Size{}, fmt.Errorf("size %q: use a number of cells such as 40, or a percentage such as 50%%", s)
}

// IsSet reports whether the size was given.
func (s Size) IsSet() bool { return s.set }

func (s Size) of(total, missing int) int {
	if !s.set {
		return missing
	}
	if s.Percent != 0 {
		return int(float64(total) * s.Percent / 100)
	}
	return s.Cells
}

// Anchor is the place of the terminal that an overlay is bound to.
type Anchor uint8

// The anchors.
const (
	AnchorCenter Anchor = iota
	AnchorTopLeft
	AnchorTop
	AnchorTopRight
	AnchorLeft
	AnchorRight
	AnchorBottomLeft
	AnchorBottom
	AnchorBottomRight
)

// ParseAnchor reads an anchor's name, such as "center", "top-left", "right-center".
func ParseAnchor(s string) (Anchor, error) {
	switch s {
	case "center", "":
		return AnchorCenter, nil
	case "top-left":
		return AnchorTopLeft, nil
	case "top", "top-center":
		return AnchorTop, nil
	case "top-right":
		return AnchorTopRight, nil
	case "left", "left-center":
		return AnchorLeft, nil
	case "right", "right-center":
		return AnchorRight, nil
	case "bottom-left":
		return AnchorBottomLeft, nil
	case "bottom", "bottom-center":
		return AnchorBottom, nil
	case "bottom-right":
		return AnchorBottomRight, nil
	}
	return 0, fmt.Errorf("anchor %q: use center, top, bottom, left, right, or a corner such as top-left", s)
}

// OverlayOptions say where an overlay stands and how large it is. The zero value
// is in the middle, at most 80 columns wide, as high as it needs.
type OverlayOptions struct {
	// Width is the overlay's width; MinWidth is the least it may be.
	Width, MinWidth Size
	// MaxHeight limits the height; what is below is cut off.
	MaxHeight Size
	Anchor    Anchor
	// OffsetX and OffsetY move the overlay away from its anchor.
	OffsetX, OffsetY int
	// Row and Col place the overlay's top left corner instead of the anchor. A
	// percentage counts of the room that the overlay leaves.
	Row, Col Size
	// Margin keeps the overlay away from all edges.
	Margin int
	// Visible hides the overlay on terminals that are too small for it; the focus
	// is then with what had it before.
	Visible func(width, height int) bool
	// OnPlaced, if not nil, is told where the overlay is drawn, with each frame.
	OnPlaced func(at Rect)
	// NonCapturing leaves the focus where it is.
	NonCapturing bool
}

// Overlay is a component drawn over the others.
type Overlay struct {
	p         *Program
	component Component
	opts      OverlayOptions
	hidden    bool
	before    Component // had the focus before
	bounds    Rect
	gone      bool
}

// identified returns a component that can be told from others: functions and
// slices can not be compared.
func identified(c Component) Component {
	if reflect.TypeOf(c).Comparable() {
		return c
	}
	return &known{c}
}

// known is a component with an identity. It passes everything on.
type known struct{ Component }

// HandleInput passes input on.
func (k *known) HandleInput(ev input.Event) bool {
	h, ok := k.Component.(Handler)
	return ok && h.HandleInput(ev)
}

// SetFocused passes the focus on.
func (k *known) SetFocused(on bool) {
	if f, ok := k.Component.(Focusable); ok {
		f.SetFocused(on)
	}
}

// CapturesScrolling asks the component.
func (k *known) CapturesScrolling() bool {
	c, ok := k.Component.(Capturer)
	return ok && c.CapturesScrolling()
}

// WantsKeyRelease asks the component.
func (k *known) WantsKeyRelease() bool {
	w, ok := k.Component.(ReleaseWanter)
	return ok && w.WantsKeyRelease()
}

// Invalidate makes the component draw anew.
func (k *known) Invalidate() { Invalidate(k.Component) }

// Rect is a part of the screen in cells, counted from 0.
type Rect struct{ X, Y, Width, Height int }

// Hide removes the overlay for good and gives the focus back.
func (o *Overlay) Hide() {
	if o.gone {
		return
	}
	o.gone = true
	o.p.removeOverlay(o)
}

// SetHidden hides the overlay for a time, or shows it again.
func (o *Overlay) SetHidden(hidden bool) {
	if o.gone || o.hidden == hidden {
		return
	}
	o.hidden = hidden
	if hidden {
		o.Unfocus()
	} else if !o.opts.NonCapturing {
		o.Focus()
	}
	o.p.dirty = true
}

// Hidden reports whether the overlay is hidden for a time.
func (o *Overlay) Hidden() bool { return o.hidden }

// Focus gives the overlay the focus and puts it above the others.
func (o *Overlay) Focus() {
	if o.gone || o.Focused() {
		return
	}
	o.before = o.p.focus
	o.p.raise(o)
	o.p.SetFocus(o.component)
}

// Unfocus gives the focus back to what had it before.
func (o *Overlay) Unfocus() {
	if o.Focused() {
		o.p.SetFocus(o.before)
	}
}

// Focused reports whether the overlay has the focus.
func (o *Overlay) Focused() bool { return same(o.p.focus, o.component) }

// target returns what gets the keys: what has the focus or, if that is an overlay
// that the terminal is too small for, what had it before.
func (p *Program) target() Component {
	c := p.focus
	for range len(p.overlays) + 1 {
		i := slices.IndexFunc(p.overlays, func(o *Overlay) bool { return same(o.component, c) })
		if i < 0 || p.overlays[i].shown(p.width, p.height) {
			break
		}
		c = p.overlays[i].before
	}
	return c
}

// tellFocus tells components whether they have the focus.
func (p *Program) tellFocus() {
	c := p.target()
	if c != nil && p.told != nil && same(c, p.told) {
		return
	}
	if f, ok := p.told.(Focusable); ok {
		f.SetFocused(false)
	}
	p.told = c
	if f, ok := c.(Focusable); ok {
		f.SetFocused(true)
	}
}

// Bounds returns where the overlay was drawn last; empty if it was not.
func (o *Overlay) Bounds() Rect { return o.bounds }

// place computes where the overlay stands, and its lines.
func (o *Overlay) place(width, height int, report func(error)) (Rect, []string) {
	opts := o.opts
	m := max(0, min(opts.Margin, (width-1)/2, (height-1)/2))
	availW, availH := width-2*m, height-2*m
	w := opts.Width.of(width, min(80, availW))
	w = max(w, opts.MinWidth.of(width, 1))
	w = max(1, min(w, availW))
	lines := draw(o.component, w, report)
	h := min(len(lines), max(1, min(opts.MaxHeight.of(height, availH), availH)))
	r := Rect{Width: w, Height: h}
	switch opts.Anchor {
	case AnchorTopLeft, AnchorLeft, AnchorBottomLeft:
		r.X = m
	case AnchorTopRight, AnchorRight, AnchorBottomRight:
		r.X = width - m - w
	default:
		r.X = m + (availW-w)/2
	}
	switch opts.Anchor {
	case AnchorTopLeft, AnchorTop, AnchorTopRight:
		r.Y = m
	case AnchorBottomLeft, AnchorBottom, AnchorBottomRight:
		r.Y = height - m - h
	default:
		r.Y = m + (availH-h)/2
	}
	r.X = at(opts.Col, r.X, availW-w, m)
	r.Y = at(opts.Row, r.Y, availH-h, m)
	r.X = min(max(r.X+opts.OffsetX, m), max(width-m-w, 0))
	r.Y = min(max(r.Y+opts.OffsetY, m), max(height-m-h, 0))
	return r, lines[:h]
}

// at is a position that was given, or the one by the anchor.
func at(s Size, anchored, room, margin int) int {
	switch {
	case !s.set:
		return anchored
	case s.Percent != 0:
		return margin + int(float64(max(room, 0))*s.Percent/100)
	}
	return s.Cells
}

// compose draws lines over rows of a screen.
func compose(r *text.Ruler, rows []string, width int, at Rect, lines []string) {
	for i, line := range lines {
		y := at.Y + i
		if y < 0 || y >= len(rows) {
			continue
		}
		line = r.Pad(r.Truncate(line, at.Width, ""), at.Width)
		left := r.Pad(r.Slice(rows[y], 0, at.X), at.X)
		rows[y] = left + line + r.Slice(rows[y], at.X+at.Width, width)
	}
}
