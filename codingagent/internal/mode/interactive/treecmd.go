package interactive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/fuzzy"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// treeFilter says which entries of a session's tree are shown.
type treeFilter int

const (
	treeUsual treeFilter = iota
	treeNoTools
	treeUser
	treeLabeled
	treeAll
	treeFilters
)

func (f treeFilter) String() string {
	return [...]string{"usual entries", "without tools", "only yours", "only labelled", "all entries"}[f]
}

// treeFilterOf reads the setting.
func treeFilterOf(name string) treeFilter {
	return treeFilter(max(slices.Index([]string{"default", "no-tools", "user-only", "labeled-only", "all"}, name), 0))
}

// treePicker chooses a point of the session to go back to.
type treePicker struct {
	ui     *ui
	tree   *tui.Tree
	rows   []treeRow
	filter treeFilter
	query  string
	times  bool            // show when labels were given
	folded map[string]bool // by entry
	shown  []*tui.TreeNode
	// searched says that what is shown is what a search has found.
	searched bool
}

// treeRow is what the tree shows of an entry.
type treeRow struct {
	session.Row
	text string
	tool bool // a result of a tool, or an answer that only calls tools
	user bool
}

func (u *ui) treeCommand(string) {
	if !u.idle("go back") {
		return
	}
	s := u.session().Session()
	u.spawn(func() {
		rows, err := treeRows(u.ctx, s)
		u.p.Do(func() {
			switch {
			case err != nil:
				u.fail(err)
			case len(rows) == 0:
				u.hint("There is nothing in this session yet.")
			default:
				t := &treePicker{ui: u, rows: rows, filter: treeFilterOf(u.cfg.Settings.TreeFilter), folded: map[string]bool{}}
				t.open()
			}
		})
	})
}

