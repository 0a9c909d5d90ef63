//go:build unix

package interactive_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// desk is the user interface in this process, on a terminal of the test's, with
// extensions that are values of the test.
type desk struct {
	t       *testing.T
	tty     *watchedTty
	llm     *faux.Provider
	runtime *codingagent.Runtime
	home    string
	ended   chan error
}

// watchedTty tells when something was written.
type watchedTty struct {
	*tuitest.Tty
	mu   sync.Mutex
	cond *sync.Cond
	raw  strings.Builder // all that was written
}

// Write is for the program under test.
func (w *watchedTty) Write(b []byte) (int, error) {
	n, err := w.Tty.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.raw.Write(b)
	w.cond.Broadcast()
	return n, err
}

// sit starts the user interface.
func sit(t *testing.T, width, height int, extensions ...extension.Extension) *desk {
	t.Helper()
	return sitWith(t, width, height, func(*settings.Settings) {}, extensions...)
}

// sitWith is sit with other settings.
func sitWith(t *testing.T, width, height int, change func(*settings.Settings), extensions ...extension.Extension) *desk {
	t.Helper()
	return sitAs(t, width, height, func(c *interactive.Config, o *codingagent.Options) {
		change(&c.Settings)
		o.Extensions = extensions
	})
}

// sitAs is sit with another configuration of the screen, from which the settings of the
// session are taken, too, and of the session.
func sitAs(t *testing.T, width, height int, change func(c *interactive.Config, o *codingagent.Options)) *desk {
	t.Helper()
	d := &desk{t: t, tty: &watchedTty{Tty: tuitest.NewTty(width, height)}, llm: faux.New(faux.Config{}), home: t.TempDir(), ended: make(chan error, 1)}
	d.tty.cond = sync.NewCond(&d.tty.mu)
	dir := filepath.Join(d.home, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	faults := new(interactive.Faults)
	set := settings.Defaults()
	set.Terminal.Theme = "dark"
	vars := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}
	getenv := func(k string) string { return vars[k] }
	config := interactive.Config{
		Dir: dir, Home: d.home, AgentDir: filepath.Join(d.home, "agent"), Version: "1", Settings: set, Getenv: getenv, Faults: faults,
		Open: func(o term.Options) (*term.Terminal, error) {
			o.Tty, o.Getenv = d.tty, getenv
			return term.Open(o)
		},
	}
	options := codingagent.Options{Dir: dir, Home: d.home, Models: ai.NewModels(d.llm), Model: d.llm.Model(), OnFault: faults.Report}
	change(&config, &options)
	options.Settings = &config.Settings
	var err error
	d.runtime, err = codingagent.NewRuntime(t.Context(), options, session.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	env, err := execenv.Local(dir, execenv.LocalOptions{Home: d.home})
	if err != nil {
		t.Fatal(err)
	}
	config.Runtime, config.Env = d.runtime, env
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		d.ended <- interactive.Run(ctx, config)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-d.ended:
		case <-time.After(waitTime):
			t.Error("the user interface did not end")
		}
		if err := d.runtime.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d
}

// until waits until the screen is as it should be.
func (d *desk) until(what string, ok func(screen string) bool) string {
	d.t.Helper()
	late := false
	timer := time.AfterFunc(waitTime, func() {
		d.tty.mu.Lock()
		defer d.tty.mu.Unlock()
		late = true
		d.tty.cond.Broadcast()
	})
	defer timer.Stop()
	d.tty.mu.Lock()
	defer d.tty.mu.Unlock()
	for {
		frame := false
		d.tty.With(func(t *tuitest.Terminal) { frame = t.Mode(2026) })
		s := strings.Join(d.tty.Screen(), "\n")
		if !frame && ok(s) {
			return s
		}
		if late {
			d.t.Fatalf("never true: %s. The screen:\n%s", what, s)
		}
		d.tty.cond.Wait()
	}
}

func (d *desk) wait(texts ...string) string {
	d.t.Helper()
	return d.until(fmt.Sprintf("the screen shows %q", texts), func(s string) bool {
		joined := strings.Join(strings.Fields(s), " ") // wherever it was wrapped
		for _, t := range texts {
			if !strings.Contains(s, t) && !strings.Contains(joined, t) {
				return false
			}
		}
		return true
	})
}

// resized makes the terminal wider, or as it was, and waits until the screen is drawn
// anew and has all of some texts.
func (d *desk) resized(width, height int, texts ...string) {
	d.t.Helper()
	d.tty.Resize(width, height)
	d.until(fmt.Sprintf("the screen is drawn %d wide and shows %q", width, texts), func(s string) bool {
		return slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool {
			return strings.HasSuffix(line, "──") && len([]rune(line)) == width
		}) && !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(s, t) })
	})
}

func (d *desk) gone(text string) string {
	d.t.Helper()
	return d.until(fmt.Sprintf("%q is gone", text), func(s string) bool { return !strings.Contains(s, text) })
}

func (d *desk) keys(keys ...string) {
	for _, k := range keys {
		d.tty.Type(k)
	}
}

// golden compares the screen with a file.
func (d *desk) golden(name string) {
	d.t.Helper()
	got := d.until("a frame is whole", func(string) bool { return true })
	got = elapsed.ReplaceAllString(got, "*")
	got = strings.TrimRight(got, "\n") + "\n"
	path := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		d.t.Errorf("the screen differs from %s (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

// within makes an extension of a function.
func within(setup func(api *extension.API)) extension.Extension {
	return extension.Extension{Name: "test", Setup: func(_ context.Context, api *extension.API) error {
		setup(api)
		return nil
	}}
}

// command registers a command, and has the test fail if it can not.
func command(t *testing.T, api *extension.API, name string, run func(ctx context.Context, x *extension.CommandContext, args string) error) {
	t.Helper()
	if err := api.RegisterCommand(name, extension.Command{Description: "does " + name, Run: run}); err != nil {
		t.Error(err)
	}
}
