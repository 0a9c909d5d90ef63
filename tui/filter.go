package tui

import (
	"strings"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// maxFilter is how many bytes a paste may make of a filter; nobody reads more.
const maxFilter = 1000

// FilterWithPaste gives what a filter is once a piece of a paste has come: the paste is
// on one line, its control characters are seen, and a filter is not longer than 1,000
// bytes.
func FilterWithPaste(filter string, p input.Paste) string {
	room := maxFilter - len(filter)
	if room <= 0 {
		return filter
	}
	piece := strings.ToValidUTF8(p.Text[:min(len(p.Text), room)], "")
	return filter + strings.Join(strings.Fields(text.Sanitize(piece)), " ")
}
