package execenv

import (
	"context"
	"strings"
)

// Env is a place where an agent works: files, a shell, and the facts that path
// arithmetic needs. It is a value; copy it and change a field to get another
// place. The zero Env has no files and no shell.
type Env struct {
	// FS holds the files.
	FS FileSystem
	// Shell runs commands. Use [Env.Run], which fills in the working directory.
	Shell Shell
	// Dir is the working directory, absolute. Relative names are relative to it.
	Dir string
	// Home is the home directory of the user, for "~". Empty if unknown.
	Home string
	// Temp is the directory for temporary files.
	Temp string
	// Windows says that paths are Windows paths: drive letters, backslashes.
	Windows bool

	mounts []string // schemes of mounted trees
}

// In returns a copy of e that works in dir. A relative dir is relative to the
// working directory of e.
func (e Env) In(dir string) Env {
	e.Dir = e.Abs(dir)
	return e
}

// Run runs a command in the working directory of e, or in cmd.Dir when that is
// set.
func (e Env) Run(ctx context.Context, cmd Command) (Result, error) {
	if e.Shell == nil {
		return Result{}, ErrUnavailable
	}
	if cmd.Dir == "" {
		cmd.Dir = e.Dir
	}
	return e.Shell.Run(ctx, cmd)
}

// Abs returns the absolute, cleaned form of a name. It does not look at files.
// On Windows a name without a drive (\x) means the drive of the working directory,
// and C:x means x in the working directory if that is on C, else in the root of C.
func (e Env) Abs(name string) string {
	if e.IsAbs(name) {
		return e.Clean(name)
	}
	if e.Windows && name != "" {
		vol, rest := splitVolume(name)
		here, _ := splitVolume(e.Dir)
		switch {
		case vol == "" && isSlash(rest[0]):
			return e.Clean(here + rest)
		case vol != "" && strings.EqualFold(vol, here):
			name = rest
		case vol != "":
			return e.Clean(vol + `\` + rest)
		}
	}
	return e.Join(e.Dir, name)
}
