package models

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Scope finds the models that patterns mean, to begin with and to cycle through. Only
// those that are available count; nil means all of configured providers. They come in
// the order of the patterns, each once, with the thinking level that its pattern names.
// What a pattern leaves unclear is a warning.
//
// A pattern is an id, "provider/id" or a part of either, as in [Catalog.Resolve]; one
// that fits ids of several providers means all of them. With *, ?, [abc] or {a,b} in
// it, it is compared with "provider/id" and with the bare id, without regard to case;
// * stands for slashes, too. One that begins with the name of a provider means models of
// that one, if there are any. ":level" may be at the end.
func (c Catalog) Scope(available []*ai.Model, patterns []string) (scope []Choice, warnings []string) {
	usable := c
	if usable.Models = available; available == nil {
		usable.Models = c.configured(c.Models)
	}
	for _, pattern := range patterns {
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		found, level, warning := usable.matching(pattern)
		if len(found) == 0 {
			warning = c.nothingMatches(pattern)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		for _, m := range found {
			if !slices.ContainsFunc(scope, func(have Choice) bool { return have.Model.Same(m) }) {
				scope = append(scope, Choice{Model: m, Thinking: level})
			}
		}
	}
	return scope, warnings
}

// matching finds the models that one pattern means.
func (c Catalog) matching(pattern string) (found []*ai.Model, level ai.ThinkingLevel, warning string) {
	if strings.ContainsAny(pattern, "*?[{") {
		if found = c.exact(pattern); found != nil {
			return found, "", "" // ids may have brackets
		}
		text, level := cutLevel(pattern)
		if found = c.exact(text); found == nil {
			found = c.glob(text)
		}
		return found, level, ""
	}
	text := pattern
	for {
		if found = c.candidates(text); len(found) > 0 {
			break
		}
		at := strings.LastIndexByte(text, ':')
		if at <= 0 {
			return nil, level, ""
		}
		switch named := ai.ThinkingLevel(text[at+1:]); {
		case !slices.Contains(ai.ThinkingLevels(), named):
			warning = fmt.Sprintf("model pattern %q: %q is no thinking level; it is left out", pattern, named)
		case level == "":
			level = named // the last one counts
		}
		text = text[:at]
	}
	if m, err := c.pick(found, text); err == nil {
		return []*ai.Model{m}, level, warning
	}
	var refs []string
	for _, m := range found {
		refs = append(refs, m.Ref())
	}
	return found, level, fmt.Sprintf("model pattern %q fits several models, and all are taken: %s", pattern, strings.Join(refs, ", "))
}

// cutLevel takes a thinking level from the end of a pattern.
func cutLevel(pattern string) (string, ai.ThinkingLevel) {
	if at := strings.LastIndexByte(pattern, ':'); at > 0 {
		if level := ai.ThinkingLevel(pattern[at+1:]); slices.Contains(ai.ThinkingLevels(), level) {
			return pattern[:at], level
		}
	}
	return pattern, ""
}

// glob finds models by a pattern with wildcards.
func (c Catalog) glob(pattern string) []*ai.Model {
	match, err := regexp.Compile(globExpression(pattern))
	if err != nil {
		return nil
	}
	named, _ := c.cutProvider(pattern)
	var found, ofNamed []*ai.Model
	for _, m := range c.Models {
		byRef := match.MatchString(m.Ref())
		if byRef || match.MatchString(m.ID) {
			found = append(found, m)
		}
		if byRef && m.Provider == named {
			ofNamed = append(ofNamed, m)
		}
	}
	if len(ofNamed) > 0 {
		return ofNamed // not those that a gateway has of the vendor
	}
	return found
}

// globExpression writes a pattern as a regular expression.
func globExpression(pattern string) string {
	var b strings.Builder
	b.WriteString("(?is)^")
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch ch := pattern[i]; {
		case ch == '*':
			b.WriteString(".*")
		case ch == '?':
			b.WriteString(".")
		case ch == '[' && strings.IndexByte(pattern[i:], ']') > 1:
			end := i + strings.IndexByte(pattern[i:], ']')
			set := pattern[i+1 : end]
			negate := ""
			if set[0] == '!' || set[0] == '^' {
				negate, set = "^", set[1:]
			}
			b.WriteString("[" + negate + strings.NewReplacer(`\`, `\\`, "[", `\[`, "^", `\^`).Replace(set) + "]")
			i = end
		case ch == '{' && strings.IndexByte(pattern[i:], '}') > 0:
			b.WriteString("(?:")
			depth++
		case ch == ',' && depth > 0:
			b.WriteString("|")
		case ch == '}' && depth > 0:
			b.WriteString(")")
			depth--
		default:
			b.WriteString(regexp.QuoteMeta(string(ch)))
		}
	}
	b.WriteString("$")
	return b.String()
}

// nothingMatches says why a pattern means no model.
func (c Catalog) nothingMatches(pattern string) string {
	text := fmt.Sprintf("no available model matches the pattern %q", pattern)
	if found, _, _ := c.matching(pattern); len(found) > 0 {
		var ids []string
		for _, m := range found {
			if !slices.Contains(ids, m.Provider) {
				ids = append(ids, m.Provider)
			}
		}
		if len(ids) > 3 {
			ids = append(ids[:3], "others")
		}
		return text + fmt.Sprintf("; models of %s do, which has no credentials", strings.Join(ids, ", "))
	}
	plain, _ := cutLevel(pattern)
	var names []string
	for _, m := range c.configured(c.Models) {
		names = append(names, m.ID, m.Ref())
	}
	return text + ai.DidYouMean(plain, names)
}

// Start chooses the model of a conversation without messages from a scope: the saved
// default if it is in it, else the first. ok is false for an empty scope.
func Start(scope []Choice, savedProvider, savedModel string) (c Choice, ok bool) {
	for _, have := range scope {
		if have.Model.Provider == savedProvider && have.Model.ID == savedModel {
			return have, true
		}
	}
	if len(scope) == 0 {
		return Choice{}, false
	}
	return scope[0], true
}

// Next gives the model that comes after one in a list, or before it, going round. One
// that is not in the list is followed by the first, or the last. ok is false when there
// is no other.
func Next(list []Choice, current *ai.Model, back bool) (c Choice, ok bool) {
	at := slices.IndexFunc(list, func(have Choice) bool { return have.Model.Same(current) })
	switch {
	case len(list) == 0, len(list) == 1 && at == 0:
		return Choice{}, false
	case at < 0 && back:
		return list[len(list)-1], true
	case at < 0:
		return list[0], true
	case back:
		return list[(at+len(list)-1)%len(list)], true
	}
	return list[(at+1)%len(list)], true
}
