package settings

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Explanation says where the value of a key comes from.
type Explanation struct {
	Key string
	// Value is the effective value as the file has it; nil when no file says
	// anything, and the default holds.
	Value json.RawMessage
	From  Source
	// Over are weaker values that it took the place of, the strongest first.
	Over []Value
	// Ignored are values that do not count: of the wrong kind, or of a key
	// that only counts in the user's file.
	Ignored []Value
	// Unknown says that this program does not know the key.
	Unknown bool
}

// Explain tells of each key that a file sets, sorted by key; of those that
// begin with prefix, if that is not empty.
func (l *Loaded) Explain(prefix string) []Explanation {
	byKey := map[string]*Explanation{}
	var keys []string
	known := knownKeys()
	for _, v := range l.Values {
		if !strings.HasPrefix(v.Key, prefix) {
			continue
		}
		e := byKey[v.Key]
		if e == nil {
			e = &Explanation{Key: v.Key, From: Source{Scope: Default}, Unknown: !slices.Contains(known, v.Key)}
			byKey[v.Key] = e
			keys = append(keys, v.Key)
		}
		switch {
		case !v.Used && !e.Unknown:
			e.Ignored = append(e.Ignored, v)
			continue
		case e.Value != nil:
			e.Over = slices.Insert(e.Over, 0, Value{Source: e.From, Key: e.Key, JSON: e.Value})
		}
		e.Value, e.From = v.JSON, v.Source
	}
	slices.Sort(keys)
	out := make([]Explanation, len(keys))
	for i, k := range keys {
		out[i] = *byKey[k]
	}
	return out
}

// WriteExplanation prints each value with where it comes from. A key that is
// known and set nowhere is said to have its default; one that is unknown is an
// error that names the nearest.
func (l *Loaded) WriteExplanation(w io.Writer, prefix string) error {
	list := l.Explain(prefix)
	if len(list) == 0 && prefix != "" {
		known := knownKeys()
		if !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, prefix) }) {
			return fmt.Errorf("there is no setting %q%s", prefix, ai.DidYouMean(prefix, known))
		}
	}
	var b strings.Builder
	known := knownKeys()
	for _, e := range list {
		if e.Value != nil {
			fmt.Fprintf(&b, "%s = %s\n    %s: %s\n", e.Key, e.Value, e.From.Scope, e.From.Path)
		} else {
			fmt.Fprintf(&b, "%s has its default\n", e.Key)
		}
		for _, v := range e.Over {
			fmt.Fprintf(&b, "    over %s in %s (%s)\n", v.JSON, v.Path, v.Scope)
		}
		for _, v := range e.Ignored {
			fmt.Fprintf(&b, "    not used: %s in %s (%s)\n", v.JSON, v.Path, v.Scope)
		}
		switch why := Inert(e.Key); {
		case e.Unknown:
			b.WriteString("    this program does not know it" + ai.DidYouMean(e.Key, known) + "\n")
		case why != "":
			b.WriteString("    it changes nothing here: " + why + "\n")
		}
	}
	if prefix != "" {
		for _, k := range knownKeys() {
			if strings.HasPrefix(k, prefix) && !slices.ContainsFunc(list, func(e Explanation) bool { return e.Key == k }) {
				fmt.Fprintf(&b, "%s has its default\n", k)
				if why := Inert(k); why != "" {
					b.WriteString("    it changes nothing here: " + why + "\n")
				}
			}
		}
	} else if len(list) == 0 {
		b.WriteString("Everything has its default.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Unknown tells of the keys in the files that this program does not know, each with
// those that are most like it. They are no faults: another program, or another version
// of this one, may know them.
func (l *Loaded) Unknown() []Diagnostic {
	var out []Diagnostic
	known := knownKeys()
	seen := make(map[[2]string]bool) // files and keys
	for _, v := range l.Values {
		at := [2]string{v.Path, v.Key}
		if v.Key == "$schema" || slices.Contains(known, v.Key) || groupOf(v.Key, known) || seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, Diagnostic{v.Path, v.Key + ": this program does not know it" + ai.DidYouMean(v.Key, known)})
	}
	return out
}

// groupOf reports whether a name is that of an object of settings.
func groupOf(key string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// Keys lists the whole names of all settings, sorted.
func Keys() []string { return knownKeys() }

// knownKeys lists the names of all settings: the fields of an empty file, and
// those of the objects among them.
func knownKeys() []string {
	s := Defaults()
	var keys []string
	var walk func(prefix string, known map[string]field, r *reader)
	walk = func(prefix string, known map[string]field, r *reader) {
		for k, f := range known {
			r.inner = nil
			// An object asks the reader for its own fields; anything else
			// refuses an empty object or takes it as a value.
			_ = f(prefix+k, json.RawMessage("{}"))
			if inner := r.inner; inner != nil {
				walk(prefix+k+".", inner, r)
				continue
			}
			keys = append(keys, prefix+k)
		}
	}
	r := &reader{probing: true}
	walk("", s.fields(r), r)
	slices.Sort(keys)
	return keys
}