func treeRows(ctx context.Context, s *session.Session) ([]treeRow, error) {
	all, err := s.Rows(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]treeRow, 0, len(all))
	for _, r := range all {
		e, err := s.Entry(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		row := treeRow{Row: r}
		switch e := e.(type) {
		case *session.MessageEntry:
			switch m := e.Message.(type) {
			case *ai.UserMessage:
				row.user, row.text = true, "you: "+firstLine(ai.TextOf(m.Content, "\n"), 200)
			case *ai.AssistantMessage:
				row.text = firstLine(m.Text(), 200)
				if row.text == "" {
					row.tool = true
					var names []string
					for _, c := range m.ToolCalls() {
						names = append(names, oneLine(c.Name))
					}
					row.text = strings.Join(names, ", ")
					if row.text == "" {
						row.text = "(" + string(m.StopReason) + ")"
					}
				}
				row.text = "pi: " + row.text
			case *ai.ToolResultMessage:
				row.tool, row.text = true, oneLine(m.ToolName)+": "+firstLine(ai.TextOf(m.Content, "\n"), 200)
			case *codingagent.BashExecution:
				row.text = "$ " + firstLine(m.Command, 200)
			default:
				row.text = oneLine(string(m.Role()))
			}
		case *session.CompactionEntry:
			row.text = "(summed up)"
		case *session.BranchSummaryEntry:
			row.text = "(summary of a branch that was left)"
		case *session.CustomMessageEntry:
			row.text = "[" + oneLine(e.CustomType) + "]"
		case *session.ModelEntry:
			row.text = "(model " + oneLine(e.Provider+"/"+e.ModelID) + ")"
		default:
			row.text = "(" + oneLine(string(e.Type())) + ")"
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// shows reports whether the filter lets an entry through.
func (t *treePicker) shows(r treeRow) bool {
	switch t.filter {
	case treeAll:
		return true
	case treeLabeled:
		return r.Label != ""
	case treeUser:
		return r.user
	}
	if r.Type == session.TypeMessage && r.Role == ai.RoleSystem {
		return false
	}
	switch r.Type {
	case session.TypeMessage:
		return !r.tool || t.filter == treeUsual && r.Role != ai.RoleToolResult
	case session.TypeCompaction, session.TypeBranchSummary, session.TypeCustomMessage:
		return true
	}
	return r.Label != ""
}

// roots makes the nodes that are shown; those below one that is not go under
// the nearest one above that is.
func (t *treePicker) roots() []*tui.TreeNode {
	l := t.ui.look
	nodes := map[string]*tui.TreeNode{}
	above := map[string]string{}
	var roots []*tui.TreeNode
	here := t.here()
	for _, r := range t.rows {
		above[r.ID] = r.Parent
		if !t.found(r) {
			continue
		}
		label := r.text
		if r.Active {
			label = l.fg("text", label)
		} else {
			label = l.fg("muted", label)
		}
		if r.Label != "" {
			mark := oneLine(r.Label)
			if t.times {
				mark += " " + ago(r.LabelTime)
			}
			label = l.fg("warning", "["+mark+"] ") + label
		}
		if r.ID == here {
			label += l.fg("accent", " ← here")
		}
		n := &tui.TreeNode{ID: r.ID, Label: label, Data: r, Folded: t.folded[r.ID] && t.query == ""}
		nodes[r.ID] = n
		parent := r.Parent
		for parent != "" && nodes[parent] == nil {
			parent = above[parent]
		}
		if p := nodes[parent]; p != nil {
			p.Children = append(p.Children, n)
		} else {
			roots = append(roots, n)
		}
	}
	return roots
}

func (t *treePicker) open() {
	u := t.ui
	t.shown = t.roots()
	t.tree = tui.NewTree(u.keys, t.shown...)
	t.tree.OnCancel = func() {
		if t.query != "" {
			t.search("")
			return
		}
		u.back()
	}
	t.tree.OnSelect = func(n *tui.TreeNode) { t.leave(n.Data.(treeRow)) }
	t.tree.Select(t.here())
	u.show(t)
}

// here is the entry that is shown and nearest to where the session is.
func (t *treePicker) here() string {
	id := ""
	for _, r := range t.rows {
		if r.Active && t.shows(r) {
			id = r.ID
		}
	}
	return id
}

// Render gives the lines.
func (t *treePicker) Render(width int) []string {
	u, l := t.ui, t.ui.look
	t.tree.MaxRows = u.pickerRows()
	t.tree.Style = tui.TreeStyle{Selected: bold(l.theme.Fg("accent")), Lines: l.theme.Fg("borderMuted"), Hint: l.theme.Fg("dim")}
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", "Tree · "+t.filter.String())}
	out := append([]string(nil), rule.Render(width)...)
	if t.query != "" {
		out = append(out, text.Truncate(" "+l.fg("muted", "filter: ")+t.query, width, "…"))
	}
	out = append(out, t.tree.Render(width)...)
	hints := []string{"type to search", "enter goes there"}
	for _, h := range [][2]string{
		{"app.tree.filter.cycleForward", "filter"}, {"app.tree.editLabel", "label"}, {"app.tree.foldOrUp", "fold"},
	} {
		if k := u.keys.Text(h[0]); k != "" {
			k, _, _ = strings.Cut(k, "/")
			hints = append(hints, k+" "+h[1])
		}
	}
	return append(out, l.hints(append(hints, "escape"), width)...)
}

// search shows only what matches: in a conversation without branches everything that was
// said before a match is above it, and would hide it.
func (t *treePicker) search(query string) {
	t.query = query
	marked := t.tree.Selected()
	t.again()
	if query == "" || marked != nil && t.found(marked.Data.(treeRow)) {
		return
	}
	for _, r := range t.rows {
		if t.found(r) && t.tree.Select(r.ID) {
			return
		}
	}
}

// found reports whether the filter lets an entry through and the search finds it, in its
// text or its label.
func (t *treePicker) found(r treeRow) bool {
	if !t.shows(r) {
		return false
	}
	_, ok := fuzzy.Match(t.query, strings.TrimSpace(oneLine(r.Label)+" "+r.text))
	return ok || t.query == ""
}

// keepFolds remembers what is folded, for the nodes are made anew with every
// filter.
func (t *treePicker) keepFolds(nodes []*tui.TreeNode) {
	for len(nodes) > 0 {
		n := nodes[len(nodes)-1]
		nodes = append(nodes[:len(nodes)-1], n.Children...)
		t.folded[n.ID] = n.Folded
	}
}

// CapturesScrolling tells that the keys that scroll are for the tree.
func (t *treePicker) CapturesScrolling() bool { return true }

// HandleInput changes the filter and labels; the rest is for the tree.
func (t *treePicker) HandleInput(ev input.Event) bool {
	if p, ok := ev.(input.Paste); ok {
		t.search(tui.FilterWithPaste(t.query, p))
		return true
	}
	k, ok := ev.(input.Key)
	if !ok || k.Action == input.Release {
		return t.tree.HandleInput(ev)
	}
	set := func(f treeFilter) bool {
		t.filter = f
		t.again()
		return true
	}
	switch t.ui.keys.First(k, "app.tree.foldOrUp", "app.tree.unfoldOrDown", "app.tree.editLabel", "app.tree.toggleLabelTimestamp",
		"app.tree.filter.default", "app.tree.filter.noTools", "app.tree.filter.userOnly", "app.tree.filter.labeledOnly", "app.tree.filter.all",
		"app.tree.filter.cycleForward", "app.tree.filter.cycleBackward") {
	case "app.tree.foldOrUp":
		t.tree.FoldOrUp()
	case "app.tree.unfoldOrDown":
		t.tree.UnfoldOrDown()
	case "app.tree.editLabel":
		t.label()
	case "app.tree.toggleLabelTimestamp":
		t.times = !t.times
		t.again()
	case "app.tree.filter.default":
		return set(treeUsual)
	case "app.tree.filter.noTools":
		return set(treeNoTools)
	case "app.tree.filter.userOnly":
		return set(treeUser)
	case "app.tree.filter.labeledOnly":
		return set(treeLabeled)
	case "app.tree.filter.all":
		return set(treeAll)
	case "app.tree.filter.cycleForward":
		return set((t.filter + 1) % treeFilters)
	case "app.tree.filter.cycleBackward":
		return set((t.filter + treeFilters - 1) % treeFilters)
	default:
		switch {
		case k.Text != "":
			t.search(t.query + k.Text)
		case k.Is(input.ID{Name: "backspace"}) && t.query != "":
			runes := []rune(t.query)
			t.search(string(runes[:len(runes)-1]))
		default:
			return t.tree.HandleInput(ev)
		}
	}
	return true
}

// again makes the nodes anew. What is folded stays so.
func (t *treePicker) again() {
	if !t.searched { // a search looks into what is folded
		t.keepFolds(slices.Clone(t.shown))
	}
	t.shown, t.searched = t.roots(), t.query != ""
	t.tree.SetRoots(t.shown)
}

func (t *treePicker) label() {
	n := t.tree.Selected()
	if n == nil {
		return
	}
	u, row := t.ui, n.Data.(treeRow)
	s := u.session().Session()
	u.ask("Label (empty removes it)", row.Label, false, func(label string) {
		u.later(func(ctx context.Context) error { return s.SetLabel(ctx, row.ID, strings.TrimSpace(label)) }, func() { u.treeAgain(t, row.ID) })
	}, func() { u.show(t) })
}

// treeAgain shows a tree with what has changed.
func (u *ui) treeAgain(t *treePicker, marked string) {
	s := u.session().Session()
	u.spawn(func() {
		rows, err := treeRows(u.ctx, s)
		u.p.Do(func() {
			if err != nil {
				u.fail(err)
				return
			}
			t.rows = rows
			t.again()
			t.tree.Select(marked)
			u.show(t)
		})
	})
}

// leave goes to an entry, after asking what is to become of what is left
// behind.
func (t *treePicker) leave(row treeRow) {
	u := t.ui
	s := u.session()
	if row.ID == s.Session().Leaf() || row.ID == t.here() && !row.user {
		u.back()
		u.hint("This is where the session is.")
		return
	}
	if u.cfg.Settings.BranchSummary.SkipPrompt {
		u.back()
		u.move(row.ID, harness.NavigateOptions{})
		return
	}
	items := []tui.ListItem{
		{Value: "no", Label: "Go there", Description: "what is left stays in the tree"},
		{Value: "yes", Label: "Go there with a summary", Description: "the model sums up what is left"},
		{Value: "focus", Label: "Go there with a summary of …", Description: "say what matters"},
	}
	p := u.pick("Leave this branch", items, func(it tui.ListItem) {
		switch it.Value {
		case "no":
			u.move(row.ID, harness.NavigateOptions{})
		case "yes":
			u.move(row.ID, harness.NavigateOptions{Summarize: true})
		default:
			u.ask("What matters in the summary?", "", false, func(focus string) {
				u.move(row.ID, harness.NavigateOptions{Summarize: true, Instructions: focus})
			}, func() { u.show(t) })
		}
	})
	p.list.OnCancel = func() { u.show(t) }
}

// move goes on from another entry.
func (u *ui) move(entry string, o harness.NavigateOptions) {
	s := u.session()
	if o.Summarize {
		u.status.work("Summing up what is left")
	}
	u.spawn(func() {
		got, err := s.Navigate(u.ctx, entry, o)
		u.p.Do(func() {
			u.status.rest()
			switch {
			case errors.Is(err, context.Canceled):
				u.hint("Stopped; the session is where it was.")
				return
			case err != nil:
				u.fail(err)
				return
			}
			if got.Moved {
				u.restart()
			}
			if got.EditorText != "" {
				u.giveBack(got.EditorText)
			}
		})
	})
}
