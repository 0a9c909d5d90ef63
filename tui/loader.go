package tui

import (
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/tui/text"
)

// Loader shows that something is going on: a character that moves, and a message.
type Loader struct {
	// Frames are the pictures the character goes through; empty ones hide it.
	Frames   []string
	Interval time.Duration
	Style    text.Style
	// MessageStyle is for the message.
	MessageStyle text.Style

	message string
	p       *Program
	at      int
	stop    func()
}

// LoaderFrames are the usual pictures of a [Loader].
func LoaderFrames() []string {
	return []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
}

// NewLoader returns a loader that does not move until Start.
func NewLoader(p *Program, message string) *Loader {
	return &Loader{Frames: LoaderFrames(), Interval: 80 * time.Millisecond, message: message, p: p}
}

// Start makes the loader move. A loader that moves costs a few frames a second,
// so it must be stopped when it is no longer shown.
func (l *Loader) Start() {
	if l.stop == nil && len(l.Frames) > 1 && l.Interval > 0 {
		l.stop = l.p.Every(l.Interval, func() { l.at++ })
	}
}

// Stop makes it stand still.
func (l *Loader) Stop() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

// SetMessage changes the message.
func (l *Loader) SetMessage(s string) { l.message = s }

// Render returns one line.
func (l *Loader) Render(width int) []string {
	s := l.MessageStyle.Render(oneLine(l.message))
	if len(l.Frames) > 0 {
		s = l.Style.Render(l.Frames[l.at%len(l.Frames)]) + " " + s
	}
	return []string{text.Truncate(s, width, "…")}
}

// ProgressBar shows how much of something is done.
type ProgressBar struct {
	// Done and Total say how much; a Total of 0 or less shows an empty bar.
	Done, Total int64
	// Label stands before the bar, and the percentage after it.
	Label       string
	Style, Rest text.Style
}

// Render returns one line.
func (b *ProgressBar) Render(width int) []string {
	part := 0.0
	if b.Total > 0 {
		part = min(max(float64(b.Done)/float64(b.Total), 0), 1)
	}
	label := b.Label
	if label != "" {
		label = text.Truncate(oneLine(label), max(width/2, 1), "…") + " "
	}
	percent := " " + text.Pad("", max(0, 3-len(strconv.Itoa(int(part*100))))) + strconv.Itoa(int(part*100)) + "%"
	room := width - text.Width(label) - len(percent)
	if room < 3 {
		return []string{text.Truncate(label+strings.TrimLeft(percent, " "), width, "")}
	}
	// Eighths of a cell make small steps visible.
	eighths := int(part * float64(room) * 8)
	full := eighths / 8
	bar := strings.Repeat("█", full)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
		full++
	}
	return []string{label + b.Style.Render(bar) + b.Rest.Render(strings.Repeat("░", room-full)) + percent}
}
