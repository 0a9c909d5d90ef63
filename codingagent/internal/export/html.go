// Package export writes conversations for people: as one HTML page that needs
// nothing else, no script and no network, and in which nothing that was said
// can act as markup.
package export

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// Options say how a page looks. The zero value is fine.
type Options struct {
	// Highlight gives the pieces of a source text in order, each with its kind
	// ("keyword", "string", …; "" for none). language is the name of a language or of
	// a file; ok is false if it is not known. nil colours nothing.
	Highlight func(language, source string, piece func(text, kind string)) (ok bool)
}

//go:embed page.css
var style string

// HTML writes a session: the branch that ends at its leaf, and behind it what is
// on others.
func HTML(ctx context.Context, w io.Writer, s *session.Session, o Options) error {
	wrap := func(err error) error { return fmt.Errorf("export session %s: %w", s.ID(), err) }
	rows, err := s.Rows(ctx)
	if err != nil {
		return wrap(err)
	}
	name, err := s.Name(ctx)
	if err != nil {
		return wrap(err)
	}
	stats, err := s.Stats(ctx)
	if err != nil {
		return wrap(err)
	}
	p := &page{w: bufio.NewWriterSize(w, 64<<10), o: o}
	p.lines = findLines(rows)
	for i := range p.lines {
		if err := p.lines[i].load(ctx, s); err != nil {
			return wrap(err)
		}
	}
	h := s.Header()
	if name == "" {
		name = "Conversation of " + h.Time.UTC().Format("2 January 2006")
	}
	p.begin(name, h, stats)
	p.outline()
	p.raw("<main>\n")
	for i := range p.lines {
		p.line(&p.lines[i])
	}
	p.raw("</main>\n</body>\n</html>\n")
	if err := p.w.Flush(); err != nil {
		return wrap(err)
	}
	return nil
}

// page writes the parts. Errors of the writer come out of its last flush.
type page struct {
	w     *bufio.Writer
	o     Options
	lines []line

	results map[string]*ai.ToolResultMessage // of the line that is written, by call
	shown   map[string]bool                  // results that stand with their calls
}

// raw writes markup of our own.
func (p *page) raw(markup string) { _, _ = p.w.WriteString(markup) }

// text writes what somebody said: harmless, whatever is in it.
func (p *page) text(s string) { p.raw(Escape(s)) }

// Escape makes text harmless in HTML, in elements and in attributes. Control
// characters become visible.
func Escape(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case r < 0x20:
			return 0x2400 + r // the picture of the character
		case r == 0x7f || unicode.Is(unicode.Cc, r):
			return '\uFFFD'
		case unicode.Is(unicode.Bidi_Control, r): // text that reads otherwise than it is
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}

