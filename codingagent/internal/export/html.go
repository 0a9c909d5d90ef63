// Package export writes conversations for people: as one HTML page that needs
// nothing else, no script and no network, and in which nothing that was said
// can act as markup.
package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// HTML writes the branch of a session that ends at its leaf.
func HTML(ctx context.Context, w io.Writer, s *session.Session) error {
	entries, err := s.Branch(ctx, "")
	if err != nil {
		return fmt.Errorf("export session %s: %w", s.ID(), err)
	}
	name, err := s.Name(ctx)
	if err != nil {
		return fmt.Errorf("export session %s: %w", s.ID(), err)
	}
	p := &page{w: bufio.NewWriterSize(w, 64<<10), results: make(map[string]*ai.ToolResultMessage), shown: make(map[string]bool)}
	for _, e := range entries {
		if m, ok := e.(*session.MessageEntry); ok {
			if r, ok := m.Message.(*ai.ToolResultMessage); ok {
				p.results[r.ToolCallID] = r
			}
		}
	}
	h := s.Header()
	if name == "" {
		name = "Conversation of " + h.Time.UTC().Format("2 January 2006")
	}
	p.begin(name, h)
	for _, e := range entries {
		p.entry(e)
	}
	p.raw("</main>\n</body>\n</html>\n")
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("export session %s: %w", s.ID(), err)
	}
	return nil
}

// page writes the parts. Errors of the writer come out of its last flush.
type page struct {
	w       *bufio.Writer
	results map[string]*ai.ToolResultMessage // by call
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

func (p *page) begin(title string, h session.Header) {
	p.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n")
	p.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
	p.text(title)
	p.raw("</title>\n<style>" + style + "</style>\n</head>\n<body>\n<header><h1>")
	p.text(title)
	p.raw("</h1><p>")
	p.text(h.Time.UTC().Format("2 January 2006, 15:04 UTC"))
	if h.Cwd != "" {
		p.raw(" · <code>")
		p.text(h.Cwd)
		p.raw("</code>")
	}
	p.raw("</p></header>\n<main>\n")
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
		p.folded("summary", head, "Summary of what came before", e.Summary)
	case *session.BranchSummaryEntry:
		p.folded("summary", head, "Summary of another branch", e.Summary)
	case *session.CustomMessageEntry:
		p.open("custom", head.ID, "Note", head.Time)
		p.blocks(e.Content)
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

func (p *page) folded(kind string, head *session.Meta, title, text string) {
	p.open(kind, head.ID, title, head.Time)
	p.pre(text)
	p.close()
}

func (p *page) pre(text string) {
	p.raw("<pre>")
	p.text(text)
	p.raw("</pre>\n")
}

func (p *page) message(head *session.Meta, m agentcore.Message) {
	switch m := m.(type) {
	case *ai.UserMessage:
		p.open("user", head.ID, "User", m.Time())
		p.blocks(m.Content)
		p.close()
	case *ai.AssistantMessage:
		p.open("assistant", head.ID, "Assistant", m.Time())
		p.blocks(m.Content)
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
		p.blocks(m.Content)
		p.close()
	case *ai.SystemMessage:
		p.open("system", head.ID, "System prompt", m.Time())
		p.raw("<details><summary>Show</summary>\n")
		for _, s := range m.Sections {
			if s.Text != nil {
				p.pre(*s.Text)
			}
		}
		p.raw("</details>\n")
		p.close()
	case *codingagent.BashExecution:
		p.open("bash", head.ID, "User's command", m.Time())
		p.pre("$ " + m.Command + "\n" + m.Output)
		if m.ExitCode != nil && *m.ExitCode != 0 {
			p.mark(head.ID+"-code", fmt.Sprintf("exit code %d", *m.ExitCode))
		}
		p.close()
	}
}

func (p *page) blocks(blocks []ai.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			p.raw(`<div class="text">`)
			p.text(b.Text)
			p.raw("</div>\n")
		case *ai.Thinking:
			if strings.TrimSpace(b.Text) != "" {
				p.raw("<details class=\"thinking\"><summary>Thinking</summary>\n<div class=\"text\">")
				p.text(b.Text)
				p.raw("</div></details>\n")
			}
		case *ai.Image:
			p.image(b)
		case *ai.ToolCall:
			p.call(b)
		}
	}
}

// image shows a picture; of kinds that could hold script only the name.
func (p *page) image(img *ai.Image) {
	safe := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	if _, err := base64.StdEncoding.DecodeString(img.Data); err != nil || !slices.Contains(safe, img.MIMEType) {
		p.raw("<p class=\"mark\">An image (")
		p.text(img.MIMEType)
		p.raw(")</p>\n")
		return
	}
	p.raw(`<img alt="" src="data:` + img.MIMEType + `;base64,` + img.Data + "\">\n")
}

func (p *page) call(c *ai.ToolCall) {
	r := p.results[c.ID]
	kind := "call"
	if r != nil && r.IsError {
		kind += " failed"
	}
	p.raw(`<details class="` + kind + `"><summary>`)
	p.text(c.Name)
	p.raw(" <code>")
	p.text(gist(c.Arguments))
	p.raw("</code></summary>\n")
	var indented bytes.Buffer
	if json.Indent(&indented, c.Arguments, "", "  ") != nil {
		indented.Reset()
		indented.Write(c.Arguments)
	}
	p.pre(indented.String())
	if r != nil {
		p.shown[c.ID] = true
		p.blocks(r.Content)
	}
	p.raw("</details>\n")
}

// gist gives the most telling argument of a call.
func gist(args json.RawMessage) string {
	var v map[string]any
	if json.Unmarshal(args, &v) != nil {
		return ""
	}
	for _, k := range []string{"command", "path", "pattern", "query", "url"} {
		if s, ok := v[k].(string); ok {
			const most = 120
			s = strings.Join(strings.Fields(s), " ")
			if r := []rune(s); len(r) > most {
				return string(r[:most]) + "…"
			}
			return s
		}
	}
	return ""
}

// style follows the reader's choice of light or dark.
const style = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1c1e21;--dim:#667;--box:#f4f5f7;--line:#d9dce1;--user:#2563a8;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#15171a;--fg:#dfe2e6;--dim:#8c93a0;--box:#1e2126;--line:#30353d;--user:#7fb2ee;--bad:#ef8a80}}
body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:0 auto;padding:1rem}
header p,time,.mark{color:var(--dim);font-size:.85rem;font-weight:normal}
h1{font-size:1.4rem;margin:.5rem 0}h2{font-size:.95rem;margin:0 0 .3rem}
section{margin:1rem 0;padding:.7rem 1rem;border:1px solid var(--line);border-radius:.5rem}
.user{border-left:.25rem solid var(--user)}.system,.tool,.bash,.summary{background:var(--box)}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:.85rem/1.45 ui-monospace,monospace;background:var(--box);padding:.6rem;border-radius:.3rem;margin:.4rem 0}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--dim)}.failed>summary,.error{color:var(--bad)}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}img{max-width:100%}
@media print{details>*{display:block}}
`
