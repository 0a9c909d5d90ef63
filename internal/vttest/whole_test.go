package vttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// bothTty is a device with two terminals: our own, which answers and whose size
// counts, and the oracle.
type bothTty struct {
	*tuitest.Tty
	oracle *Oracle
}

// Write is for the program under test.
func (t *bothTty) Write(b []byte) (n int, err error) {
	// The program writes from one goroutine at a time; the lock is for those who
	// look while it runs.
	t.With(func(*tuitest.Terminal) { _, _ = t.oracle.Write(t.inBounds(b)) })
	return t.Tty.Write(b)
}

var scrollRegion = regexp.MustCompile(`\x1b\[(\d+);(\d+)r`)

// inBounds cuts scroll regions at the end of the screen, as terminals do: a frame
// can be on its way while the size changes. The oracle's emulator would fail.
func (t *bothTty) inBounds(b []byte) []byte {
	height := t.oracle.emu.Height()
	return scrollRegion.ReplaceAllFunc(b, func(seq []byte) []byte {
		var top, bottom int
		if _, err := fmt.Sscanf(string(seq), "\x1b[%d;%dr", &top, &bottom); err != nil || bottom <= height {
			return seq
		}
		if top >= height {
			return nil
		}
		return fmt.Appendf(nil, "\x1b[%d;%dr", top, height)
	})
}

// Resize changes the size of both.
func (t *bothTty) Resize(width, height int) {
	t.With(func(*tuitest.Terminal) { t.oracle.Resize(width, height) })
	t.Tty.Resize(width, height)
}

// content is all that a random program can change, and so all that a program from
// scratch needs to look the same.
type content struct {
	items   []string
	overlay string
	status  string
}

// wholeProgram is a program that shows a content.
type wholeProgram struct {
	*tui.Program
	tty     *bothTty
	end     chan error
	items   []*tui.Item
	editor  *tui.Editor
	status  *tui.Text
	overlay *tui.Overlay
	box     *tui.Text
	resized bool
}

func startWhole(ctx context.Context, width, height int, full bool, c content) (*wholeProgram, error) {
	w := &wholeProgram{
		tty: &bothTty{tuitest.NewTty(width, height), NewOracle(width, height)}, end: make(chan error, 1),
		editor: tui.NewEditor(nil), status: tui.NewText(c.status), box: tui.NewText(""),
	}
	tm, err := term.Open(term.Options{Tty: w.tty, FullScreen: full, Getenv: func(string) string { return "xterm-256color" }})
	if err != nil {
		return nil, err
	}
	w.Program = tui.New(tui.Options{Terminal: tm, ScrollbarThumb: "#", ShowCursor: true, ClearOnShrink: true})
	for _, it := range c.items {
		w.items = append(w.items, w.Transcript.Append(tui.NewText(it)))
	}
	w.Bottom.Add(w.editor, w.status)
	w.SetFocus(w.editor)
	go func() { w.end <- w.Run(ctx) }()
	w.settle()
	if c.overlay != "" {
		w.do(func() { w.show(c.overlay) })
	}
	return w, nil
}

func (w *wholeProgram) show(s string) {
	w.box.SetText(s)
	w.overlay = w.ShowOverlay(&tui.Frame{Child: w.box}, tui.OverlayOptions{Width: tui.Percent(50), NonCapturing: true})
}

// settle lets time pass until nothing is left to draw.
func (w *wholeProgram) settle() {
	time.Sleep(1500 * time.Millisecond) // of the bubble's clock
	synctest.Wait()
}

func (w *wholeProgram) do(f func()) {
	w.Do(f)
	w.settle()
}

func (w *wholeProgram) finish() error {
	w.Quit(nil)
	err := <-w.end
	w.tty.oracle.Close()
	return err
}

func (w *wholeProgram) overflows() (n int) {
	w.tty.With(func(t *tuitest.Terminal) { n = t.Overflows() })
	return n
}

// seen is what both terminals show, with the cursor.
func (w *wholeProgram) seen() (oracle, own []string) {
	w.tty.With(func(t *tuitest.Terminal) {
		cursor, oracleCursor := "no cursor", "no cursor"
		if x, y, visible := t.Cursor(); visible { // one that is hidden may be anywhere
			cursor = fmt.Sprint("cursor ", x, y)
			x, y = w.tty.oracle.Cursor()
			oracleCursor = fmt.Sprint("cursor ", x, y)
		}
		own = slices.Concat(t.StyledScrollback(), []string{"── screen ──"}, t.StyledScreen(), []string{cursor, fmt.Sprintf("unknown %q", t.Unknown())})
		oracle = slices.Concat(w.tty.oracle.Scrollback(), []string{"── screen ──"}, w.tty.oracle.Screen(), []string{oracleCursor})
	})
	return oracle, own
}

