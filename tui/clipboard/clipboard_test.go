package clipboard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, goos  string
		env, have   string // separated by blanks
		fails, want string
		err         string
	}{
		{"macOS", "darwin", "", "pbcopy", "", "pbcopy", ""},
		{"Windows", "windows", "", "clip.exe", "", "clip.exe", ""},
		{"Wayland", "linux", "WAYLAND_DISPLAY DISPLAY", "wl-copy xclip", "", "wl-copy", ""},
		{"X11", "linux", "DISPLAY", "wl-copy xsel", "", "xsel --clipboard --input", ""},
		{"the first one fails", "linux", "WAYLAND_DISPLAY DISPLAY", "wl-copy xclip", "wl-copy", "wl-copy, xclip -selection clipboard", ""},
		{"WSL", "linux", "WSL_DISTRO_NAME", "clip.exe", "", "clip.exe", ""},
		{"no desktop", "linux", "", "xclip", "", "", "no clipboard program"},
		{"not installed", "linux", "DISPLAY", "", "", "", "no clipboard program"},
		{"all fail", "linux", "DISPLAY", "xclip", "xclip", "xclip -selection clipboard", "copy with xclip: broken"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var ran []string
			has := func(list, s string) bool { return strings.Contains(" "+list+" ", " "+s+" ") }
			err := Write(t.Context(), Options{
				GOOS:   tc.goos,
				Getenv: func(k string) string { return map[bool]string{true: "1"}[has(tc.env, k)] },
				LookPath: func(s string) (string, error) {
					if has(tc.have, s) {
						return s, nil
					}
					return "", errors.New("not found")
				},
				Run: func(_ context.Context, name string, args []string, input string) error {
					ran = append(ran, strings.Join(append([]string{name}, args...), " "))
					if input != "text" {
						t.Errorf("input %q", input)
					}
					if has(tc.fails, name) {
						return errors.New("broken")
					}
					return nil
				},
			}, "text")
			if diff := cmp.Diff(tc.want, strings.Join(ran, ", ")); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if got := ""; err != nil {
				if got = err.Error(); got != tc.err {
					t.Errorf("error %q, want %q", got, tc.err)
				}
			} else if tc.err != "" {
				t.Errorf("no error, want %q", tc.err)
			}
		})
	}
}
