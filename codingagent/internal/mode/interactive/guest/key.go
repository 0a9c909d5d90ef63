package guest

import (
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui/input"
)

// MouseOf gives an event of the mouse as extensions see it, over what begins at a cell.
func MouseOf(ev input.Mouse, x, y int) extension.Mouse {
	m := extension.Mouse{
		Action: map[input.MouseAction]extension.MouseAction{
			input.MousePress: extension.MousePress, input.MouseRelease: extension.MouseRelease, input.MouseMove: extension.MouseMove, input.MouseWheel: extension.MouseWheel,
		}[ev.Action],
		Button: map[input.Button]string{
			input.LeftButton: "left", input.MiddleButton: "middle", input.RightButton: "right", input.BackButton: "back", input.ForwardButton: "forward",
			input.WheelUp: "up", input.WheelDown: "down", input.WheelLeft: "left", input.WheelRight: "right",
		}[ev.Button],
		X: ev.X - x, Y: ev.Y - y,
	}
	m.Ctrl, m.Alt, m.Shift = ev.Mods&input.Ctrl != 0, ev.Mods&input.Alt != 0, ev.Mods&input.Shift != 0
	return m
}

// EventOf gives the event of a key that an extension has made up.
func EventOf(k extension.Key) (input.Event, error) {
	if k.ID == "" {
		return input.Paste{Text: k.Text, First: true, Last: true}, nil
	}
	id, err := input.Parse(k.ID)
	if err != nil {
		return nil, err
	}
	ev := input.Key{ID: id, Text: k.Text}
	if k.Released {
		ev.Action = input.Release
	} else if k.Text == "" && id.Mods == 0 && len([]rune(id.Name)) == 1 {
		ev.Text = id.Name
	}
	return ev, nil
}

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