// TestWholePrograms changes whole programs at random: items, an editor, keys,
// overlays, the size. Each must end up, on the screen and in the scrollback, like
// one that begins with what it ended with.
func TestWholePrograms(t *testing.T) {
	t.Parallel()
	runPrograms(t, "whole", func(seed uint64) (err error) {
		synctest.Test(t, func(t *testing.T) { err = runWhole(t.Context(), seed) })
		return err
	})
}

func runWhole(ctx context.Context, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 5))
	full := seed%2 == 1
	width, height := 8+r.IntN(40), 5+r.IntN(12)
	var c content
	w, err := startWhole(ctx, width, height, full, c)
	if err != nil {
		return err
	}
	for range 30 {
		w.change(r, &c, &width, &height)
		if r.IntN(2) == 0 {
			time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		}
	}
	w.tty.Type("\x1b[1;5F") // to the end
	w.settle()
	fresh, err := startWhole(ctx, width, height, full, c)
	if err != nil {
		return errors.Join(err, w.finish())
	}
	fresh.do(func() {
		fresh.editor.SetText(w.editor.Text())
		fresh.editor.Buffer().MoveTo(w.editor.Buffer().Cursor())
	})
	fresh.do(fresh.Redraw)
	oracle, own := w.seen()
	wantOracle, wantOwn := fresh.seen()
	// A frame that was on its way when the size changed may be too wide.
	if n := w.overflows(); n > 0 && !w.resized || fresh.overflows() > 0 {
		err = fmt.Errorf("%d and %d characters were written beyond the last column", n, fresh.overflows())
	}
	err = errors.Join(err, w.finish(), fresh.finish())
	if err == nil {
		err = differ("what the oracle shows", oracle, wantOracle)
	}
	if err == nil {
		err = differ("what our own terminal shows", own, wantOwn)
	}
	if err != nil {
		return fmt.Errorf("full screen %v, %dx%d: %w", full, width, height, err)
	}
	return nil
}

func (w *wholeProgram) change(r *rand.Rand, c *content, width, height *int) {
	some := func() string {
		words := make([]string, r.IntN(25))
		for i := range words {
			words[i] = []string{"word", "한국어", "\x1b[1mbold\x1b[0m", "longerthanmost", "\n", "👩\u200d🚀", "x"}[r.IntN(7)]
		}
		return strings.Join(words, " ")
	}
	switch n := r.IntN(100); {
	case n < 30:
		it := some()
		c.items = append(c.items, it)
		w.Do(func() { w.items = append(w.items, w.Transcript.Append(tui.NewText(it))) })
	case n < 50 && len(c.items) > 0:
		i := len(c.items) - 1
		if r.IntN(3) == 0 {
			i = r.IntN(len(c.items))
		}
		c.items[i] += " more"
		it := c.items[i]
		w.Do(func() {
			w.items[i].Component().(*tui.Text).SetText(it)
			w.items[i].Touch()
		})
	case n < 55 && len(c.items) > 0:
		i := r.IntN(len(c.items))
		c.items = slices.Delete(c.items, i, i+1)
		w.Do(func() {
			w.items[i].Remove()
			w.items = slices.Delete(w.items, i, i+1)
		})
	case n < 70:
		w.tty.Type([]string{"a", " typed words ", "\n", "\x7f", "\x17", "한", "\x1b[200~pasted\ntext\x1b[201~", "\x1b[D"}[r.IntN(8)])
		time.Sleep(50 * time.Millisecond)
	case n < 78:
		c.overlay = ""
		w.Do(func() {
			if w.overlay != nil {
				w.overlay.Hide()
				w.overlay = nil
			}
		})
	case n < 86 && c.overlay == "":
		over := "over " + some()
		c.overlay = over
		w.Do(func() { w.show(over) })
	case n < 90:
		status := some()
		c.status = status
		w.Do(func() { w.status.SetText(status) })
	case n < 95:
		*width, *height = 8+r.IntN(40), 5+r.IntN(12)
		w.tty.Resize(*width, *height)
		w.resized = true
	default:
		w.tty.Type("\x1b[5~") // page up
	}
}
