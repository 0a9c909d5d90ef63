package clipboard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG data"
	for _, tc := range []struct {
		name, goos string
		env, have  string            // separated by blanks
		prints     map[string]string // by the command
		image      bool
		want       string
		err        error
	}{
		{"Wayland", "linux", "WAYLAND_DISPLAY", "wl-paste", map[string]string{
			"wl-paste --list-types": "text/html\nimage/jpeg\nimage/png\n", "wl-paste --no-newline --type image/png": png,
		}, true, png, nil},
		{"only a JPEG, on X11", "linux", "DISPLAY WAYLAND_DISPLAY", "xclip", map[string]string{
			"xclip -selection clipboard -out -target TARGETS": "TARGETS\nimage/jpeg\n", "xclip -selection clipboard -out -target image/jpeg": "jpeg",
		}, true, "jpeg", nil},
		{"text, but no image", "linux", "DISPLAY", "xclip", map[string]string{
			"xclip -selection clipboard -out -target TARGETS": "UTF8_STRING\n",
		}, true, "", ErrEmpty},
		{"nothing installed", "linux", "DISPLAY WAYLAND_DISPLAY", "", nil, true, "", ErrNone},
		{"no desktop", "linux", "", "xclip", nil, true, "", ErrNone},
		{"macOS without pngpaste", "darwin", "", "osascript", map[string]string{
			"osascript -e get the clipboard as «class PNGf»": "«data PNGf89504e4720»\n",
		}, true, "\x89PNG ", nil},
		{"WSL", "linux", "WSL_DISTRO_NAME", "powershell.exe", map[string]string{
			"powershell.exe -NoProfile -STA -Command " + powershellImage: "aW1n\r\n",
		}, true, "img", nil},
		{"WSL, no image", "linux", "WSL_DISTRO_NAME", "powershell.exe", map[string]string{
			"powershell.exe -NoProfile -STA -Command " + powershellImage: "\r\n",
		}, true, "", ErrEmpty},
		{"text", "linux", "WAYLAND_DISPLAY", "wl-paste", map[string]string{"wl-paste --no-newline --type text": "hello"}, false, "hello", nil},
		{"text of macOS", "darwin", "", "pbpaste", map[string]string{"pbpaste": "hello"}, false, "hello", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			has := func(list, s string) bool { return strings.Contains(" "+list+" ", " "+s+" ") }
			o := Options{
				GOOS:   tc.goos,
				Getenv: func(k string) string { return map[bool]string{true: "1"}[has(tc.env, k)] },
				LookPath: func(s string) (string, error) {
					if has(tc.have, s) {
						return s, nil
					}
					return "", errors.New("not found")
				},
				Output: func(_ context.Context, name string, args []string) ([]byte, error) {
					s, ok := tc.prints[strings.Join(append([]string{name}, args...), " ")]
					if !ok {
						return nil, errors.New("exit status 1")
					}
					return []byte(s), nil
				},
			}
			var got []byte
			var err error
			if tc.image {
				got, err = ReadImage(t.Context(), o)
			} else {
				var s string
				s, err = ReadText(t.Context(), o)
				got = []byte(s)
			}
			if string(got) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tc.want, tc.err)
			}
		})
	}
}

// Programs for the clipboard leave others behind that keep what they were given
// open; those are not waited for.
func TestWhatIsLeftBehindIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	file := filepath.Join(t.TempDir(), "stay")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// It stays until the end of the test, when the file goes.
	script := "exec 3<&0; while [ -e '" + file + "' ]; do sleep 0.1; done <&3 & exit 3"
	if err := run(t.Context(), sh, []string{"-c", script}, strings.Repeat("x", 1<<20)); err == nil {
		t.Error("the exit code of the one that writes is not told")
	}
	if _, err := output(t.Context(), sh, []string{"-c", script}); err == nil {
		t.Error("the exit code of the one that reads is not told")
	}
}
