// Package listing says what an entry adds to the description of its session:
// what a back end keeps beside the entries, so that a list of sessions reads
// none of them.
package listing

import (
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Description is what one entry adds.
type Description struct {
	// Messages is 1 for a message of any role.
	Messages int
	// Modified is the time of a user or assistant message, in Unix
	// milliseconds; 0 for anything else.
	Modified int64
	// First is what a user said.
	First string
	// Named says that Name is the session's name from here on.
	Named bool
	Name  string
	// Searchable is the text that a search looks through.
	Searchable string
}

// Conversational reports whether an entry is worth keeping a session for: a
// message of a user or an assistant.
func Conversational(s session.Stub) bool {
	return s.Type == session.TypeMessage && (s.Role == ai.RoleUser || s.Role == ai.RoleAssistant)
}

// Describe looks at a stored entry. One that is damaged adds nothing but
// itself.
func Describe(s session.Stub, text []byte) Description {
	var d Description
	if s.Fault != "" { // kept in a copy, but no entry
		return d
	}
	if s.Type == session.TypeMessage {
		d.Messages = 1
	}
	e, err := session.DecodeEntry(text, nil)
	if err != nil {
		return d
	}
	switch e := e.(type) {
	case *session.InfoEntry:
		d.Named, d.Name = true, session.CleanName(e.Name)
	case *session.MessageEntry:
		if !Conversational(s) {
			break
		}
		d.Modified = s.At
		if at := e.Message.Time().UnixMilli(); at != 0 {
			d.Modified = at
		}
		if s.Role == ai.RoleUser {
			d.First = session.Said(e)
		}
	}
	d.Searchable = strings.Join(slices.Collect(session.Texts(e)), "\n")
	return d
}
