//go:build unix

package screenshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/internal/vttest"
)

const (
	patience = 30 * time.Second       // with one step
	quiet    = 250 * time.Millisecond // how long a program writes nothing before a picture
)

// Shot is a picture that a script took.
type Shot struct {
	Name   string
	Screen vttest.Snapshot
	Look   Look
}

// Write writes the picture to a directory, as NAME.png and NAME.txt.
func (s Shot) Write(dir string) error {
	picture, err := PNG(s.Screen, s.Look)
	if err != nil {
		return err
	}
	for ext, data := range map[string][]byte{".png": picture, ".txt": []byte(s.Screen.Text())} {
		if err := os.WriteFile(filepath.Join(dir, s.Name+ext), data, 0o644); err != nil {
			return fmt.Errorf("write a screenshot: %w", err)
		}
	}
	return nil
}

// Run does what a script says. Programs are found by the names they have in the
// script; other names are looked for in PATH. Each script has an empty home, whose
// directory "project" is where programs run.
func (s *Script) Run(ctx context.Context, programs map[string]string) (shots []Shot, err error) {
	root, err := os.MkdirTemp("", "shot-")
	if err != nil {
		return nil, fmt.Errorf("run a script: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("run a script: %w", err)
	}
	r := &run{programs: programs, home: filepath.Join(root, "home"), width: 80, height: 24, look: DarkLook()}
	r.dir = filepath.Join(r.home, "project")
	r.env = []string{
		"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TZ=UTC",
		"SHELL=/bin/sh", "TMPDIR=" + root,
	}
	defer func() { err = errors.Join(err, r.end(), os.RemoveAll(root)) }()
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return nil, fmt.Errorf("run a script: %w", err)
	}
	for _, st := range s.steps {
		if err := r.do(ctx, st); err != nil {
			return nil, fmt.Errorf("line %d, %s: %w", st.line, st.verb, err)
		}
	}
	return r.shots, nil
}

// run is a script on its way.
type run struct {
	programs      map[string]string
	home, dir     string
	env           []string
	width, height int
	look          Look
	console       *vttest.Console
	shots         []Shot
}

func (r *run) end() error {
	if r.console == nil {
		return nil
	}
	c := r.console
	r.console = nil
	return c.Close()
}

func (r *run) do(ctx context.Context, st step) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %v", patience))
	defer cancel()
	switch st.verb {
	case "size":
		r.width, r.height, err = st.size()
		return err
	case "look":
		r.look = DarkLook()
		if st.words[0] == "light" {
			r.look = LightLook()
		}
		return nil
	case "env":
		r.env = append(r.env, st.rest)
		return nil
	case "file":
		return r.write(st)
	case "start":
		return r.start(st)
	}
	if r.console == nil {
		return errors.New("no program was started")
	}
	switch st.verb {
	case "wait":
		return r.console.Until(ctx, func(screen string) bool { return strings.Contains(screen, st.rest) })
	case "gone":
		return r.console.Until(ctx, func(screen string) bool { return !strings.Contains(screen, st.rest) })
	case "type":
		return r.console.Send(st.rest)
	case "key":
		for _, k := range st.words {
			b, err := keyBytes(k)
			if err != nil {
				return err
			}
			if err := r.console.Send(b); err != nil {
				return err
			}
			// A key is alone: what follows an escape at once would belong to it.
			if err := r.console.Still(ctx, quiet/4); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.console.Still(ctx, quiet); err != nil {
		return err
	}
	screen, err := r.console.Snapshot()
	if err != nil {
		return err
	}
	r.shots = append(r.shots, Shot{Name: st.words[0], Screen: screen, Look: r.look})
	return nil
}

func (r *run) write(st step) error {
	name, text, _ := strings.Cut(st.rest, " ")
	dir, below := r.dir, name
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		dir, below = r.home, rest
	}
	if !filepath.IsLocal(below) {
		return fmt.Errorf("%s is neither below the working directory nor below the home", name)
	}
	path := filepath.Join(dir, below)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, `\n`, "\n")), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (r *run) start(st step) error {
	if err := r.end(); err != nil {
		return err
	}
	argv := append([]string(nil), st.words...)
	if path, ok := r.programs[argv[0]]; ok {
		argv[0] = path
	}
	var err error
	r.console, err = vttest.StartConsole(vttest.Command{Argv: argv, Dir: r.dir, Env: r.env, Width: r.width, Height: r.height})
	return err
}
