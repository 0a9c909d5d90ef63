package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/fuzzy"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

// ListItem is an entry of a [SelectList].
type ListItem struct {
	// Value says which one it is; Label is what is shown, Value if empty.
	Value, Label string
	// Description is shown beside the label, where there is room.
	Description string
	// Data is the program's own.
	Data any
}

// ListStyleOf returns the look of lists in a theme.
func ListStyleOf(th *theme.Theme) ListStyle {
	return ListStyle{Selected: th.Style("accent", "", text.Bold), Description: th.Fg("muted"), Match: th.Fg("accent"), Hint: th.Fg("dim")}
}

func (it ListItem) label() string {
	if it.Label != "" {
		return it.Label
	}
	return it.Value
}

// ListStyle is how a [SelectList] looks.
type ListStyle struct {
	Selected, Description, Match, Hint text.Style
	// Marker stands before the selected entry, "→ " if empty.
	Marker string
}

// SelectList lets one choose an entry of a list by keys or by typing.
type SelectList struct {
	// MaxRows is how many entries are seen at a time, 8 if 0.
	MaxRows int
	Style   ListStyle
	// Typing makes letters filter the list.
	Typing bool
	// Empty is shown when no entry matches.
	Empty string
	// OnSelect is called when an entry is chosen, OnCancel when none is, OnMove
	// when another one is marked.
	OnSelect func(ListItem)
	OnCancel func()
	OnMove   func(ListItem)

	bindings *input.Bindings
	all      []ListItem
	shown    []ListItem
	query    string
	selected int
	top      int
}

// NewSelectList returns a list. A nil bindings stands for the standard keys.
func NewSelectList(bindings *input.Bindings, items ...ListItem) *SelectList {
	if bindings == nil {
		bindings = input.NewBindings(StandardBindings())
	}
	l := &SelectList{bindings: bindings}
	l.SetItems(items)
	return l
}

// SetItems changes the entries. The entry that was marked stays so if it is
// there again.
func (l *SelectList) SetItems(items []ListItem) {
	marked, had := l.Selected()
	l.all = slices.Clone(items)
	l.filter()
	l.selected = 0
	if had {
		l.Select(marked.Value)
	}
}

// SetFilter shows only entries that match a query, the best first.
func (l *SelectList) SetFilter(query string) {
	if query == l.query {
		return
	}
	l.query = query
	l.filter()
	l.selected, l.top = 0, 0
	l.moved()
}

// Filter returns the query.
func (l *SelectList) Filter() string { return l.query }

func (l *SelectList) filter() {
	l.shown = fuzzy.Filter(l.all, l.query, func(it ListItem) string { return it.label() })
	if strings.TrimSpace(l.query) == "" {
		return
	}
	// Entries that match only with their descriptions come last. There each word has
	// to occur as it is: in a sentence, letters in order prove nothing.
	seen := map[string]bool{}
	for _, it := range l.shown {
		seen[it.Value] = true
	}
	words := strings.Fields(strings.ToLower(l.query))
	for _, it := range fuzzy.Filter(l.all, l.query, func(it ListItem) string { return it.label() + " " + it.Description }) {
		said := strings.ToLower(it.label() + " " + it.Description)
		if !seen[it.Value] && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(said, w) }) {
			l.shown = append(l.shown, it)
		}
	}
}

// Items returns the entries that match the query.
func (l *SelectList) Items() []ListItem { return slices.Clone(l.shown) }

// Selected returns the entry that is marked.
func (l *SelectList) Selected() (ListItem, bool) {
	if l.selected < 0 || l.selected >= len(l.shown) {
		return ListItem{}, false
	}
	return l.shown[l.selected], true
}

// Select marks the entry of a value, if it is shown.
func (l *SelectList) Select(value string) bool {
	i := slices.IndexFunc(l.shown, func(it ListItem) bool { return it.Value == value })
	if i >= 0 {
		l.selected = i
	}
	return i >= 0
}

func (l *SelectList) rows() int {
	if l.MaxRows <= 0 {
		return 8
	}
	return l.MaxRows
}

// CapturesScrolling tells that the list wants the keys that scroll.
func (l *SelectList) CapturesScrolling() bool { return true }

// HandleInput moves in the list, chooses, cancels, and filters if Typing is set.
func (l *SelectList) HandleInput(ev input.Event) bool {
	switch e := ev.(type) {
	case input.Mouse:
		switch {
		case e.Action == input.MouseWheel && e.Button == input.WheelUp:
			l.move(-1, false)
		case e.Action == input.MouseWheel && e.Button == input.WheelDown:
			l.move(1, false)
		default:
			return false
		}
		return true
	case input.Paste:
		if l.Typing {
			l.SetFilter(FilterWithPaste(l.query, e))
		}
		return l.Typing
	case input.Key:
		return l.key(e)
	}
	return false
}

