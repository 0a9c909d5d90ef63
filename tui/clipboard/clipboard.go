// Package clipboard puts text on the clipboard of the desktop and reads what is
// there, with the programs that the desktop has for that.
//
//	err := clipboard.Write(ctx, clipboard.Options{}, "text")
//	if errors.Is(err, clipboard.ErrNone) {
//		// No desktop: ask the terminal, with term.Copy.
//	}
//
// Over SSH the clipboard of the other machine is of no use; term.Copy reaches the
// one in front of the user.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrNone is returned when there is no program for the clipboard.
var ErrNone = errors.New("no clipboard program")

// Options are for tests and unusual systems. The zero value is this process's
// system.
type Options struct {
	// GOOS is the operating system, runtime.GOOS if empty.
	GOOS string
	// Getenv reads the environment, os.Getenv if nil.
	Getenv func(string) string
	// LookPath finds programs, exec.LookPath if nil.
	LookPath func(string) (string, error)
	// Run runs a program with an input, as exec.Cmd does if nil.
	Run func(ctx context.Context, name string, args []string, input string) error
	// Output runs a program and gives what it prints; nil does that, too.
	Output func(ctx context.Context, name string, args []string) ([]byte, error)
	// Timeout limits each program, 3 s if 0.
	Timeout time.Duration
}

func (o Options) complete() Options {
	if o.GOOS == "" {
		o.GOOS = runtime.GOOS
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.LookPath == nil {
		o.LookPath = exec.LookPath
	}
	if o.Run == nil {
		o.Run = run
	}
	if o.Output == nil {
		o.Output = output
	}
	if o.Timeout <= 0 {
		o.Timeout = 3 * time.Second
	}
	return o
}

func run(ctx context.Context, name string, args []string, input string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(input)
	// xclip and wl-copy stay behind to serve the text; nothing of theirs may be
	// waited for.
	cmd.WaitDelay = grace
	return cmd.Run()
}

// grace is how long programs that one has left behind may keep its input or output.
const grace = 100 * time.Millisecond

// candidates are the programs to try, in this order.
func (o Options) candidates() [][]string {
	switch o.GOOS {
	case "darwin":
		return [][]string{{"pbcopy"}}
	case "windows":
		return [][]string{{"clip.exe"}}
	}
	var list [][]string
	if o.Getenv("WSL_DISTRO_NAME") != "" {
		list = append(list, []string{"clip.exe"})
	}
	if o.Getenv("TERMUX_VERSION") != "" {
		list = append(list, []string{"termux-clipboard-set"})
	}
	if o.Getenv("WAYLAND_DISPLAY") != "" {
		list = append(list, []string{"wl-copy"})
	}
	if o.Getenv("DISPLAY") != "" {
		list = append(list, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	return list
}

// Write puts text on the clipboard. It tries the programs that the system may
// have; the error is [ErrNone] if there are none, else that of the last one.
func Write(ctx context.Context, o Options, text string) error {
	o = o.complete()
	err := ErrNone
	for _, c := range o.candidates() {
		path, lerr := o.LookPath(c[0])
		if lerr != nil {
			continue
		}
		one, cancel := context.WithTimeout(ctx, o.Timeout)
		rerr := o.Run(one, path, c[1:], text)
		cancel()
		if rerr == nil {
			return nil
		}
		err = fmt.Errorf("copy with %s: %w", c[0], rerr)
	}
	return err
}
