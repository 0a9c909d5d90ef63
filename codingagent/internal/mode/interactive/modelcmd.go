package interactive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// available lists the models that can be used.
func (u *ui) available(ctx context.Context) []*ai.Model {
	if u.cfg.Available == nil {
		return nil
	}
	return u.cfg.Available(ctx)
}

// modelItems lists models to choose from.
func modelItems(ctx context.Context, u *ui) []tui.ListItem {
	var items []tui.ListItem
	for _, m := range u.available(ctx) {
		var about []string
		if name := modelName(m); name != "" {
			about = append(about, name)
		}
		if m.ContextWindow > 0 {
			about = append(about, tokenCount(m.ContextWindow))
		}
		if m.Reasoning {
			about = append(about, "thinks")
		}
		items = append(items, tui.ListItem{Value: m.Ref(), Label: oneLine(m.Ref()), Description: strings.Join(about, " · "), Data: m})
	}
	return items
}

// modelName is what a model is called beside its id, "" when that is the same.
func modelName(m *ai.Model) string {
	if m.Name == m.ID {
		return ""
	}
	return oneLine(m.Name)
}

// modelCommand chooses a model: the one that is named exactly, else from a list.
func (u *ui) modelCommand(ref string) {
	u.spawn(func() {
		items := modelItems(u.ctx, u)
		u.p.Do(func() {
			var same []*ai.Model
			for _, it := range items {
				if m := it.Data.(*ai.Model); m.Ref() == ref || m.ID == ref {
					same = append(same, m)
				}
			}
			switch {
			case len(same) == 1:
				u.useModel(same[0])
			case len(items) == 0:
				u.firstRun()
			default:
				u.pickModel(items, ref)
			}
		})
	})
}

func (u *ui) pickModel(items []tui.ListItem, query string) {
	p := u.pick("Model", items, func(it tui.ListItem) { u.useModel(it.Data.(*ai.Model)) })
	p.hint = []string{"type to filter", "enter uses it", u.keys.Text("app.models.save") + " makes it the default", "escape cancels"}
	p.keys = func(k input.Key) bool {
		if !u.keys.Is(k, "app.models.save") {
			return false
		}
		if it, ok := p.list.Selected(); ok {
			m := it.Data.(*ai.Model)
			u.back()
			u.useModelAnd(m, func() { u.keepModel(m) })
		}
		return true
	}
	p.list.SetFilter(query)
	if m := u.session().Model(); m != nil && query == "" {
		p.list.Select(m.Ref())
	}
}

// keepModel makes a model the default of sessions to come, and one of those that
// are cycled through.
func (u *ui) keepModel(m *ai.Model) {
	patterns := u.cfg.Settings.EnabledModels
	u.spawn(func() {
		known := len(patterns) == 0 || u.inScope(m, patterns)
		u.p.Do(func() {
			changes := map[string]any{"defaultProvider": m.Provider, "defaultModel": m.ID}
			if !known {
				u.cfg.Settings.EnabledModels = append(slices.Clone(patterns), m.Ref())
				changes["enabledModels"] = u.cfg.Settings.EnabledModels
			}
			u.save("Kept as the default.", changes)
		})
	})
}

// inScope reports whether patterns mean a model too.
func (u *ui) inScope(m *ai.Model, patterns []string) bool {
	if u.cfg.Scope == nil {
		return true
	}
	list, _ := u.cfg.Scope(u.ctx, patterns)
	return slices.ContainsFunc(list, func(c models.Choice) bool { return c.Model.Same(m) })
}

// useModel makes a model the session's.
func (u *ui) useModel(m *ai.Model) { u.useModelAnd(m, nil) }

// useModelAnd makes a model the session's, says so, and then does something more, if it
// is not nil; of two things that are said at once only the later one is seen.
func (u *ui) useModelAnd(m *ai.Model, then func()) {
	s := u.session()
	u.use(models.Choice{Model: m}, func(ctx context.Context) error { return s.SetModel(ctx, m) }, then)
}

// useChoice makes a model that is cycled through the session's, at the level that was
// named with it, or else the one that the settings have for it.
func (u *ui) useChoice(c models.Choice) {
	s := u.session()
	u.use(c, func(ctx context.Context) error { return s.CycleTo(ctx, c) }, nil)
}

func (u *ui) use(c models.Choice, choose func(ctx context.Context) error, then func()) {
	level := cmp.Or(c.Thinking, u.cfg.Settings.ModelThinkingLevels[c.Model.Ref()])
	u.change(choose, func() {
		u.foot.refresh()
		u.restyle()
		u.hint("The model is " + choiceText(models.Choice{Model: c.Model, Thinking: level}) + ".")
		if then != nil {
			then()
		}
	})
}

func thinkingItems(_ context.Context, u *ui) []tui.ListItem {
	var items []tui.ListItem
	m := u.session().Model()
	if m == nil {
		return nil
	}
	for _, l := range m.SupportedThinking() {
		items = append(items, tui.ListItem{Value: string(l)})
	}
	return items
}

// thinkingCommand chooses the thinking level.
func (u *ui) thinkingCommand(arg string) {
	m := u.session().Model()
	if m == nil {
		u.hint("There is no model yet: /model chooses one.")
		return
	}
	levels := m.SupportedThinking()
	if len(levels) < 2 {
		u.hint(m.Ref() + " has no thinking levels.")
		return
	}
	if arg != "" {
		if !slices.Contains(levels, ai.ThinkingLevel(arg)) {
			var names []string
			for _, l := range levels {
				names = append(names, string(l))
			}
			u.hint(fmt.Sprintf("%s has no level %q; it has %s.", m.Ref(), arg, strings.Join(names, ", ")))
			return
		}
		u.useThinking(ai.ThinkingLevel(arg))
		return
	}
	p := u.pick("Thinking", thinkingItems(u.ctx, u), func(it tui.ListItem) { u.useThinking(ai.ThinkingLevel(it.Value)) })
	p.hint = []string{"enter uses it", u.keys.Text("app.thinking.save") + " makes it the default", "escape cancels"}
	p.keys = func(k input.Key) bool {
		if !u.keys.Is(k, "app.thinking.save") {
			return false
		}
		if it, ok := p.list.Selected(); ok {
			u.back()
			level := ai.ThinkingLevel(it.Value)
			u.useThinking(level)
			u.adjust(func(s *settings.Settings) { s.DefaultThinkingLevel, s.ThinkingChosen = level, true })
			u.save("Kept as the default.", map[string]any{"defaultThinkingLevel": it.Value})
		}
		return true
	}
	p.list.Select(string(u.session().Thinking()))
}

func (u *ui) useThinking(l ai.ThinkingLevel) {
	s := u.session()
	u.setThinking(l, func() { u.hint("Thinking is " + string(s.Thinking()) + ".") })
}

// setThinking puts a level in force; done, if not nil, is called when it is.
func (u *ui) setThinking(l ai.ThinkingLevel, done func()) {
	s := u.session()
	u.change(func(ctx context.Context) error { return s.SetThinking(ctx, l) }, func() {
		u.restyle()
		u.foot.touch()
		if done != nil {
			done()
		}
	})
}

// cycleThinking goes to the next level.
func (u *ui) cycleThinking() {
	m := u.session().Model()
	if m == nil {
		return
	}
	levels := m.SupportedThinking()
	if len(levels) < 2 {
		u.hint(m.Ref() + " has no thinking levels.")
		return
	}
	at := slices.Index(levels, u.session().Thinking())
	u.useThinking(levels[(at+1)%len(levels)])
}
