package interactive

import (
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/markdown"
)

// changelogCommand shows what has changed, the newest version last, where one
// looks.
func (u *ui) changelogCommand(string) {
	sections := u.changes()
	for i := len(sections) - 1; i >= 0; i-- {
		u.append(tui.Spacer(1))
		u.append(newPage(u, u.transform("## "+sections[i].Title+"\n\n"+sections[i].Body, extension.MarkdownView{MessageType: extension.MarkdownChangelog})))
	}
}

// page shows a text of the program's own as Markdown.
type page struct {
	ui *ui
	md *markdown.Markdown
}

func newPage(u *ui, text string) *page {
	p := &page{ui: u, md: markdown.New(markdown.Options{Theme: u.look.md, PadX: 1})}
	p.md.SetText(text)
	return p
}

// Render gives the lines.
func (p *page) Render(width int) []string { return p.md.Render(width) }

// Invalidate makes it be drawn anew.
func (p *page) Invalidate() { p.md.SetTheme(p.ui.look.md) }
