package interactive

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/codingagent/tools"
	"github.com/pi-go/pi/tui/diffview"
	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/text"
)

// How many lines of a folded result are seen.
const (
	commandLines = 3 // of a command
	outputLines  = 6 // of what a command printed
	fileLines    = 8 // of a file that is written
	diffLines    = 16
	otherLines   = 4
)

// toolView is what a card shows.
type toolView struct {
	title, body []string
	bare        bool // without the marker and the margin
}

// viewOf shows a call in the way of its tool.
func viewOf(c *toolCard) toolView {
	v := toolView{}
	switch c.name {
	case "bash", "powershell":
		v = c.commandView()
	case "read":
		v = c.readView()
	case "write":
		v = c.writeView()
	case "edit":
		v = c.editView()
	case "grep", "find", "ls":
		v = c.searchView()
	default:
		v = c.otherView()
	}
	c.guestView(&v)
	switch {
	case c.state == cardDropped:
		v.body = append(v.body, c.ui.look.fg("dim", "not run: "+c.dropped))
	case c.state == cardFailed && c.guest.result == nil && c.name != "bash" && c.name != "powershell":
		v.body = c.block("error", strings.TrimSpace(c.output()), fileLines, false)
	}
	return v
}

// title is the name of the tool and what it works on.
func (c *toolCard) title(name, subject, rest string) []string {
	l := c.ui.look
	s := l.bold("toolTitle", name)
	if subject != "" {
		s += " " + l.fg("accent", oneLine(subject))
	}
	if rest != "" {
		s += " " + l.fg("muted", oneLine(rest))
	}
	return []string{s}
}

// path is the file of a call as it is shown: from the working directory.
func (c *toolCard) path() string {
	p := c.text("path")
	if p == "" {
		p = c.text("file_path")
	}
	return c.ui.shortPath(p)
}

func (c *toolCard) commandView() toolView {
	l := c.ui.look
	command := strings.TrimRight(Clean(c.text("command")), "\n")
	n := commandLines
	if c.open {
		n = 1 << 20
	}
	shown, more := firstLines(command, n)
	var v toolView
	for i, line := range splitLines(shown) {
		if i == 0 {
			line = "$ " + line
		} else {
			line = "  " + line
		}
		wrapped := []string{line}
		if c.open {
			wrapped = text.Wrap(line, c.inner())
		}
		for _, w := range wrapped {
			v.title = append(v.title, l.bold("toolTitle", w))
		}
	}
	if len(v.title) == 0 {
		v.title = []string{l.bold("toolTitle", "$ …")}
	}
	if more > 0 {
		v.title = append(v.title, l.fg("dim", c.ui.more(more)))
	}
	token := "toolOutput"
	v.body = c.block(token, strings.Trim(c.output(), "\n"), outputLines, true)
	var facts []string
	switch c.state {
	case cardRunning:
		if c.tick > 0 {
			facts = append(facts, "running for "+duration(time.Since(c.began)))
		}
	case cardDone, cardFailed:
		if c.took >= time.Second {
			facts = append(facts, "took "+duration(c.took))
		}
	}
	if len(facts) > 0 {
		v.body = append(v.body, l.fg("dim", strings.Join(facts, ", ")))
	}
	return v
}

func (c *toolCard) readView() toolView {
	rest := ""
	if from := c.number("offset"); from > 0 || c.number("limit") > 0 {
		from = max(from, 1)
		rest = fmt.Sprintf("from line %d", from)
		if n := c.number("limit"); n > 0 {
			rest = fmt.Sprintf("lines %d–%d", from, from+n-1)
		}
	}
	out := c.output()
	if c.state == cardDone && out != "" && rest == "" {
		rest = count(strings.Count(strings.TrimRight(out, "\n"), "\n")+1, "line")
	}
	v := toolView{title: c.title("read", c.path(), rest)}
	if c.state == cardDone && c.open {
		v.body = c.source(out, c.text("path"), 1<<20, false)
	}
	return v
}

func (c *toolCard) writeView() toolView {
	content := c.text("content")
	rest := ""
	if n := strings.Count(strings.TrimRight(content, "\n"), "\n") + 1; content != "" {
		rest = count(n, "line")
	}
	v := toolView{title: c.title("write", c.path(), rest)}
	v.body = c.source(content, c.text("path"), fileLines, !c.complete)
	return v
}

// source shows lines of a file, highlighted: the last ones while it is being
// written.
func (c *toolCard) source(s, file string, n int, tail bool) []string {
	if s == "" {
		return nil
	}
	longest := 4 * c.inner()
	if c.open {
		n, longest = 1<<20, 1<<16
	}
	var part string
	var left int
	if tail {
		part, left = lastLines(s, n)
	} else {
		part, left = firstLines(s, n)
	}
	language := highlight.ByFile(filepath.Base(file))
	var out []string
	var spans []highlight.Span
	var state highlight.State
	for _, line := range splitLines(Clean(clipLines(part, longest))) {
		spans, state = language.Line(spans[:0], line, state)
		painted := highlight.Paint(line, spans, &c.ui.look.syntax)
		if c.open {
			out = append(out, text.Wrap(painted, c.inner())...)
		} else {
			out = append(out, text.Truncate(painted, c.inner(), "…"))
		}
	}
	if left > 0 {
		more := c.ui.look.fg("dim", c.ui.more(left))
		if tail {
			return append([]string{more}, out...)
		}
		out = append(out, more)
	}
	return out
}

