package guest

import (
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui/input"
)

// KeyOf gives an event as extensions see it; ok is false for what they do not
// see, such as the mouse.
func KeyOf(ev input.Event) (k extension.Key, ok bool) {
	switch ev := ev.(type) {
	case input.Key:
		return extension.Key{ID: ev.ID.String(), Text: ev.Text, Released: ev.Action == input.Release}, true
	case input.Paste:
		return extension.Key{Text: ev.Text}, true
	}
	return extension.Key{}, false
}
