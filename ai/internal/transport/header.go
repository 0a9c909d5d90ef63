package transport

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Headers is one layer of request headers. Names compare without regard to case.
type Headers struct {
	// Remove names headers of lower layers that are not to be sent.
	Remove []string
	// Set are the headers of this layer; they win over lower layers.
	Set map[string]string
}

// BuildHeader merges layers, the lowest first: each removes, then sets. It is an
// error when a name or value can not be sent.
func BuildHeader(layers ...Headers) (http.Header, error) {
	h := http.Header{}
	for _, l := range layers {
		for _, name := range l.Remove {
			h.Del(name)
		}
		for _, name := range slices.Sorted(maps.Keys(l.Set)) {
			value := l.Set[name]
			if !validName(name) {
				return nil, fmt.Errorf("header name %q has a character that is not allowed there", name)
			}
			if i := strings.IndexFunc(value, notAllowed); i >= 0 {
				// The value may be a key, so it is not shown.
				return nil, fmt.Errorf("value of header %s has the character %q, which is not allowed there", name, []rune(value[i:])[0])
			}
			h.Set(name, strings.Trim(value, " \t"))
		}
	}
	return h, nil
}

func notAllowed(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// validName reports whether name is a token as HTTP defines it.
func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}
