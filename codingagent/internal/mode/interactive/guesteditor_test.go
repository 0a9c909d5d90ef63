//go:build unix

package interactive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/extension"
)

// modal is an editor with a mode in which letters move the cursor, in a frame of its
// own; what is written stays in the program's editor.
type modal struct {
	own extension.Editor

	mu     sync.Mutex
	normal bool
	clicks string
}

func (m *modal) Render(width int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	mode := "INSERT"
	if m.normal {
		mode = "NORMAL"
	}
	return append(m.own.Lines(width), fmt.Sprintf("[%s %d%s]", mode, len(m.own.Text()), m.clicks))
}

func (m *modal) HandleKey(k extension.Key) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !m.normal && k.ID == "escape":
		m.normal = true
	case !m.normal:
		return false
	case k.ID == "i":
		m.normal = false
	case k.ID == "h":
		if err := m.own.Press("left"); err != nil {
			panic(err)
		}
	case k.ID == "x":
		m.own.SetText("")
	case k.ID == "s":
		m.own.Insert("!")
		m.own.Submit()
	}
	return true
}

func (m *modal) HandleMouse(e extension.Mouse) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clicks += fmt.Sprintf(" %s-%s@%d,%d", e.Action, e.Button, e.X, e.Y)
	return true
}

func TestEditorOfAnExtension(t *testing.T) {
	ready := make(chan extension.Screen, 1)
	d := sit(t, 60, 16, within(func(api *extension.API) {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
			s := x.UI().Screen()
			s.SetEditor(func(_ extension.Surface, own extension.Editor) extension.Component {
				if err := own.Press("no such key"); err == nil {
					t.Error("a key that is none can be pressed")
				}
				return &modal{own: own}
			})
			ready <- s
			return nil
		})
	}))
	d.wait("[INSERT 0]")
	d.keys("ab")
	d.wait("ab", "[INSERT 2]")
	d.keys("\x1b")
	d.wait("[NORMAL 2]")
	d.keys("h", "i", "X")
	d.wait("aXb", "[INSERT 3]")
	d.keys("\x1b")
	d.wait("[NORMAL 3]")
	d.keys("x", "i")
	d.wait("[INSERT 0]")
	d.llm.Queue(faux.Say("an answer"))
	d.keys("hello", "\x1b")
	d.wait("[NORMAL 5]")
	d.keys("s")
	d.wait("hello!", "an answer", "[NORMAL 0]")
	// The mouse is counted from the component's own first cell.
	row := 0
	for i, line := range d.tty.Screen() {
		if strings.Contains(line, "[NORMAL 0]") {
			row = i
		}
	}
	d.tty.Type(fmt.Sprintf("\x1b[<0;3;%dM", row+1))
	d.wait(fmt.Sprintf("press-left@2,%d", 3))
	// What ends the program is not the extension's.
	d.keys("i", "gone")
	d.wait("[INSERT 4")
	d.keys("\x1b")
	d.wait("[NORMAL 4") // where the extension uses every key
	d.keys("\x03")
	d.wait("[NORMAL 0")
	(<-ready).SetEditor(nil)
	d.gone("NORMAL")
	d.keys("ours")
	d.wait("ours")
}

// board is a custom component with a handle.
type board struct {
	mu  sync.Mutex
	got []string
}

func (b *board) Render(int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return []string{"BOARD " + strings.Join(b.got, " ")}
}

func (b *board) HandleKey(k extension.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k.ID == "escape" {
		return false
	}
	b.got = append(b.got, k.ID)
	return true
}

func (b *board) HandleMouse(m extension.Mouse) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, fmt.Sprintf("%s@%d,%d", m.Action, m.X, m.Y))
	return true
}

func TestOverlayHandle(t *testing.T) {
	handles, ends := make(chan extension.Overlay, 1), make(chan error, 1)
	d := sit(t, 60, 20, within(func(api *extension.API) {
		command(t, api, "board", func(ctx context.Context, x *extension.CommandContext, _ string) error {
			_, err := x.UI().Screen().Custom(ctx, func(extension.Surface, func(any)) extension.Component { return &board{} }, extension.CustomOptions{
				Overlay: true, Width: "30", Anchor: "top-left", Margin: -1, OffsetX: 5, OffsetY: 2, NonCapturing: true,
				OnHandle: func(o extension.Overlay) { handles <- o },
			})
			ends <- err
			return nil
		})
	}))
	d.keys("/board", "\r")
	h := <-handles
	d.wait("BOARD")
	d.keys("abc")
	d.wait("abc") // the keys are the editor's
	if h.Focused() || h.Hidden() {
		t.Errorf("focused %v, hidden %v", h.Focused(), h.Hidden())
	}
	if got, want := h.Bounds(), (extension.Rect{X: 5, Y: 2, Width: 30, Height: 1}); got != want {
		t.Errorf("bounds %+v, want %+v", got, want)
	}
	h.Focus()
	d.keys("x")
	d.wait("BOARD x")
	if !h.Focused() {
		t.Error("it has not the keys")
	}
	d.tty.Type("\x1b[<0;8;3M")
	d.wait("BOARD x press@2,0")
	h.SetHidden(true)
	d.gone("BOARD")
	d.keys("d")
	d.wait("abcd")
	h.SetHidden(false)
	d.wait("BOARD x")
	h.Unfocus()
	d.keys("e")
	d.wait("abcde", "BOARD x")
	h.Close()
	d.gone("BOARD")
	if err := <-ends; !errors.Is(err, extension.ErrDismissed) {
		t.Errorf("it ended with %v", err)
	}
	h.Focus() // of what is gone
	d.keys("f")
	d.wait("abcdef")
}
