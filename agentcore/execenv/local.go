package execenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// LocalOptions says how [Local] builds its Env. The zero value suits a program
// that runs commands with its own environment.
type LocalOptions struct {
	// Home is the home directory; empty means the user's.
	Home string
	// Temp is the directory for temporary files; empty means the system's.
	Temp string
	// Shell says how commands are run.
	Shell LocalShellOptions
}

// Local returns the files and the shell of this machine with dir, an absolute
// path, as working directory. It does not check that dir exists: a command or a
// file operation will say so.
func Local(dir string, o LocalOptions) (Env, error) {
	if !filepath.IsAbs(dir) {
		return Env{}, fmt.Errorf("working directory %q is not an absolute path", dir)
	}
	if o.Home == "" {
		// Without a home directory "~" is not expanded; that is no reason to stop.
		o.Home, _ = os.UserHomeDir()
	}
	if o.Temp == "" {
		o.Temp = os.TempDir()
	}
	return Env{
		FS:      LocalFS{temp: o.Temp},
		Shell:   NewLocalShell(o.Shell),
		Dir:     filepath.Clean(dir),
		Home:    o.Home,
		Temp:    o.Temp,
		Windows: runtime.GOOS == "windows",
	}, nil
}
