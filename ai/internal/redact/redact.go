// Package redact takes secrets out of texts that somebody else wrote: servers and
// gateways quote keys and whole requests in their errors, in part, cut, and in the
// encoding that is usual where they quote.
//
//	var r redact.Redactor
//	r.Add("sk-0123456789")
//	r.Text(`you sent "sk-01234…`) // you sent "[redacted]…
//
// A beginning of six characters of a secret is enough to be hidden, wherever it
// stands. It is recognised as it is; with escapes of JSON, Go, URLs and HTML, also
// within each other; and in base64 and hexadecimal digits. JSON web tokens are hidden
// also when nobody told of them: there is no harmless one.
package redact

import (
	"slices"
	"strings"
	"sync"
)

// Hidden stands where a secret was.
const Hidden = "[redacted]"

const (
	// shortest is the length of the shortest secret. What is shorter than any real
	// key ("none", "ollama") is none, and would only mutilate messages.
	shortest = 8
	// leastHidden is how much of the beginning of a secret is hidden.
	leastHidden = 6
)

// Redactor knows secrets. The zero value knows none. It may be used from several
// goroutines.
type Redactor struct {
	mu      sync.Mutex
	public  []string
	secrets []secret
}

// secret is hidden from least characters of its beginning on.
type secret struct {
	text  string
	least int
}

// Public names words that are known to everybody: a secret that happens to begin with
// one, like "example-key-1" at a provider called example, is hidden where more of it
// stands. Call it before Add.
func (r *Redactor) Public(words ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.public = append(r.public, words...)
}

// Add makes a secret known. One of less than eight characters is ignored.
func (r *Redactor) Add(text string) {
	least := leastHidden
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, word := range r.public {
		for least <= len(text) && strings.Contains(word, text[:least]) {
			least++
		}
	}
	r.add(text, min(least, len(text)))
}

// AddWhole makes a secret known that begins with what is none, such as a path or an
// address: only all of it is hidden.
func (r *Redactor) AddWhole(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(text, len(text))
}

func (r *Redactor) add(text string, least int) {
	if len(text) < shortest {
		return
	}
	for _, form := range []string{text, strings.ReplaceAll(text, " ", "+")} {
		if s := (secret{form, least}); !slices.Contains(r.secrets, s) {
			r.secrets = append(r.secrets, s)
		}
	}
}

// Text gives s without the secrets.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	r.mu.Lock()
	secrets := r.secrets
	r.mu.Unlock()
	if len(s) < leastHidden {
		return s
	}
	var found []span
	for v, level := plain(s), 0; ; level++ {
		found = append(found, v.find(secrets)...)
		next, changed := v.unescape()
		if !changed || level == maxLevels {
			break
		}
		v = next
	}
	return replace(s, found)
}

// Has reports whether s holds a secret.
func (r *Redactor) Has(s string) bool { return r.Text(s) != s }

// span is a part of a text.
type span struct{ from, to int }

// replace puts Hidden in the place of the spans, of one where they touch.
func replace(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		all := spans[i]
		for i++; i < len(spans) && spans[i].from <= all.to; i++ {
			all.to = max(all.to, spans[i].to)
		}
		b.WriteString(s[at:all.from])
		b.WriteString(Hidden)
		at = all.to
	}
	return b.String() + s[at:]
}
