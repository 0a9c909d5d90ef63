package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/tui"
)

func TestOverlaysArePlaced(t *testing.T) {
	t.Parallel()
	const width, height = 40, 12
	for name, tc := range map[string]struct {
		opts  tui.OverlayOptions
		lines int
		want  tui.Rect
	}{
		"in the middle":               {tui.OverlayOptions{Width: tui.Cells(10)}, 2, tui.Rect{X: 15, Y: 5, Width: 10, Height: 2}},
		"as wide as there is room":    {tui.OverlayOptions{}, 2, tui.Rect{X: 0, Y: 5, Width: 40, Height: 2}},
		"a percentage":                {tui.OverlayOptions{Width: tui.Percent(50)}, 2, tui.Rect{X: 10, Y: 5, Width: 20, Height: 2}},
		"the least it may be":         {tui.OverlayOptions{Width: tui.Percent(5), MinWidth: tui.Cells(12)}, 2, tui.Rect{X: 14, Y: 5, Width: 12, Height: 2}},
		"no wider than the terminal":  {tui.OverlayOptions{Width: tui.Cells(90)}, 2, tui.Rect{X: 0, Y: 5, Width: 40, Height: 2}},
		"cut at a height":             {tui.OverlayOptions{Width: tui.Cells(10), MaxHeight: tui.Cells(3)}, 9, tui.Rect{X: 15, Y: 4, Width: 10, Height: 3}},
		"cut at a part of the height": {tui.OverlayOptions{Width: tui.Cells(10), MaxHeight: tui.Percent(50)}, 9, tui.Rect{X: 15, Y: 3, Width: 10, Height: 6}},
		"no higher than the terminal": {tui.OverlayOptions{Width: tui.Cells(10)}, 50, tui.Rect{X: 15, Y: 0, Width: 10, Height: 12}},
		"top left":                    {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorTopLeft}, 2, tui.Rect{X: 0, Y: 0, Width: 10, Height: 2}},
		"top":                         {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorTop}, 2, tui.Rect{X: 15, Y: 0, Width: 10, Height: 2}},
		"top right":                   {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorTopRight}, 2, tui.Rect{X: 30, Y: 0, Width: 10, Height: 2}},
		"left":                        {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorLeft}, 2, tui.Rect{X: 0, Y: 5, Width: 10, Height: 2}},
		"right":                       {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorRight}, 2, tui.Rect{X: 30, Y: 5, Width: 10, Height: 2}},
		"bottom left":                 {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorBottomLeft}, 2, tui.Rect{X: 0, Y: 10, Width: 10, Height: 2}},
		"bottom":                      {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorBottom}, 2, tui.Rect{X: 15, Y: 10, Width: 10, Height: 2}},
		"bottom right, with a margin": {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorBottomRight, Margin: 1}, 2, tui.Rect{X: 29, Y: 9, Width: 10, Height: 2}},
		"moved off its anchor":        {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorTopLeft, OffsetX: 3, OffsetY: 2}, 2, tui.Rect{X: 3, Y: 2, Width: 10, Height: 2}},
		"not off the terminal":        {tui.OverlayOptions{Width: tui.Cells(10), Anchor: tui.AnchorBottomRight, OffsetX: 9, OffsetY: 9}, 2, tui.Rect{X: 30, Y: 10, Width: 10, Height: 2}},
		"absolute":                    {tui.OverlayOptions{Width: tui.Cells(10), Row: tui.Cells(4), Col: tui.Cells(7)}, 2, tui.Rect{X: 7, Y: 4, Width: 10, Height: 2}},
		"absolute, in percent":        {tui.OverlayOptions{Width: tui.Cells(10), Row: tui.Percent(100), Col: tui.Percent(50)}, 2, tui.Rect{X: 15, Y: 10, Width: 10, Height: 2}},
		"too small a terminal":        {tui.OverlayOptions{Width: tui.Cells(10), Visible: func(w, h int) bool { return w >= 100 }}, 2, tui.Rect{}},
		"large enough a one":          {tui.OverlayOptions{Width: tui.Cells(10), Visible: func(w, h int) bool { return w == 40 && h == 12 }}, 2, tui.Rect{X: 15, Y: 5, Width: 10, Height: 2}},
	} {
		for _, full := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, full screen %v", name, full), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := run(t, width, height, tui.Options{}, full, func(p *tui.Program) { p.Transcript.Append(numbered(30)) })
					var o *tui.Overlay
					r.do(func() {
						lines := make(tui.Lines, tc.lines)
						for i := range lines {
							lines[i] = "####"
						}
						o = r.ShowOverlay(lines, tc.opts)
					})
					if diff := cmp.Diff(tc.want, o.Bounds()); diff != "" {
						t.Errorf("bounds (-want +got):\n%s", diff)
					}
					for y, row := range r.tty.Screen() {
						at := strings.Index(row, "####")
						inside := y >= tc.want.Y && y < tc.want.Y+tc.want.Height
						if inside != (at >= 0) || inside && at != tc.want.X {
							t.Errorf("row %d is %q", y, row)
						}
					}
					if err := r.finish(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// The focus goes back through all that had it, also when one in between goes
// first.
func TestTheFocusOfOverlaysIsAStack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		boxes := []*echo{{}, {}, {}, {}}
		r := run(t, 30, 10, tui.Options{}, true, func(p *tui.Program) {
			p.Bottom.Add(boxes[0])
			p.SetFocus(boxes[0])
		})
		var overlays []*tui.Overlay
		for i, b := range boxes[1:] {
			r.do(func() {
				overlays = append(overlays, r.ShowOverlay(b, tui.OverlayOptions{Width: tui.Cells(6), Row: tui.Cells(i), Col: tui.Cells(0), NonCapturing: i == 2}))
			})
		}
		focus := func(want int) {
			t.Helper()
			r.tty.Type("x")
			r.settle()
			for i, b := range boxes {
				if got := b.text == "x"; got != (i == want) || b.focused != got {
					t.Errorf("box %d has the text %q and the focus %v, want it in %d", i, b.text, b.focused, want)
				}
				b.text = ""
			}
		}
		focus(2) // the third takes no focus
		r.do(overlays[0].Hide)
		focus(2)
		r.do(overlays[1].Hide)
		focus(0)
		r.do(overlays[2].Hide)
		focus(0)
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

// An overlay that nobody can see gets no keys; it has them again when it is seen.
func TestAnOverlayThatIsNotSeenHasNoFocus(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			under, over := &echo{}, &echo{}
			r := run(t, 40, 10, tui.Options{}, full, func(p *tui.Program) {
				p.Bottom.Add(under)
				p.SetFocus(under)
				p.ShowOverlay(over, tui.OverlayOptions{Visible: func(w, h int) bool { return w >= 30 }})
			})
			for _, step := range []struct {
				width int
				want  string
			}{{40, "over"}, {20, "under"}, {35, "over"}} {
				r.tty.Resize(step.width, 10)
				r.settle()
				r.tty.Type("x")
				r.settle()
				got := map[bool]string{true: "over", false: "under"}[over.text == "x"]
				if got != step.want || over.text+under.text != "x" || over.focused != (got == "over") || under.focused != (got == "under") {
					t.Errorf("at %d columns: over %q %v, under %q %v", step.width, over.text, over.focused, under.text, under.focused)
				}
				over.text, under.text = "", ""
			}
			if err := r.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSizesAndAnchorsAreParsed(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]tui.Size{"40": tui.Cells(40), "50%": tui.Percent(50), "12.5%": tui.Percent(12.5), "-1": tui.Cells(-1)} {
		if got, err := tui.ParseSize(s); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "wide", "-5%", "40px"} {
		if _, err := tui.ParseSize(s); err == nil || !strings.Contains(err.Error(), "use a number of cells") {
			t.Errorf("ParseSize(%q): %v", s, err)
		}
	}
	for s, want := range map[string]tui.Anchor{
		"": tui.AnchorCenter, "center": tui.AnchorCenter, "top-center": tui.AnchorTop, "bottom-right": tui.AnchorBottomRight, "left": tui.AnchorLeft,
		"right-center": tui.AnchorRight, "top-left": tui.AnchorTopLeft, "top-right": tui.AnchorTopRight, "bottom-left": tui.AnchorBottomLeft, "bottom": tui.AnchorBottom,
	} {
		if got, err := tui.ParseAnchor(s); err != nil || got != want {
			t.Errorf("ParseAnchor(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := tui.ParseAnchor("middle"); err == nil {
		t.Error("middle is taken as an anchor")
	}
}
