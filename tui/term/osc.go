package term

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/pi-go/pi/tui/text"
)

// oneLine makes text fit for a control string.
func oneLine(s string) string {
	return strings.Join(strings.Fields(text.Sanitize(s)), " ")
}

// Title returns the sequence that sets the window's title.
func Title(title string) string { return "\x1b]2;" + oneLine(title) + "\x1b\\" }

// Copy returns the sequence that puts text on the clipboard (OSC 52), also over
// SSH. Terminals may refuse it, and do not say so.
func Copy(s string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(s)) + "\x1b\\"
}

// Link returns text as a link to an address (OSC 8). The address must not hold
// control characters; if it does, the text alone is returned.
func Link(s, url string) string {
	for i := range len(url) {
		if url[i] < 0x20 || url[i] >= 0x7f {
			return s
		}
	}
	if url == "" || s == "" {
		return s
	}
	return "\x1b]8;;" + url + "\x1b\\" + s + "\x1b]8;;\x1b\\"
}

// ProgressState is what the terminal shows beside its title or in its task bar.
type ProgressState uint8

// The states of progress, as ConEmu defined them and others took them over.
const (
	ProgressNone ProgressState = iota
	ProgressValue
	ProgressError
	ProgressBusy
	ProgressPaused
)

// Progress returns the sequence that shows progress; percent counts for
// [ProgressValue], [ProgressError] and [ProgressPaused]. [Terminal.SetProgress] also
// takes it away at the end.
func Progress(state ProgressState, percent int) string {
	if state == ProgressNone || state == ProgressBusy {
		return "\x1b]9;4;" + strconv.Itoa(int(state)) + "\x1b\\"
	}
	return "\x1b]9;4;" + strconv.Itoa(int(state)) + ";" + strconv.Itoa(min(max(percent, 0), 100)) + "\x1b\\"
}

// Notify returns the sequence that shows a desktop notification, in the form
// that the terminal understands; "" if the terminal is not known to have any.
func Notify(f Facts, title, body string) string {
	title, body = oneLine(title), oneLine(body)
	switch {
	case f.Multiplexer != "":
		return "\a"
	case f.Program == "kitty" || f.Program == "ghostty":
		return "\x1b]99;i=1:d=0;" + title + "\x1b\\" + "\x1b]99;i=1:d=1:p=body;" + body + "\x1b\\"
	case f.Program == "iterm.app" || f.Program == "windows-terminal":
		// "4;" and the like at the beginning are commands of ConEmu's.
		return "\x1b]9;" + strings.ReplaceAll(title+": "+body, ";", ",") + "\x1b\\"
	case f.Program == "wezterm":
		return "\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + body + "\x1b\\"
	}
	return "\a"
}
