//go:build unix

package screenshot

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/internal/vttest"
)

const docs = "../../../docs/screenshots"

var update = flag.Bool("update", false, "take the pictures of the documentation anew")

// volatile are parts of a screen that change for reasons that make no picture
// stale: the version, and how many tokens a prompt has.
var volatile = regexp.MustCompile(`\bpi v?\d\S*|\d+(\.\d+)?% of|[↑↓]\d+(\.\d+)?k? *`)

// The pictures in the documentation show what the programs show now.
func TestPicturesOfTheDocumentationAreUpToDate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and runs programs")
	}
	version, err := os.ReadFile("../../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	for name, pkg := range map[string]string{"gallery": "github.com/pi-go/pi/tui/cmd/gallery", "pi": "github.com/pi-go/pi/codingagent/cmd/pi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			build := exec.Command("go", "build", "-ldflags", "-X main.version="+strings.TrimSpace(string(version)), "-o", path, pkg)
			build.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("build %s: %v\n%s", name, err, out)
			}
			text, err := os.ReadFile(filepath.Join(docs, name+".script"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := Parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			shots, err := s.Run(t.Context(), map[string]string{name: path})
			if err != nil {
				t.Fatal(err)
			}
			if len(shots) == 0 {
				t.Error("the script takes no picture")
			}
			for _, shot := range shots {
				if *update {
					if err := shot.Write(docs); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(filepath.Join(docs, shot.Name+".txt"))
				if err != nil {
					t.Fatal(err)
				}
				plain := func(s string) string { return volatile.ReplaceAllString(s, "N") }
				if diff := cmp.Diff(plain(string(want)), plain(shot.Screen.Text())); diff != "" {
					t.Errorf("%s is another one now; make golden takes it anew (-documented +now):\n%s", shot.Name, diff)
				}
				if _, err := os.Stat(filepath.Join(docs, shot.Name+".png")); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// screen draws bytes on a terminal.
func screen(t *testing.T, width, height int, s string) vttest.Snapshot {
	t.Helper()
	o := vttest.NewOracle(width, height)
	defer o.Close()
	if _, err := o.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return o.Snapshot()
}

func TestTheSameScreenGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	s := screen(t, 20, 4, "\x1b[1mbold\x1b[0m \x1b[3;38;5;208mitalic\x1b[0m\r\n한국 ✓ ⠋ 🙂\r\n┌─┐ ▀▄ \x1b[4;9mx\x1b[0m")
	first, err := PNG(s, DarkLook())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		again, err := PNG(s, DarkLook())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Fatal("the bytes differ")
		}
	}
	img, err := png.Decode(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if want := image.Pt(20*cellWidth+2*margin, 4*cellHeight+2*margin); img.Bounds().Size() != want {
		t.Errorf("the picture has the size %v, want %v", img.Bounds().Size(), want)
	}
}

// ink counts the pixels of a cell that are not of a colour.
func ink(img image.Image, x, y int, ground color.Color) (n int) {
	r, g, b, _ := ground.RGBA()
	for py := range cellHeight {
		for px := range cellWidth {
			pr, pg, pb, _ := img.At(margin+x*cellWidth+px, margin+y*cellHeight+py).RGBA()
			if pr != r || pg != g || pb != b {
				n++
			}
		}
	}
	return n
}

func TestEveryKindOfCharacterHasInk(t *testing.T) {
	t.Parallel()
	look := DarkLook()
	const all = cellWidth * cellHeight
	for _, tc := range []struct {
		s         string
		min, max  int
		wide      bool
		secondMin int
	}{
		{s: "a", min: 20, max: 120},
		{s: " ", min: 0, max: 0},
		{s: "\x1b[7m \x1b[0m", min: all, max: all},
		{s: "\x1b[41m \x1b[0m", min: all, max: all},
		{s: "█", min: all, max: all},
		{s: "▀", min: all / 2, max: all / 2},
		{s: "▌", min: all / 2, max: all / 2},
		{s: "▛", min: all * 3 / 4, max: all * 3 / 4},
		{s: "─", min: cellWidth, max: 3 * cellWidth},
		{s: "│", min: cellHeight, max: 3 * cellHeight},
		{s: "┼", min: cellHeight + cellWidth, max: 3 * (cellHeight + cellWidth)},
		{s: "╬", min: 2 * cellHeight, max: all / 2},
		{s: "⣿", min: 8 * 6, max: 8 * 9},
		{s: "⠁", min: 6, max: 9},
		{s: "✓", min: 10, max: 150},
		{s: "한", min: 20, max: all, wide: true, secondMin: 5},
		{s: "🙂", min: 50, max: all, wide: true, secondMin: 50},
	} {
		img, err := Draw(screen(t, 4, 1, "\x1b[?25l"+tc.s), look)
		if err != nil {
			t.Fatal(err)
		}
		if n := ink(img, 0, 0, look.Background); n < tc.min || n > tc.max {
			t.Errorf("%q has %d pixels of ink, want %d to %d", tc.s, n, tc.min, tc.max)
		}
		second := ink(img, 1, 0, look.Background)
		if second < tc.secondMin || !tc.wide && second > 0 {
			t.Errorf("%q has %d pixels of ink in the second cell", tc.s, second)
		}
	}
}

// Lines reach the edges of their cells, where the next one goes on.
func TestLinesJoin(t *testing.T) {
	t.Parallel()
	for r := rune(0x2500); r <= 0x257f; r++ {
		a, ok := arms(r)
		if !ok {
			continue
		}
		m := image.NewAlpha(image.Rect(0, 0, cellWidth, cellHeight))
		if !shape(m, r) {
			t.Fatalf("%c is not drawn", r)
		}
		edge := func(x0, y0, x1, y1 int) bool {
			return !inked(m.SubImage(image.Rect(x0, y0, x1, y1)).(*image.Alpha)).Empty()
		}
		got := [4]bool{edge(0, 0, cellWidth, 1), edge(cellWidth-1, 0, cellWidth, cellHeight), edge(0, cellHeight-1, cellWidth, cellHeight), edge(0, 0, 1, cellHeight)}
		want := [4]bool{a>>6&3 > 0, a>>4&3 > 0, a>>2&3 > 0, a&3 > 0}
		if got != want {
			t.Errorf("%c reaches up, right, down, left: %v, want %v", r, got, want)
		}
	}
	for r, want := range map[rune]byte{'╭': 0x14, '┐': 0x05, '╝': 0xc3, '╋': 0xaa, '╿': 0x84, '┠': 0x98, '╰': 0x50, '═': 0x33} {
		if a, _ := arms(r); a != want {
			t.Errorf("%c has the arms %#x, want %#x", r, a, want)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"size 80":               "line 1: size needs more words",
		"\n# x\nsize 80 nought": "line 3: a size is from 1 to 500",
		"jump":                  `there is no step "jump"`,
		"key hyper+x":           `there is no key "hyper+x"`,
		"look pink":             "dark or light",
		"shot a/b":              "a file's name",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %q", text, err, want)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"wait x":                           "no program was started",
		"start no-such-program-anywhere":   "line 1, start",
		"file ../x y":                      "neither below",
		"start sh -c exit\nwait something": "the program has ended",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	s, err := Parse("size 20 3\nlook light\nfile a.txt one\\ntwo\nfile ~/b.txt three\nenv X=4\nstart cat\ntype hello\nkey enter\nwait hello\nshot cat\n" +
		"start sh -i\ntype clear; cat a.txt ../b.txt; echo ${X}5\nkey enter\nwait 45\nshot sh\n")
	if err != nil {
		t.Fatal(err)
	}
	shots, err := s.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(shots) != 2 || shots[0].Screen.Text() != "hello\nhello\n" || shots[0].Look != LightLook() {
		t.Errorf("the shots are %+v", shots)
	}
}
