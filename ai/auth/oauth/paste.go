package oauth

import (
	"errors"
	"net/url"
	"strings"
)

// Pasted is what a person copied from the browser.
type Pasted struct {
	Code  string
	State string // "" when the text had none
	// Query holds all parameters when an address was pasted.
	Query url.Values
}

// ParsePasted reads what a person pasted: the address the browser ended at, its
// query, "code#state" as some vendors show it, or the code alone. Its errors do not
// repeat the text.
func ParsePasted(text string) (Pasted, error) {
	text = strings.Trim(strings.TrimSpace(text), `"'<>`)
	if text == "" {
		return Pasted{}, errors.New("nothing was pasted")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return Pasted{}, errors.New("the pasted text has white space in it; paste the whole address or the code, and nothing else")
	}
	query, isAddress := "", false
	if strings.Contains(text, "://") {
		u, err := url.Parse(text)
		if err != nil {
			return Pasted{}, errors.New("the pasted address can not be read; paste it whole")
		}
		if query, isAddress = u.RawQuery, true; query == "" {
			query = u.Fragment
		}
	} else if rest := strings.TrimLeft(text, "?&"); strings.HasPrefix(rest, "code=") || strings.Contains(rest, "&code=") || strings.HasPrefix(rest, "error=") {
		query, isAddress = rest, true
	}
	if !isAddress {
		code, state, _ := strings.Cut(text, "#")
		if code == "" {
			return Pasted{}, errors.New("the pasted text has no code")
		}
		return Pasted{Code: code, State: state}, nil
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return Pasted{}, errors.New("the pasted address can not be read; paste it whole")
	}
	code, state, _ := strings.Cut(q.Get("code"), "#")
	if code == "" && q.Get("error") == "" {
		return Pasted{}, errors.New("the pasted address has no code; paste the one the browser ended at")
	}
	if q.Get("state") != "" {
		state = q.Get("state")
	}
	return Pasted{Code: code, State: state, Query: q}, nil
}