// begin writes everything above the conversation. The choice of colours works
// without script: the style looks at which of the three is checked.
func (p *page) begin(title string, h session.Header, stats session.Stats) {
	p.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n")
	p.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
	p.text(title)
	p.raw("</title>\n<style>\n" + style + "</style>\n</head>\n<body>\n<header>\n<fieldset class=\"theme\"><legend>Colours</legend>")
	for _, t := range []string{"auto", "light", "dark"} {
		checked := ""
		if t == "auto" {
			checked = " checked"
		}
		p.raw(`<label><input type="radio" name="theme" id="theme-` + t + `"` + checked + ">" + t + "</label>")
	}
	p.raw("</fieldset>\n<h1>")
	p.text(title)
	p.raw("</h1>\n<p>")
	p.text(h.Time.UTC().Format("2 January 2006, 15:04 UTC"))
	if h.Cwd != "" {
		p.raw(" · <code>")
		p.text(h.Cwd)
		p.raw("</code>")
	}
	p.raw("</p>\n<p>")
	facts := []string{count(stats.UserMessages, "message of the user", "messages of the user"), count(stats.AssistantMessages, "answer", "answers"), count(stats.ToolCalls, "tool call", "tool calls")}
	for _, m := range stats.Models {
		facts = append(facts, m.Provider+"/"+m.Model)
	}
	if cost := stats.Usage.Cost.Total; cost > 0 {
		facts = append(facts, fmt.Sprintf("$%.2f", cost))
	}
	p.text(strings.Join(facts, " · "))
	p.raw("</p>\n</header>\n")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// open begins the box of an entry.
func (p *page) open(kind, id, title string, t time.Time) {
	p.raw(`<section class="` + kind + `" id="e-`)
	p.text(id)
	p.raw("\"><h2>")
	p.text(title)
	if !t.IsZero() {
		p.raw(" <time>")
		p.text(t.UTC().Format("15:04:05"))
		p.raw("</time>")
	}
	p.raw("</h2>\n")
}

func (p *page) close() { p.raw("</section>\n") }

func (p *page) entry(e session.Entry) {
	head := e.Head()
	switch e := e.(type) {
	case *session.MessageEntry:
		p.message(head, e.Message)
	case *session.CompactionEntry:
		p.summary(head, "Summary of what came before", e.Summary)
	case *session.BranchSummaryEntry:
		p.summary(head, "Summary of another branch", e.Summary)
	case *session.CustomMessageEntry:
		p.open("custom", head.ID, "Note", head.Time)
		p.blocks(e.Content, false)
		p.close()
	case *session.ModelEntry:
		p.mark(head.ID, "Model: "+e.Provider+"/"+e.ModelID)
	case *session.ThinkingEntry:
		p.mark(head.ID, "Thinking: "+string(e.Level))
	}
}

func (p *page) mark(id, text string) {
	p.raw(`<p class="mark" id="e-`)
	p.text(id)
	p.raw(`">`)
	p.text(text)
	p.raw("</p>\n")
}

func (p *page) summary(head *session.Meta, title, text string) {
	p.open("summary", head.ID, title, head.Time)
	p.markdown(text)
	p.close()
}

func (p *page) pre(text string) {
	p.raw("<pre>")
	p.text(text)
	p.raw("</pre>\n")
}

// source writes program text, in colours if its language is known.
func (p *page) source(language, text string) {
	p.raw("<pre>")
	if p.o.Highlight == nil || language == "" || !p.o.Highlight(language, text, p.piece) {
		p.text(text)
	}
	p.raw("</pre>\n")
}

func (p *page) piece(text, kind string) {
	if kind == "" {
		p.text(text)
		return
	}
	p.raw(`<span class="s-`)
	p.text(kind)
	p.raw(`">`)
	p.text(text)
	p.raw("</span>")
}

func (p *page) message(head *session.Meta, m agentcore.Message) {
	switch m := m.(type) {
	case *ai.UserMessage:
		p.open("user", head.ID, "User", m.Time())
		p.blocks(m.Content, false)
		p.close()
	case *ai.AssistantMessage:
		p.open("assistant", head.ID, "Assistant", m.Time())
		p.blocks(m.Content, true)
		if err := m.Err(); err != nil {
			p.raw(`<p class="error">`)
			p.text(err.Error())
			p.raw("</p>\n")
		}
		p.close()
	case *ai.ToolResultMessage:
		if p.shown[m.ToolCallID] {
			return
		}
		p.open("tool", head.ID, "Result of "+m.ToolName, m.Time())
		p.result(m)
		p.close()
	case *ai.SystemMessage:
		p.system(head, m)
	case *codingagent.BashExecution:
		p.open("bash", head.ID, "User's command", m.Time())
		p.source("bash", "$ "+m.Command)
		p.pre(m.Output)
		if m.ExitCode != nil && *m.ExitCode != 0 {
			p.mark(head.ID+"-code", fmt.Sprintf("exit code %d", *m.ExitCode))
		}
		p.close()
	}
}

// system writes what the model is told, and its tools, folded.
func (p *page) system(head *session.Meta, m *ai.SystemMessage) {
	p.open("system", head.ID, "System prompt", m.Time())
	p.raw("<details><summary>Show</summary>\n")
	if m.Content != "" {
		p.pre(m.Content)
	}
	for _, s := range m.Sections {
		if s.Text != nil {
			p.pre(*s.Text)
		}
	}
	for _, t := range m.ToolsAdded {
		p.raw("<details><summary>Tool ")
		p.text(t.Name)
		p.raw("</summary>\n")
		p.pre(t.Description)
		p.source("json", indented(t.Parameters))
		p.raw("</details>\n")
	}
	p.raw("</details>\n")
	p.close()
}

// blocks writes the parts of a message. What a model says is Markdown, what a
// person says is shown as it was typed.
func (p *page) blocks(blocks []ai.Block, markdown bool) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			if markdown {
				p.markdown(b.Text)
				continue
			}
			p.raw(`<div class="text">`)
			p.text(b.Text)
			p.raw("</div>\n")
		case *ai.Thinking:
			if strings.TrimSpace(b.Text) != "" {
				p.raw("<details class=\"thinking\"><summary>Thinking</summary>\n")
				p.markdown(b.Text)
				p.raw("</details>\n")
			}
		case *ai.Image:
			p.image(b)
		case *ai.ToolCall:
			p.call(b)
		}
	}
}
