package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/pi-go/pi/ai"
)

// Scope gives the models that patterns mean, of those that can be used, in the
// order of the patterns and each once; with the thinking level where a pattern
// ends in one, as in "sonnet:high". A pattern with *, ? or [ is a glob over
// "provider/id" and over the id; * and ? do not cross a slash. Any other is a
// reference as [Catalog.Resolve] reads it, but one that means the models of
// several providers takes all of them. Notes say what was wrong with patterns,
// one each. c.Models is not looked at.
func Scope(c Catalog, available []*ai.Model, patterns []string) (list []Choice, notes []string) {
	c.Models = available
	add := func(m *ai.Model, level ai.ThinkingLevel) {
		if !slices.ContainsFunc(list, func(x Choice) bool { return x.Model.Same(m) }) {
			list = append(list, Choice{Model: m, Thinking: level})
		}
	}
	for _, pattern := range patterns {
		text, level := cutLevel(pattern)
		found := c.exact(pattern)
		if found != nil {
			level = ""
		} else {
			found = c.inScope(text)
		}
		if found == nil && level == "" {
			// A level that there is none of is left out rather than the models.
			if head, tail, ok := cutLast(pattern, ':'); ok {
				if found = c.inScope(head); found != nil {
					notes = append(notes, fmt.Sprintf("%q: there is no thinking level %q; it is left out", pattern, tail))
				}
			}
		}
		for _, m := range found {
			add(m, level)
		}
		if len(found) == 0 {
			notes = append(notes, fmt.Sprintf("no models match %q", pattern))
		}
	}
	return list, notes
}

// inScope gives the models of one pattern without a level.
func (c Catalog) inScope(text string) []*ai.Model {
	if found := c.exact(text); found != nil {
		return found // ids may have brackets
	}
	if !strings.ContainsAny(text, "*?[") {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return c.candidates(text)
	}
	glob := strings.ToLower(text)
	var found []*ai.Model
	for _, m := range c.Models {
		for _, name := range []string{m.Ref(), m.ID} {
			if ok, err := doublestar.Match(glob, strings.ToLower(name)); err == nil && ok {
				found = append(found, m)
				break
			}
		}
	}
	return found
}

// cutLevel takes a thinking level off the end of a pattern.
func cutLevel(pattern string) (text string, level ai.ThinkingLevel) {
	if head, tail, ok := cutLast(pattern, ':'); ok && slices.Contains(ai.ThinkingLevels(), ai.ThinkingLevel(tail)) {
		return head, ai.ThinkingLevel(tail)
	}
	return pattern, ""
}

func cutLast(s string, sep byte) (head, tail string, ok bool) {
	at := strings.LastIndexByte(s, sep)
	if at <= 0 {
		return s, "", false
	}
	return s[:at], s[at+1:], true
}
