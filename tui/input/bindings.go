package input

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Binding says which keys do an action unless the user wants others.
type Binding struct {
	// Action is the name of the action, such as "tui.editor.cursorLeft".
	Action string
	// Keys are names as [Parse] reads them.
	Keys []string
	// Help says in a few words what the action does.
	Help string
}

// Bindings tell which keys do which action. Make them with [NewBindings]. They
// may be read by several goroutines, but not while Set or Reset changes them.
type Bindings struct {
	order   []string
	actions map[string]*bound
	changed map[string]bool // set by the user
}

type bound struct {
	keys, standard []ID
	help           string
}

// NewBindings returns the bindings of a program. It panics if a key has a wrong
// name or an action is there twice, as both are mistakes in the program.
func NewBindings(lists ...[]Binding) *Bindings {
	b := &Bindings{actions: map[string]*bound{}, changed: map[string]bool{}}
	for _, d := range slices.Concat(lists...) {
		if _, ok := b.actions[d.Action]; ok {
			panic(fmt.Sprintf("action %q is defined twice", d.Action))
		}
		var ids []ID
		for _, k := range d.Keys {
			ids = append(ids, MustParse(k))
		}
		b.order = append(b.order, d.Action)
		b.actions[d.Action] = &bound{keys: ids, standard: ids, help: d.Help}
	}
	return b
}

// Set gives actions other keys: what a user configured. An empty list takes all
// keys from an action. Wrong names of keys and unknown actions change nothing;
// an error for each of them says what is wrong, in the order of the actions'
// names. The good ones are in force nevertheless.
func (b *Bindings) Set(config map[string][]string) []error {
	var errs []error
	for _, action := range slices.Sorted(maps.Keys(config)) {
		a, ok := b.actions[action]
		if !ok {
			errs = append(errs, fmt.Errorf("key binding %q: there is no such action%s", action, b.near(action)))
			continue
		}
		ids := []ID{}
		bad := false
		for _, k := range config[action] {
			id, err := Parse(k)
			if err != nil {
				errs = append(errs, fmt.Errorf("key binding %q: %w", action, err))
				bad = true
				continue
			}
			ids = append(ids, id)
		}
		if bad && len(ids) == 0 {
			continue
		}
		a.keys = ids
		b.changed[action] = true
	}
	return errs
}

// near suggests an action whose last part is the same.
func (b *Bindings) near(action string) string {
	last := action[strings.LastIndexByte(action, '.')+1:]
	for _, name := range b.order {
		if strings.EqualFold(name[strings.LastIndexByte(name, '.')+1:], last) {
			return fmt.Sprintf(" (did you mean %q?)", name)
		}
	}
	return ""
}

// Reset gives all actions their standard keys again.
func (b *Bindings) Reset() {
	for _, a := range b.actions {
		a.keys = a.standard
	}
	clear(b.changed)
}

// Is reports whether a key does an action. The release of a key does nothing.
func (b *Bindings) Is(k Key, action string) bool {
	a := b.actions[action]
	return a != nil && k.Action != Release && slices.ContainsFunc(a.keys, k.Is)
}

// First returns the first of some actions that a key does, "" if none. The order
// of the arguments decides between actions with the same key.
func (b *Bindings) First(k Key, actions ...string) string {
	for _, a := range actions {
		if b.Is(k, a) {
			return a
		}
	}
	return ""
}

// Keys returns the keys of an action, nil if it has none.
func (b *Bindings) Keys(action string) []ID {
	if a := b.actions[action]; a != nil {
		return slices.Clone(a.keys)
	}
	return nil
}

// Text returns the keys of an action for a hint, such as "ctrl+c/escape".
func (b *Bindings) Text(action string) string {
	var names []string
	for _, k := range b.Keys(action) {
		names = append(names, k.String())
	}
	return strings.Join(names, "/")
}

// Help returns what an action does, in a few words.
func (b *Bindings) Help(action string) string {
	if a := b.actions[action]; a != nil {
		return a.help
	}
	return ""
}

// Actions returns the names of all actions in the order of their definition.
func (b *Bindings) Actions() []string { return slices.Clone(b.order) }

// Conflict is a key that does several actions of one group.
type Conflict struct {
	Key     ID
	Actions []string
}

// Conflicts returns the keys that a user has bound to more than one action of
// the same group; a group is the part of the name before the last dot. Actions
// of different groups are for different places and may share keys. Standard
// bindings are not looked at, unless one meets a user's.
func (b *Bindings) Conflicts() []Conflict {
	type place struct {
		group string
		key   ID
	}
	users := map[place][]string{}
	for _, name := range b.order {
		group := name[:max(strings.LastIndexByte(name, '.'), 0)]
		for _, k := range b.actions[name].keys {
			p := place{group, k}
			if !slices.Contains(users[p], name) {
				users[p] = append(users[p], name)
			}
		}
	}
	var list []Conflict
	for p, names := range users {
		if len(names) > 1 && slices.ContainsFunc(names, func(n string) bool { return b.changed[n] }) {
			list = append(list, Conflict{Key: p.key, Actions: names})
		}
	}
	slices.SortFunc(list, func(x, y Conflict) int {
		return cmp.Or(cmp.Compare(x.Key.String(), y.Key.String()), cmp.Compare(x.Actions[0], y.Actions[0]))
	})
	return list
}
