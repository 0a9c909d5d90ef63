package textedit

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is what is wrong with edits.
type Problem int

// The problems.
const (
	// NoEdits: the list is empty.
	NoEdits Problem = iota + 1
	// EmptyOld: the old text of an edit is empty.
	EmptyOld
	// NotFound: the old text does not occur, not even tolerantly.
	NotFound
	// NotUnique: the old text occurs more than once.
	NotUnique
	// Overlap: two edits want the same piece.
	Overlap
	// NoChange: the text would stay as it is.
	NoChange
	// NotText: the edit would put replacement characters into a text that is not
	// UTF-8, most likely in place of bytes that can not be shown.
	NotText
)

// MatchError says why edits can not be made. Its text is written for whoever
// wrote the edits.
type MatchError struct {
	Problem Problem
	// Index is the edit, from 0, of Of edits. Other is the second edit of an Overlap.
	Index, Other, Of int
	// Count is how often a NotUnique old text was found, Lines are the first few
	// lines, from 1, on which it starts. Tolerant says that these places only look
	// like it.
	Count    int
	Lines    []int
	Tolerant bool
	// Near describes the line that comes closest to a NotFound old text. It may be
	// empty.
	Near string
	// Binary says that the text holds bytes that are no UTF-8.
	Binary bool
}

// Error describes the problem and what to do about it.
func (e *MatchError) Error() string {
	old := "oldText"
	if e.Of > 1 {
		old = fmt.Sprintf("edits[%d].oldText", e.Index)
	}
	switch e.Problem {
	case NoEdits:
		return "there are no edits; give at least one pair of oldText and newText"
	case EmptyOld:
		return old + " is empty; give the text that is to be replaced"
	case NotFound:
		msg := old + " was not found; it must be the same as in the file, with its white space and line breaks"
		if e.Binary {
			msg += ". The file holds bytes that are not UTF-8 text; leave them out of oldText"
		}
		if e.Near != "" {
			msg += ". " + e.Near
		}
		return msg
	case NotUnique:
		how := "was found %d times, on lines %s"
		if e.Tolerant {
			how = "was not found as it is, and %d places look like it, on lines %s"
		}
		return fmt.Sprintf(old+" "+how+"; give more of the text around the one that is meant", e.Count, lineList(e.Lines, e.Count))
	case Overlap:
		return fmt.Sprintf("edits[%d] and edits[%d] overlap; make one edit of them", e.Index, e.Other)
	case NoChange:
		return "nothing would change: oldText and newText are the same"
	case NotText:
		return fmt.Sprintf("edit %d would write the replacement character U+FFFD into a file that is not UTF-8, which would "+
			"destroy the bytes it stands for; change less of the line, or use a shell command", e.Index)
	}
	return "unknown problem " + strconv.Itoa(int(e.Problem))
}

// mostLines is the number of lines that a message names.
const mostLines = 6

// lineList writes line numbers, and "..." if there are more.
func lineList(lines []int, count int) string {
	var words []string
	for _, n := range lines {
		words = append(words, strconv.Itoa(n))
	}
	if count > len(lines) {
		words = append(words, "...")
	}
	return strings.Join(words, ", ")
}