func (c *toolCard) editView() toolView {
	var edits []struct {
		Old string `json:"oldText"`
		New string `json:"newText"`
	}
	_ = json.Unmarshal(c.arguments()["edits"], &edits)
	if old := c.text("oldText"); old != "" && len(edits) == 0 {
		edits = append(edits, struct {
			Old string `json:"oldText"`
			New string `json:"newText"`
		}{old, c.text("newText")})
	}
	var lines []diffview.Line
	var details tools.EditDetails
	if c.state == cardDone && decodeDetails(c.result.Details, &details) && details.Patch != "" {
		for _, l := range diffview.Parse(details.Patch) {
			if l.Kind != diffview.Info {
				lines = append(lines, l)
			}
		}
	} else {
		for i, e := range edits {
			if i > 0 {
				lines = append(lines, diffview.Line{Kind: diffview.Gap})
			}
			lines = append(lines, diffview.Compare(e.Old, e.New, 2)...)
		}
	}
	rest := ""
	if added, removed := diffview.Stat(lines); added+removed > 0 {
		rest = fmt.Sprintf("+%d −%d", added, removed)
	}
	v := toolView{title: c.title("edit", c.path(), rest)}
	left := 0
	if !c.open && len(lines) > diffLines {
		left = len(lines) - diffLines
		if c.complete {
			lines = lines[:diffLines]
		} else {
			lines = lines[left:]
		}
	}
	theme := c.ui.look.diff
	theme.Syntax = c.ui.look.syntax
	numbers := c.state == cardDone
	v.body = append(v.body, diffview.New(lines, diffview.Options{Theme: theme, File: c.text("path"), NoNumbers: !numbers}).Render(c.inner())...)
	if left > 0 {
		v.body = append(v.body, c.ui.look.fg("dim", c.ui.more(left)))
	}
	return v
}

func (c *toolCard) searchView() toolView {
	subject := c.text("pattern")
	var rest []string
	if p := c.path(); p != "" && c.name != "ls" {
		rest = append(rest, "in "+p)
	} else if c.name == "ls" {
		subject = c.path()
		if subject == "" {
			subject = "."
		}
	}
	if g := c.text("glob"); g != "" {
		rest = append(rest, "only "+g)
	}
	out := strings.TrimSpace(c.output())
	if c.state == cardDone && out != "" && !c.open {
		rest = append(rest, "· "+count(strings.Count(out, "\n")+1, "line"))
	}
	v := toolView{title: c.title(c.name, subject, strings.Join(rest, " "))}
	v.body = c.block("toolOutput", out, otherLines, false)
	return v
}

func (c *toolCard) otherView() toolView {
	raw := string(c.args)
	if !c.complete {
		raw = c.partial
	}
	if raw == "{}" {
		raw = ""
	}
	n := 200
	if c.open {
		n = 4000
	}
	v := toolView{title: c.title(oneLine(c.name), "", clip(raw, n))}
	if c.open {
		v.title = text.Wrap(v.title[0], c.inner())
	}
	v.body = c.block("toolOutput", strings.TrimSpace(c.output()), outputLines, false)
	return v
}

// decodeDetails reads the details of a result, which are a struct while it is
// fresh and JSON when it comes from a file.
func decodeDetails(details any, into *tools.EditDetails) bool {
	switch d := details.(type) {
	case tools.EditDetails:
		*into = d
		return true
	case *tools.EditDetails:
		if d != nil {
			*into = *d
		}
		return d != nil
	case json.RawMessage:
		return len(d) > 0 && json.Unmarshal(d, into) == nil
	case nil:
		return false
	}
	data, err := json.Marshal(details)
	return err == nil && json.Unmarshal(data, into) == nil
}

// splitLines divides a text into lines; an empty text has none.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// clipLines cuts lines that are far too long to be seen, so that cleaning and
// measuring them costs no more than what is shown.
func clipLines(s string, n int) string {
	if len(s) <= n {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = clip(l, n+64)
	}
	return strings.Join(lines, "\n")
}

// lastStates leaves of each line what a terminal would show last: a display of
// progress goes back to the beginning of its line for each of its states.
func lastStates(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l = strings.TrimRight(l, "\r"); strings.Contains(l, "\r") {
			l = l[strings.LastIndexByte(l, '\r')+1:]
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

// count is a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// duration is a time for people, to the second.
func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
}
