package auth

import (
	"os"
	"path/filepath"
	"strings"
)

// OSEnvironment looks variables up in the process environment. A variable
// that holds only white space counts as unset.
func OSEnvironment() Environment {
	return func(name string) string {
		v := os.Getenv(name)
		if strings.TrimSpace(v) == "" {
			return ""
		}
		return v
	}
}

// OSFileExists reports whether a file exists; a leading ~/ is the home
// directory.
func OSFileExists(path string) bool {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return false
		}
		path = filepath.Join(home, rest)
	}
	_, err := os.Stat(path)
	return err == nil
}
