package textedit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// context is the number of unchanged lines shown around a change.
const context = 4

// Change is a run of lines that was replaced. Lines are numbered from 1 and
// carry their line break (LF), which the last line of a text may lack.
type Change struct {
	// OldLine and NewLine are where the run begins in the old and the new text. A
	// run of no lines begins where its first line would be.
	OldLine, NewLine int
	Old, New         []string
}

// Changes is the difference between two texts.
type Changes struct {
	// List holds the changes in order; no two touch.
	List []Change
	// old is the whole text before, needed for the lines around the changes.
	old      []string
	newLines int
}

// Compare finds the lines in which two texts differ. Line breaks count as equal
// and a byte order mark as absent.
func Compare(before, after []byte) Changes {
	a, b := string(newSource(before).lf), string(newSource(after).lf)
	c := Changes{old: splitLines(a), newLines: len(splitLines(b))}
	c.add(a, b, 1, 1)
	return c
}

// changesOf finds the lines that replacements changed, looking only at the lines
// they touch.
func changesOf(s *source, found []replacement) Changes {
	text := string(s.lf)
	c := Changes{old: splitLines(text), newLines: len(splitLines(text))}
	shift := 0 // how many lines later things are in the new text
	for i := 0; i < len(found); {
		lo := strings.LastIndexByte(text[:found[i].cut.lo], '\n') + 1
		pos := lo
		var after strings.Builder
		for ; i < len(found); i++ {
			cut := found[i].cut
			after.WriteString(text[pos:cut.lo])
			after.WriteString(found[i].text)
			pos = cut.hi
			end := lineEnd(text, pos)
			if i+1 == len(found) || found[i+1].cut.lo >= end && found[i+1].cut.lo > lo {
				after.WriteString(text[pos:end])
				pos = end
				i++
				break
			}
		}
		oldLine := s.lineNumber(lo)
		shift += c.add(text[lo:pos], after.String(), oldLine, oldLine+shift)
	}
	c.newLines += shift
	return c
}

// lineEnd is the position behind the line break of the line that holds pos.
func lineEnd(text string, pos int) int {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

// add compares two texts that begin on the given lines and adds their
// differences. It returns how many lines longer the second is.
func (c *Changes) add(before, after string, oldLine, newLine int) (longer int) {
	longer = len(splitLines(after)) - len(splitLines(before))
	pos := 0
	for _, e := range udiff.Lines(before, after) {
		same := len(splitLines(before[pos:e.Start]))
		oldLine, newLine = oldLine+same, newLine+same
		ch := Change{OldLine: oldLine, NewLine: newLine, Old: splitLines(before[e.Start:e.End]), New: splitLines(e.New)}
		pos, oldLine, newLine = e.End, oldLine+len(ch.Old), newLine+len(ch.New)
		c.List = append(c.List, ch)
	}
	return longer
}

// FirstLine is the line of the new text, from 1, at which the first change
// begins; 0 if there is none.
func (c Changes) FirstLine() int {
	if len(c.List) == 0 {
		return 0
	}
	return c.List[0].NewLine
}

// hunk is a run of changes with the unchanged lines around and between them.
type hunk struct {
	from, to int // old lines shown, from 1, to not included
	changes  []Change
}

// hunks groups the changes whose surroundings touch.
func (c Changes) hunks() (list []hunk) {
	for _, ch := range c.List {
		from := max(1, ch.OldLine-context)
		to := min(len(c.old)+1, ch.OldLine+len(ch.Old)+context)
		if n := len(list) - 1; n >= 0 && from <= list[n].to {
			list[n].to = to
			list[n].changes = append(list[n].changes, ch)
			continue
		}
		list = append(list, hunk{from, to, []Change{ch}})
	}
	return list
}

// walk visits the lines of a hunk: ' ' for unchanged, '-' for removed, '+' for
// added lines, with their number in the old text (' ' and '-') or the new ('+').
func (c Changes) walk(h hunk, visit func(kind byte, number int, line string)) {
	next := h.from
	same := func(until int) {
		for ; next < until; next++ {
			visit(' ', next, c.old[next-1])
		}
	}
	for _, ch := range h.changes {
		same(ch.OldLine)
		for i, line := range ch.Old {
			visit('-', ch.OldLine+i, line)
		}
		for i, line := range ch.New {
			visit('+', ch.NewLine+i, line)
		}
		next += len(ch.Old)
	}
	same(h.to)
}

// Diff shows the changes for people: each line with its number, "..." where
// lines are left out.
func (c Changes) Diff() string {
	width := len(strconv.Itoa(max(len(c.old), c.newLines)))
	gap := fmt.Sprintf(" %*s ...", width, "")
	var lines []string
	shown := 1
	for _, h := range c.hunks() {
		if h.from > shown {
			lines = append(lines, gap)
		}
		c.walk(h, func(kind byte, number int, line string) {
			lines = append(lines, fmt.Sprintf("%c%*d %s", kind, width, number, strings.TrimSuffix(line, "\n")))
		})
		shown = h.to
	}
	if len(lines) > 0 && shown <= len(c.old) {
		lines = append(lines, gap)
	}
	return strings.Join(lines, "\n")
}

// Patch writes the changes as a unified diff of the file called name.
func (c Changes) Patch(name string) string {
	if len(c.List) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for _, h := range c.hunks() {
		first := h.changes[0]
		shift := first.NewLine - first.OldLine
		oldCount, newCount := h.to-h.from, h.to-h.from
		for _, ch := range h.changes {
			newCount += len(ch.New) - len(ch.Old)
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(h.from, oldCount), hunkRange(h.from+shift, newCount))
		c.walk(h, func(kind byte, _ int, line string) {
			b.WriteByte(kind)
			b.WriteString(line)
			if !strings.HasSuffix(line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		})
	}
	return b.String()
}

// hunkRange writes a range of a hunk header. An empty range stands after the line
// before it.
func hunkRange(from, count int) string {
	if count == 0 {
		from--
	}
	return fmt.Sprintf("%d,%d", from, count)
}
