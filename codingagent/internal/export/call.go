package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// image shows a picture; of kinds that could hold script only the name.
func (p *page) image(img *ai.Image) {
	safe := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	if _, err := base64.StdEncoding.DecodeString(img.Data); err != nil || !slices.Contains(safe, img.MIMEType) {
		p.raw("<p class=\"mark\">An image (")
		p.text(img.MIMEType)
		p.raw(")</p>\n")
		return
	}
	// The decoder passes over line breaks, which an attribute need not hold.
	data := strings.NewReplacer("\n", "", "\r", "").Replace(img.Data)
	p.raw(`<img alt="An image" src="data:` + img.MIMEType + `;base64,` + data + "\">\n")
}

// call writes a call with its result, folded.
func (p *page) call(c *ai.ToolCall) {
	r := p.results[c.ID]
	kind := "call"
	switch {
	case r == nil:
		kind += " open"
	case r.IsError:
		kind += " failed"
	}
	p.raw(`<details class="` + kind + `"><summary>`)
	p.text(c.Name)
	if g := gist(c.Arguments); g != "" {
		p.raw(" <code>")
		p.text(g)
		p.raw("</code>")
	}
	p.raw("</summary>\n")
	p.arguments(c)
	if r != nil && !p.shown[c.ID] {
		p.shown[c.ID] = true
		p.result(r)
	}
	p.raw("</details>\n")
}

// arguments shows what a tool was told, the way people read it.
func (p *page) arguments(c *ai.ToolCall) {
	var a struct {
		Command, Path, Content string
		Edits                  []struct{ OldText, NewText string }
	}
	err := json.Unmarshal(c.Arguments, &a)
	switch {
	case err != nil:
	case c.Name == "bash" && a.Command != "":
		p.source("bash", a.Command)
		return
	case c.Name == "write" && a.Path != "":
		p.source(a.Path, a.Content)
		return
	case c.Name == "edit" && len(a.Edits) > 0:
		for _, e := range a.Edits {
			p.raw("<pre>")
			p.changed("del", "-", e.OldText)
			p.changed("ins", "+", e.NewText)
			p.raw("</pre>\n")
		}
		return
	}
	p.source("json", indented(c.Arguments))
}

// changed writes lines that an edit takes away or puts in.
func (p *page) changed(tag, sign, text string) {
	if text == "" {
		return
	}
	p.raw("<" + tag + ">")
	for line := range strings.Lines(text) {
		p.text(sign + line)
	}
	p.raw("</" + tag + ">")
	if !strings.HasSuffix(text, "\n") {
		p.raw("\n")
	}
}

// result writes what a tool gave.
func (p *page) result(r *ai.ToolResultMessage) {
	for _, b := range r.Content {
		switch b := b.(type) {
		case *ai.Text:
			p.pre(b.Text)
		case *ai.Image:
			p.image(b)
		}
	}
}

// indented lays JSON out; what is none stays as it is.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// gist gives the most telling argument of a call.
func gist(args json.RawMessage) string {
	var v map[string]any
	if json.Unmarshal(args, &v) != nil {
		return ""
	}
	for _, k := range []string{"command", "path", "pattern", "query", "url"} {
		if s, ok := v[k].(string); ok {
			return firstWords(s, 120)
		}
	}
	return ""
}

// firstWords makes one line of a text, of at most a number of characters.
func firstWords(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
