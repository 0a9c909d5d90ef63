package interactive

import (
	"slices"
	"testing"

	"github.com/pi-go/pi/ai"
)

func TestDroppedImages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, pasted string
		want         []string
	}{
		{"plain", "/tmp/a.png", []string{"/tmp/a.png"}},
		{"a blank behind it, as kitty writes", "/tmp/a.png ", []string{"/tmp/a.png"}},
		{"escaped blanks", `/tmp/my\ shot\ (1\).PNG`, []string{"/tmp/my shot (1).PNG"}},
		{"quoted", `'/tmp/my shot.jpeg'`, []string{"/tmp/my shot.jpeg"}},
		{"double quotes", `"/tmp/my shot.webp"`, []string{"/tmp/my shot.webp"}},
		{"bare blanks", "/tmp/my shot.gif", []string{"/tmp/my shot.gif"}},
		{"URL", "file:///tmp/my%20shot.bmp", []string{"/tmp/my shot.bmp"}},
		{"several", "/tmp/a.png '/tmp/b c.jpg'\nfile://localhost/tmp/d.gif", []string{"/tmp/a.png", "/tmp/b c.jpg", "/tmp/d.gif"}},
		{"home", "~/a.png", []string{"/home/ada/a.png"}},
		{"no image", "/tmp/a.txt", nil},
		{"one of two is none", "/tmp/a.png /tmp/b.txt", nil},
		{"relative", "a.png", nil},
		{"prose", "look at /tmp/a.png", nil},
		{"another host", "file://elsewhere/tmp/a.png", nil},
		{"a web page", "https://example.com/a.png", nil},
		{"two lines, the second open", "/tmp/a\n.png", nil},
		{"nothing", "  ", nil},
	} {
		if got := droppedImages(tc.pasted, "/home/ada", false); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q gives %q, want %q", tc.name, tc.pasted, got, tc.want)
		}
	}
}

func FuzzDroppedImages(f *testing.F) {
	f.Add(`'/a b.png' /c\ d.gif file:///x%zz.png`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range droppedImages(s, "/home/ada", false) {
			if p == "" || p[0] != '/' {
				t.Errorf("%q gives %q", s, p)
			}
		}
	})
}

func TestMarkersStandForImages(t *testing.T) {
	t.Parallel()
	var a attachments
	one, two := &ai.Image{Data: "1"}, &ai.Image{Data: "2"}
	first, second := a.add(one, ""), a.add(two, "/x/[weird]\nname.png")
	if first != "[image #1]" || second != "[image #2 _weird_ name.png]" {
		t.Fatalf("markers %q, %q", first, second)
	}
	got := a.images("see " + second + " and " + first + " and " + second + " [image #9]")
	if len(got) != 2 || got[0] != two || got[1] != one {
		t.Errorf("images %v", got)
	}
	if got := a.images("see [image #1"); len(got) != 0 {
		t.Errorf("half a marker stands for %v", got)
	}
	if m := a.before("x " + first); m != first {
		t.Errorf("before the cursor is %q", m)
	}
	a.reserve("[image #7 old.png]")
	if m := a.add(one, ""); m != "[image #8]" {
		t.Errorf("a number was given again: %s", m)
	}
}
