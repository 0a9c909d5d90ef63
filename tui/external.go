package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// editorEnd is how long an editor that is told to end may take.
const editorEnd = 500 * time.Millisecond

// EditExternally lets the user edit a text in another program, such as vi, and
// returns what it became. command is the program with its arguments, as $VISUAL
// or $EDITOR have it; the name of a file is added. It must be called on the
// program's goroutine, which waits. If the editor fails, the text is returned as
// it was, with an error. When ctx ends first, the editor is told to end, and killed
// if it does not within half a second; what it has saved by then is returned, with the
// cause.
func (p *Program) EditExternally(ctx context.Context, text, command string) (string, error) {
	args := strings.Fields(command)
	if len(args) == 0 {
		return text, errors.New("there is no external editor: set VISUAL or EDITOR")
	}
	dir, err := os.MkdirTemp("", "edit-")
	if err != nil {
		return text, fmt.Errorf("edit externally: %w", err)
	}
	defer os.RemoveAll(dir)
	// The name tells editors to treat the text as prose.
	file := filepath.Join(dir, "text.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return text, fmt.Errorf("edit externally: %w", err)
	}
	err = p.HandOver(func() error {
		cmd := exec.CommandContext(ctx, args[0], append(args[1:], file)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = editorEnd
		return cmd.Run()
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if err != nil {
		return text, fmt.Errorf("edit with %s: %w", args[0], err)
	}
	edited, rerr := os.ReadFile(file)
	if err = errors.Join(err, rerr); rerr != nil {
		return text, fmt.Errorf("edit with %s: %w", args[0], err)
	}
	if err != nil {
		err = fmt.Errorf("edit with %s: %w", args[0], err)
	}
	// Editors end the last line; what was typed had no end there.
	return strings.TrimSuffix(string(edited), "\n"), err
}
