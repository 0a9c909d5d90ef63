package interactive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// scope is which models are cycled through, as far as the person has chosen them
// in this run.
type scope struct {
	chosen bool
	list   []models.Choice // none means all
}

// scoped gives the models to cycle through, and whether that is fewer than all. It
// may be called on any goroutine.
func (u *ui) scoped(ctx context.Context, sc scope, patterns []string) (list []models.Choice, some bool) {
	list = sc.list
	if !sc.chosen && len(patterns) > 0 && u.cfg.Scope != nil {
		list, _ = u.cfg.Scope(ctx, patterns)
	}
	if len(list) > 0 {
		return list, true
	}
	for _, m := range u.available(ctx) {
		list = append(list, models.Choice{Model: m})
	}
	return list, false
}

// cycleModel goes to another of the models that are cycled through.
func (u *ui) cycleModel(by int) {
	sc, patterns := u.scope, u.cfg.Settings.EnabledModels
	u.spawn(func() {
		list, some := u.scoped(u.ctx, sc, patterns)
		u.p.Do(func() {
			have := u.session().Model()
			at := slices.IndexFunc(list, func(c models.Choice) bool { return c.Model.Same(have) })
			if len(list) == 0 || len(list) == 1 && at == 0 {
				if some {
					u.hint("There is only one model to cycle through; /scoped-models adds some.")
				} else {
					u.hint("There is no other model to change to.")
				}
				return
			}
			switch n := len(list); {
			case at >= 0:
				at = (at + by + n) % n
			case by < 0:
				at = n - 1
			default:
				at = 0
			}
			u.useChoice(list[at])
		})
	})
}

// scopePicker chooses the models to cycle through.
type scopePicker struct {
	ui    *ui
	p     *picker
	order []models.Choice
	on    map[string]bool
	// lost are patterns that match nothing now, such as those of a vendor whose
	// key is missing; they are kept.
	lost []string
}

// scopeCommand edits the models to cycle through.
func (u *ui) scopeCommand(string) {
	sc, patterns := u.scope, u.cfg.Settings.EnabledModels
	u.spawn(func() {
		chosen, some := u.scoped(u.ctx, sc, patterns)
		all := u.available(u.ctx)
		s := &scopePicker{ui: u, on: map[string]bool{}}
		if u.cfg.Scope != nil {
			for _, p := range patterns {
				if found, _ := u.cfg.Scope(u.ctx, []string{p}); len(found) == 0 {
					s.lost = append(s.lost, p)
				}
			}
		}
		for _, c := range chosen {
			s.order = append(s.order, c)
			s.on[c.Model.Ref()] = true
		}
		if some {
			for _, m := range all {
				if !slices.ContainsFunc(s.order, func(c models.Choice) bool { return c.Model.Same(m) }) {
					s.order = append(s.order, models.Choice{Model: m})
				}
			}
		}
		u.p.Do(func() {
			if len(s.order) == 0 {
				u.firstRun()
				return
			}
			s.open()
		})
	})
}

func (s *scopePicker) items() []tui.ListItem {
	var items []tui.ListItem
	for _, c := range s.order {
		mark := "[ ] "
		if s.on[c.Model.Ref()] {
			mark = "[x] "
		}
		items = append(items, tui.ListItem{Value: c.Model.Ref(), Label: mark + oneLine(choiceText(c)), Description: modelName(c.Model), Data: c.Model})
	}
	return items
}

// choiceText is a choice as patterns are written.
func choiceText(c models.Choice) string {
	if c.Thinking != "" {
		return c.Model.Ref() + ":" + string(c.Thinking)
	}
	return c.Model.Ref()
}

func (s *scopePicker) open() {
	u := s.ui
	s.p = u.pick("Models to cycle through", s.items(), nil)
	s.p.list.OnSelect = func(it tui.ListItem) {
		s.on[it.Value] = !s.on[it.Value]
		s.changed()
	}
	s.p.list.OnCancel = u.back
	if m := u.session().Model(); m != nil {
		s.p.list.Select(m.Ref())
	}
	s.p.hint = []string{"enter switches one on or off"}
	for _, h := range [][2]string{
		{"app.models.enableAll", "all"},
		{"app.models.clearAll", "none"},
		{"app.models.toggleProvider", "a provider"},
		{"app.models.reorderUp", "up"},
		{"app.models.reorderDown", "down"},
		{"app.models.save", "keeps it"},
	} {
		if k := u.keys.Text(h[0]); k != "" {
			s.p.hint = append(s.p.hint, k+" "+h[1])
		}
	}
	s.p.hint = append(s.p.hint, "escape")
	s.p.keys = s.key
}

// changed shows the list anew and lets it count for this run.
func (s *scopePicker) changed() {
	s.p.list.SetItems(s.items())
	s.ui.scope = scope{chosen: true}
	for _, c := range s.order {
		if s.on[c.Model.Ref()] {
			s.ui.scope.list = append(s.ui.scope.list, c)
		}
	}
	if len(s.ui.scope.list) == len(s.order) && !slices.ContainsFunc(s.order, func(c models.Choice) bool { return c.Thinking != "" }) {
		s.ui.scope.list = nil
	}
}

func (s *scopePicker) key(k input.Key) bool {
	it, ok := s.p.list.Selected()
	switch s.ui.keys.First(k, "app.models.enableAll", "app.models.clearAll", "app.models.toggleProvider", "app.models.reorderUp",
		"app.models.reorderDown", "app.models.save") {
	case "app.models.enableAll":
		s.set(true)
	case "app.models.clearAll":
		s.set(false)
	case "app.models.toggleProvider":
		if ok {
			s.toggleProvider(it.Data.(*ai.Model).Provider)
		}
	case "app.models.reorderUp":
		s.move(it.Value, -1)
	case "app.models.reorderDown":
		s.move(it.Value, 1)
	case "app.models.save":
		s.save()
	default:
		return false
	}
	return true
}

// set switches all that the filter shows.
func (s *scopePicker) set(on bool) {
	for _, it := range s.p.list.Items() {
		s.on[it.Value] = on
	}
	s.changed()
}

func (s *scopePicker) toggleProvider(id string) {
	off := false
	for _, c := range s.order {
		off = off || c.Model.Provider == id && !s.on[c.Model.Ref()]
	}
	for _, c := range s.order {
		if c.Model.Provider == id {
			s.on[c.Model.Ref()] = off
		}
	}
	s.changed()
}

// move changes the place of a model in the order; a filter would hide where it
// goes.
func (s *scopePicker) move(ref string, by int) {
	at := slices.IndexFunc(s.order, func(c models.Choice) bool { return c.Model.Ref() == ref })
	to := at + by
	if at < 0 || to < 0 || to >= len(s.order) || s.p.list.Filter() != "" {
		return
	}
	s.order[at], s.order[to] = s.order[to], s.order[at]
	s.changed()
}

// save keeps the choice as a setting.
func (s *scopePicker) save() {
	u := s.ui
	s.changed()
	var value any // all models need no setting
	var patterns []string
	if list := u.scope.list; len(list) > 0 {
		for _, c := range list {
			patterns = append(patterns, choiceText(c))
		}
		patterns = append(patterns, s.lost...)
		value = patterns
	}
	u.cfg.Settings.EnabledModels = patterns
	u.back()
	u.save(fmt.Sprintf("Kept: %s.", scopeText(u.scope.list)), map[string]any{"enabledModels": value})
}

func scopeText(list []models.Choice) string {
	if len(list) == 0 {
		return "all models are cycled through"
	}
	var names []string
	for _, c := range list {
		names = append(names, choiceText(c))
	}
	return strings.Join(names, ", ")
}
