package vttest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/render"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// The ten most telling of forty programs run in a real terminal multiplexer,
// through a real pty. What tmux shows must be what our own terminal shows.
func TestProgramsInTmux(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: programs are not run in it")
	}
	const width, height = 70, 16
	shapes := newShape(t)
	var inline, full []tmuxProgram
	for seed := range uint64(20) {
		in := &inlineProgram{rand: rand.New(rand.NewPCG(seed, 3)), width: width, height: height, shape: shapes, fixedSize: true}
		if err := in.run(render.Options{}); err != nil {
			t.Fatal(err)
		}
		inline = append(inline, tmuxProgram{fmt.Sprintf("inline%d", seed), in.log, in.own})
		fu := &fullProgram{rand: rand.New(rand.NewPCG(seed, 4)), width: width, height: height, shape: shapes, fixedSize: true}
		if err := fu.run(render.Options{}); err != nil {
			t.Fatal(err)
		}
		full = append(full, tmuxProgram{fmt.Sprintf("full%d", seed), fu.log, fu.own})
	}
	for _, p := range append(mostTelling(inline, 5), mostTelling(full, 5)...) {
		compareInTmux(t, p.name, width, height, p.log, p.own)
	}
}

// tmuxProgram is what a program wrote, and our own terminal that shows it.
type tmuxProgram struct {
	name string
	log  []byte
	own  *tuitest.Terminal
}

var control = regexp.MustCompile(`\x1b\[[?>]?[0-9;]*[ $]?([A-Za-ln-z@` + "`" + `])`)

// mostTelling picks programs that move, erase and scroll in as many ways and as
// often as can be: those that have the rarest sequences most.
func mostTelling(all []tmuxProgram, n int) []tmuxProgram {
	counts := make([]map[string]int, len(all))
	total := map[string]int{}
	for i, p := range all {
		counts[i] = map[string]int{}
		for _, m := range control.FindAllSubmatch(p.log, -1) {
			counts[i][string(m[1])]++
			total[string(m[1])]++
		}
	}
	score := make(map[string]float64, len(all))
	for i, p := range all {
		for kind, k := range counts[i] {
			score[p.name] += float64(k) / float64(total[kind])
		}
	}
	slices.SortStableFunc(all, func(a, b tmuxProgram) int { return cmp.Compare(score[b.name], score[a.name]) })
	return all[:n]
}

// unsure are clusters that old versions of tmux draw in another width than
// other terminals; rows with them are not compared.
const unsure = "\ufe0f\u200d\u20e3🇯"

func compareInTmux(t *testing.T, name string, width, height int, log []byte, own *tuitest.Terminal) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "bytes")
	// Rows hold what tmux draws differently; those are left out from the start.
	if err := os.WriteFile(file, log, 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "tmux")
	tmux := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TMUX=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	script := fmt.Sprintf("stty raw -echo; cat %q; printf '\\033]2;all-drawn\\033\\\\'; sleep 60", file)
	if out, err := tmux("new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), script, ";", "set", "status", "off"); err != nil {
		t.Skipf("tmux does not start here: %v: %s", err, out)
	}
	defer func() { _, _ = tmux("kill-server") }()
	deadline := time.Now().Add(15 * time.Second)
	for {
		if out, _ := tmux("display", "-p", "#{pane_title} #{pane_height}"); strings.HasPrefix(out, "all-drawn") {
			if !strings.Contains(out, fmt.Sprint(height)) {
				t.Skipf("tmux gives the pane another height: %s", out)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: tmux has not drawn everything in time", name)
		}
		<-time.After(20 * time.Millisecond) // the state of another process: it can only be asked for
	}
	what, want := []string{"capture-pane", "-p"}, own.Screen()
	if !own.AltScreen() {
		what, want = append(what, "-S", "-"), append(own.Scrollback(), own.Screen()...)
	}
	out, err := tmux(what...)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for i := range want {
		if strings.ContainsAny(want[i], unsure) || markAtTheEnd(want[i], width) {
			want[i] = "(not compared)"
			if i < len(got) {
				got[i] = want[i]
			}
		} else if i < len(got) {
			got[i] = strings.TrimRight(got[i], " ")
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s: tmux shows something else than our own terminal (-ours +tmux):\n%s", name, diff)
	}
}

// markAtTheEnd reports whether a combining mark is in the last column. Without
// wrapping, tmux puts it on the character before.
func markAtTheEnd(line string, width int) bool {
	r, _ := utf8.DecodeLastRuneInString(line)
	return unicode.Is(unicode.Mn, r) && text.Width(line) == width
}
