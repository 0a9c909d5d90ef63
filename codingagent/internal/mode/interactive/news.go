package interactive

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/codingagent/internal/changelog"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// changes are the program's own.
func (u *ui) changes() []changelog.Section {
	if u.cfg.Changes != nil {
		return u.cfg.Changes
	}
	return changelog.Sections()
}

// tellNews shows what is new when the program was updated, once.
func (u *ui) tellNews() {
	last, now := u.cfg.Settings.LastChangelogVersion, u.cfg.Version
	if new := changelog.Since(u.changes(), last, now); len(new) > 0 && !u.settings.QuietStartup {
		u.append(tui.Spacer(1))
		u.append(&news{ui: u, sections: new, short: u.cfg.Settings.CollapseChangelog})
	}
	if !changelog.Newer(now, last) {
		return
	}
	path := filepath.Join(u.cfg.AgentDir, "settings.json")
	u.kept.add(u.spawn, func() {
		// It only says what was shown: where it can not be kept, it is shown again.
		_ = settings.Update(context.WithoutCancel(u.ctx), path, map[string]any{"lastChangelogVersion": now})
	})
}

// maxNews is how many changes are told of.
const maxNews = 5

// news tells what has changed since the version before.
type news struct {
	ui       *ui
	sections []changelog.Section
	short    bool
	lines    []string
	width    int
}

// Render gives the lines.
func (n *news) Render(width int) []string {
	if n.lines != nil && n.width == width {
		return n.lines
	}
	l := n.ui.look
	version, _, _ := strings.Cut(n.sections[0].Title, " ")
	n.width = width
	n.lines = []string{" " + l.bold("accent", "New in "+oneLine(version)) + l.fg("dim", " · /changelog tells everything")}
	var items []string
	for _, s := range n.sections {
		items = append(items, s.Items()...)
	}
	if n.short {
		items = nil
	}
	for i, it := range items {
		if i == maxNews {
			n.lines = append(n.lines, " "+l.fg("dim", fmt.Sprintf("… %d more", len(items)-maxNews)))
			break
		}
		n.lines = append(n.lines, " "+l.fg("muted", "• ")+l.fg("text", text.Truncate(oneLine(strings.NewReplacer("`", "", "**", "").Replace(it)), max(width-4, 1), "…")))
	}
	n.lines = fit(n.lines, width)
	return n.lines
}

// Invalidate makes it be drawn anew.
func (n *news) Invalidate() { n.lines = nil }
