package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/fuzzy"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Setting is an entry of a [SettingsList].
type Setting struct {
	// ID says which one it is; Label is what is shown.
	ID, Label string
	// Description is shown below the list while the entry is marked.
	Description string
	Value       string
	// Values are what the value goes through. If there are none, Edit is called.
	Values []string
	// Edit returns a component that takes the list's place to choose a value. It
	// calls done with the new value, or with ok false to leave it as it was.
	Edit func(value string, done func(value string, ok bool)) Component
}

// SettingsStyle is how a [SettingsList] looks.
type SettingsStyle struct {
	Selected, Value, Description, Hint text.Style
}

// SettingsList shows settings and changes them.
type SettingsList struct {
	// MaxRows is how many entries are seen at a time, 10 if 0.
	MaxRows int
	Style   SettingsStyle
	// OnChange is called with a changed entry, OnCancel when the list is left.
	OnChange func(Setting)
	OnCancel func()

	bindings *input.Bindings
	all      []Setting
	shown    []int // indexes of all
	query    string
	selected int
	top      int
	editing  Component
}

// NewSettingsList returns a list. A nil bindings stands for the standard keys.
func NewSettingsList(bindings *input.Bindings, settings ...Setting) *SettingsList {
	if bindings == nil {
		bindings = input.NewBindings(StandardBindings())
	}
	l := &SettingsList{bindings: bindings, all: slices.Clone(settings)}
	l.filter()
	return l
}

// SetValue changes the value of an entry without a call of OnChange.
func (l *SettingsList) SetValue(id, value string) {
	for i := range l.all {
		if l.all[i].ID == id {
			l.all[i].Value = value
		}
	}
}

// Value returns the value of an entry.
func (l *SettingsList) Value(id string) string {
	for _, s := range l.all {
		if s.ID == id {
			return s.Value
		}
	}
	return ""
}

func (l *SettingsList) filter() {
	index := make([]int, len(l.all))
	for i := range index {
		index[i] = i
	}
	l.shown = fuzzy.Filter(index, l.query, func(i int) string { return l.all[i].Label })
	l.selected, l.top = 0, 0
}

// CapturesScrolling tells that the list wants the keys that scroll.
func (l *SettingsList) CapturesScrolling() bool { return true }

// SetFocused passes the focus on to a component that chooses a value.
func (l *SettingsList) SetFocused(on bool) {
	if f, ok := l.editing.(Focusable); ok {
		f.SetFocused(on)
	}
}

// HandleInput moves, changes values, and filters by what is typed.
func (l *SettingsList) HandleInput(ev input.Event) bool {
	if h, ok := l.editing.(Handler); ok {
		return h.HandleInput(ev)
	}
	if p, ok := ev.(input.Paste); ok {
		l.query = FilterWithPaste(l.query, p)
		l.filter()
		return true
	}
	k, ok := ev.(input.Key)
	if !ok || k.Action == input.Release {
		return false
	}
	rows := l.rows()
	switch l.bindings.First(k, "tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown", "tui.select.confirm", "tui.select.cancel") {
	case "tui.select.up":
		l.move(-1, true)
	case "tui.select.down":
		l.move(1, true)
	case "tui.select.pageUp":
		l.move(-rows, false)
	case "tui.select.pageDown":
		l.move(rows, false)
	case "tui.select.confirm":
		l.change(1)
	case "tui.select.cancel":
		if l.query != "" {
			l.query = ""
			l.filter()
		} else if l.OnCancel != nil {
			l.OnCancel()
		} else {
			return false
		}
	default:
		switch {
		case k.Is(input.ID{Name: "right"}) || k.Is(input.ID{Name: "space"}) && l.query == "":
			l.change(1)
		case k.Is(input.ID{Name: "left"}):
			l.change(-1)
		case k.Is(input.ID{Name: "backspace"}) && l.query != "":
			l.query = dropLast(l.query)
			l.filter()
		case k.Text != "":
			l.query += k.Text
			l.filter()
		default:
			return false
		}
	}
	return true
}

func (l *SettingsList) rows() int {
	if l.MaxRows <= 0 {
		return 10
	}
	return l.MaxRows
}

func (l *SettingsList) move(by int, around bool) {
	n := len(l.shown)
	if n == 0 {
		return
	}
	to := l.selected + by
	if around {
		to = (to + n) % n
	}
	l.selected = min(max(to, 0), n-1)
}

// change goes to the next or previous value, or lets one be chosen.
func (l *SettingsList) change(by int) {
	if l.selected >= len(l.shown) {
		return
	}
	s := &l.all[l.shown[l.selected]]
	if len(s.Values) > 0 {
		i := slices.Index(s.Values, s.Value)
		n := len(s.Values)
		l.set(s, s.Values[((i+by)%n+n)%n])
		return
	}
	if s.Edit == nil {
		return
	}
	l.editing = s.Edit(s.Value, func(value string, ok bool) {
		l.editing = nil
		if ok {
			l.set(s, value)
		}
	})
	if f, ok := l.editing.(Focusable); ok {
		f.SetFocused(true)
	}
}

func (l *SettingsList) set(s *Setting, value string) {
	if s.Value == value {
		return
	}
	s.Value = value
	if l.OnChange != nil {
		l.OnChange(*s)
	}
}

// Render returns the entries around the marked one, and its description.
func (l *SettingsList) Render(width int) []string {
	if l.editing != nil {
		return l.editing.Render(width)
	}
	var out []string
	if l.query != "" {
		out = append(out, text.Truncate("  "+l.Style.Hint.Render("filter: "+oneLine(l.query)), width, "…"))
	}
	if len(l.shown) == 0 {
		return append(out, text.Truncate("  "+l.Style.Hint.Render("No settings match"), width, "…"))
	}
	rows := min(l.rows(), len(l.shown))
	if l.selected < l.top {
		l.top = l.selected
	}
	if l.selected >= l.top+rows {
		l.top = l.selected - rows + 1
	}
	column := 0
	for _, i := range l.shown {
		column = max(column, text.Width(oneLine(l.all[i].Label)))
	}
	column = min(column, max(width*2/3, 8))
	for i := l.top; i < l.top+rows; i++ {
		s := l.all[l.shown[i]]
		label := text.Pad(text.Truncate(oneLine(s.Label), column, "…"), column)
		marker := "  "
		if i == l.selected {
			marker, label = "→ ", l.Style.Selected.Render(label)
		}
		value := oneLine(s.Value)
		if len(s.Values) == 0 && s.Edit != nil {
			value += " …"
		}
		out = append(out, text.Truncate(marker+label+"  "+l.Style.Value.Render(value), width, "…"))
	}
	if rows < len(l.shown) {
		out = append(out, text.Truncate(l.Style.Hint.Render(fmt.Sprintf("  (%d/%d)", l.selected+1, len(l.shown))), width, ""))
	}
	if d := l.all[l.shown[l.selected]].Description; d != "" && width > 4 {
		out = append(out, "")
		for _, line := range text.Wrap(strings.TrimSpace(cleaned(d)), width-2) {
			out = append(out, "  "+l.Style.Description.Render(line))
		}
	}
	return out
}
