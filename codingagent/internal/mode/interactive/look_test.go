package interactive

import (
	"testing"

	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui/term"
)

// How images are shown is what the terminal says, unless somebody knows better: the
// settings before the variable.
func TestWayOfImages(t *testing.T) {
	for _, tc := range []struct {
		set  string
		show bool
		env  string
		want term.Images
	}{
		{"auto", true, "", term.KittyImages},
		{"auto", false, "", term.NoImages},
		{"false", true, "", term.NoImages},
		{"iterm2", true, "", term.ITermImages},
		{"iterm2", true, "kitty", term.ITermImages},
		{"kitty", false, "kitty", term.NoImages},
		{"auto", true, "iterm2", term.ITermImages},
		{"auto", true, "none", term.NoImages},
	} {
		set := settings.Defaults().Terminal
		set.Images, set.ShowImages = tc.set, tc.show
		got := imagesOf(term.Capabilities{Images: term.KittyImages}, set, func(string) string { return tc.env })
		if got != tc.want {
			t.Errorf("images %s, shown %v, variable %q: %v, want %v", tc.set, tc.show, tc.env, got, tc.want)
		}
	}
}
