package tui

import "slices"

// maxHistory is how many entries an editor keeps.
const maxHistory = 200

// history is what was submitted, and where in it one is.
type history struct {
	entries []string // the newest last
	at      int      // the entry that is shown, -1 for none
	draft   string   // what was there before
}

// AddHistory adds an entry, unless it is blank or the same as the last one.
func (e *Editor) AddHistory(s string) {
	h := &e.history
	h.at = -1
	if isBlank(s) || len(h.entries) > 0 && h.entries[len(h.entries)-1] == s {
		return
	}
	h.entries = append(h.entries, s)
	if len(h.entries) > maxHistory {
		h.entries = slices.Delete(h.entries, 0, len(h.entries)-maxHistory)
	}
}

// SetHistory replaces the entries; the newest is the last.
func (e *Editor) SetHistory(entries []string) {
	e.history = history{at: -1}
	for _, s := range entries {
		e.AddHistory(s)
	}
}

func isBlank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\t' && r != '\n' {
			return false
		}
	}
	return true
}

// historyGo shows an older (-1) or a newer (1) entry. What was being written
// comes back after the newest one.
func (e *Editor) historyGo(by int) bool {
	h := &e.history
	n := len(h.entries)
	switch {
	case h.at < 0 && (by > 0 || n == 0):
		return false
	case h.at < 0:
		h.draft, h.at = e.buf.Text(), n-1
	default:
		to := h.at + by
		if to < 0 {
			return true
		}
		if to >= n {
			h.at = -1
			e.buf.SetText(h.draft)
			return true
		}
		h.at = to
	}
	at := h.at
	e.buf.SetText(h.entries[at])
	if by < 0 {
		e.buf.Start() // so that up goes on to the entry before
	}
	return true
}