func (l *SelectList) key(k input.Key) bool {
	if l.Typing && k.Action != input.Release {
		switch {
		case k.Text != "":
			l.SetFilter(l.query + k.Text)
			return true
		case k.Is(input.ID{Name: "backspace"}) && l.query != "":
			l.SetFilter(dropLast(l.query))
			return true
		}
	}
	switch l.bindings.First(k, "tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown", "tui.select.confirm", "tui.select.cancel") {
	case "tui.select.up":
		l.move(-1, true)
	case "tui.select.down":
		l.move(1, true)
	case "tui.select.pageUp":
		l.move(-l.rows(), false)
	case "tui.select.pageDown":
		l.move(l.rows(), false)
	case "tui.select.confirm":
		if it, ok := l.Selected(); ok && l.OnSelect != nil {
			l.OnSelect(it)
		}
	case "tui.select.cancel":
		if l.OnCancel == nil {
			return false
		}
		l.OnCancel()
	default:
		switch {
		case k.Action == input.Release:
			return false
		case k.Is(input.ID{Name: "home"}):
			l.move(-len(l.shown), false)
		case k.Is(input.ID{Name: "end"}):
			l.move(len(l.shown), false)
		default:
			return false
		}
	}
	return true
}

// dropLast returns s without its last cluster.
func dropLast(s string) string {
	last := 0
	for i := 0; i < len(s); {
		n, _ := text.Cluster(s[i:])
		last = i
		i += n
	}
	return s[:last]
}

func (l *SelectList) move(by int, around bool) {
	n := len(l.shown)
	if n == 0 {
		return
	}
	to := l.selected + by
	if around {
		to = (to + n) % n
	}
	to = min(max(to, 0), n-1)
	if to != l.selected {
		l.selected = to
		l.moved()
	}
}

func (l *SelectList) moved() {
	if it, ok := l.Selected(); ok && l.OnMove != nil {
		l.OnMove(it)
	}
}

// Render returns the entries around the marked one.
func (l *SelectList) Render(width int) []string {
	if len(l.shown) == 0 {
		empty := l.Empty
		if empty == "" {
			empty = "No matches"
		}
		return []string{text.Truncate("  "+l.Style.Hint.Render(oneLine(empty)), width, "…")}
	}
	rows := min(l.rows(), len(l.shown))
	l.selected = min(max(l.selected, 0), len(l.shown)-1)
	if l.selected < l.top {
		l.top = l.selected
	}
	if l.selected >= l.top+rows {
		l.top = l.selected - rows + 1
	}
	l.top = min(max(l.top, 0), len(l.shown)-rows)
	column := 0
	for _, it := range l.shown[l.top : l.top+rows] {
		column = max(column, text.Width(oneLine(it.label())))
	}
	column = min(column, max(width/2, 12))
	out := make([]string, 0, rows+1)
	for i := l.top; i < l.top+rows; i++ {
		out = append(out, l.row(l.shown[i], i == l.selected, width, column))
	}
	if rows < len(l.shown) {
		hint := fmt.Sprintf("  (%d/%d)", l.selected+1, len(l.shown))
		out = append(out, text.Truncate(l.Style.Hint.Render(hint), width, ""))
	}
	return out
}

// oneLine cleans a label, which may come from elsewhere, but for its colours and
// links, and makes it one line.
func oneLine(s string) string { return strings.ReplaceAll(cleaned(s), "\n", " ") }

// cleaned cleans text of all but colours and links.
func cleaned(s string) string {
	return text.SanitizeWith(s, text.SanitizeOptions{KeepStyles: true, KeepLinks: true})
}

func (l *SelectList) row(it ListItem, selected bool, width, column int) string {
	marker := l.Style.Marker
	if marker == "" {
		marker = "→ "
	}
	prefix := text.Blanks(text.Width(marker))
	label := text.Truncate(oneLine(it.label()), max(width-len(prefix), 1), "…")
	if !selected && l.query != "" {
		label = l.highlight(label)
	}
	description := oneLine(it.Description)
	rest := width - len(prefix) - column - 2
	line := prefix + label
	if description != "" && rest >= 10 {
		label = text.Truncate(label, column, "…")
		line = prefix + text.Pad(label, column) + "  " + l.Style.Description.Render(text.Truncate(description, rest, "…"))
	}
	if selected {
		line = marker + strings.TrimPrefix(text.Strip(line), prefix)
		line = l.Style.Selected.Render(line)
	}
	return text.Truncate(line, width, "")
}

// highlight marks the letters that match the query.
func (l *SelectList) highlight(label string) string {
	if l.Style.Match == (text.Style{}) || strings.ContainsRune(label, 0x1b) {
		return label
	}
	r, ok := fuzzy.Match(l.query, label)
	if !ok {
		return label
	}
	var b strings.Builder
	at := 0
	for _, p := range r.Positions {
		if p < at {
			continue
		}
		n, _ := text.Cluster(label[p:])
		b.WriteString(label[at:p] + l.Style.Match.Render(label[p:p+n]))
		at = p + n
	}
	return b.String() + label[at:]
}
