package facts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Diff tells what changed from one set of facts to another, a line each:
// providers and models that are new or gone, and models whose price, window,
// cap, protocol or address changed.
func Diff(before, after []*File) string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	old, now := index(before, say), index(after, say)
	for _, key := range sortedKeys(now) {
		m := now[key]
		o, known := old[key]
		if !known {
			say("new      %s (window %d, cap %d, %s)", key, m.ContextWindow, m.MaxTokens, price(m.Cost))
			continue
		}
		change := func(what string, was, is any) {
			if was != is {
				say("changed  %s: %s %v -> %v", key, what, was, is)
			}
		}
		change("window", o.ContextWindow, m.ContextWindow)
		change("cap", o.MaxTokens, m.MaxTokens)
		change("price", price(o.Cost), price(m.Cost))
		change("protocol", o.API, m.API)
		change("address", o.BaseURL, m.BaseURL)
		change("thinking", o.Reasoning, m.Reasoning)
		change("input", strings.Join(o.Input, " "), strings.Join(m.Input, " "))
		change("compat", string(o.Compat), string(m.Compat))
	}
	for _, key := range sortedKeys(old) {
		if _, still := now[key]; !still {
			say("gone     %s", key)
		}
	}
	if len(lines) == 0 {
		return "nothing changed\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

func index(files []*File, say func(string, ...any)) map[string]*ai.Model {
	all := make(map[string]*ai.Model)
	for _, f := range files {
		models, err := f.Resolve()
		if err != nil {
			say("broken   %v", err)
			continue
		}
		for _, m := range models {
			key := m.Ref()
			if m.Type != "" {
				key += " (" + string(m.Type) + ")"
			}
			all[key] = m
		}
	}
	return all
}

func sortedKeys(m map[string]*ai.Model) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func price(r ai.Rates) string {
	s := fmt.Sprintf("%v/%v/%v/%v", r.Input, r.Output, r.CacheRead, r.CacheWrite)
	for _, t := range r.Tiers {
		s += fmt.Sprintf(" above %d: %v/%v/%v/%v", t.InputAbove, t.Input, t.Output, t.CacheRead, t.CacheWrite)
	}
	return s
}
