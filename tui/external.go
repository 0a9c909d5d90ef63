package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// EditExternally lets the user edit a text in another program, such as vi, and
// returns what it became. command is the program with its arguments, as $VISUAL
// or $EDITOR have it; the name of a file is added. It must be called on the
// program's goroutine, which waits. If the editor fails, the text is returned as
// it was, with an error.
func (p *Program) EditExternally(text, command string) (string, error) {
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
		cmd := exec.Command(args[0], append(args[1:], file)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		return cmd.Run()
	})
	if err != nil {
		return text, fmt.Errorf("edit with %s: %w", args[0], err)
	}
	edited, err := os.ReadFile(file)
	if err != nil {
		return text, fmt.Errorf("edit with %s: %w", args[0], err)
	}
	// Editors end the last line; what was typed had no end there.
	return strings.TrimSuffix(string(edited), "\n"), nil
}
