package execenv

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Interpreter is a program that runs scripts.
type Interpreter struct {
	// Path is the program.
	Path string
	// Args come before the script.
	Args []string
	// Stdin says that the script is given on standard input and not as the last
	// argument. The command then has no standard input of its own.
	Stdin bool
}

// invocation returns the arguments and the standard input for a command.
func (in Interpreter) invocation(cmd Command) ([]string, io.Reader) {
	if in.Stdin {
		return in.Args, strings.NewReader(cmd.Script)
	}
	return append(in.Args[:len(in.Args):len(in.Args)], cmd.Script), cmd.Stdin
}

// FindShell returns the POSIX shell of this machine. A configured path wins and
// must exist. Otherwise it is /bin/bash, bash on the PATH, or sh; on Windows the
// bash of Git for Windows or bash.exe on the PATH. environ is where variables are
// looked up; nil is the environment of this process.
func FindShell(configured string, environ []string) (Interpreter, error) {
	if configured != "" {
		info, err := os.Stat(configured)
		switch {
		case err != nil:
			return Interpreter{}, fmt.Errorf("configured shell: %w", err)
		case info.IsDir():
			return Interpreter{}, fmt.Errorf("configured shell %s is a directory", configured)
		}
		return posixShell(configured), nil
	}
	for _, file := range shellPlaces(environ) {
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return posixShell(file), nil
		}
	}
	for _, name := range shellNames {
		if file, ok := lookPath(name, environ); ok {
			return posixShell(file), nil
		}
	}
	return Interpreter{}, fmt.Errorf("%w: %s", ErrUnavailable, shellAdvice)
}

func posixShell(file string) Interpreter {
	if legacyWSL(file) {
		// This launcher hands its arguments through a second shell, which would
		// expand the script once too often.
		return Interpreter{Path: file, Args: []string{"-s"}, Stdin: true}
	}
	return Interpreter{Path: file, Args: []string{"-c"}}
}

// legacyWSL reports whether file is the old bash.exe of the Windows Subsystem
// for Linux, which lives in a system directory of Windows.
func legacyWSL(file string) bool {
	parts := strings.FieldsFunc(strings.ToLower(file), func(r rune) bool { return r == '\\' || r == '/' })
	n := len(parts)
	return n >= 2 && parts[n-1] == "bash.exe" && (parts[n-2] == "system32" || parts[n-2] == "sysnative")
}

// FindPowerShell returns PowerShell: pwsh.exe on the PATH, PowerShell 7 in its
// usual place, or the Windows PowerShell that is part of Windows. Other systems
// than Windows have none.
func FindPowerShell(environ []string) (Interpreter, error) {
	for _, place := range powerShellPlaces(environ) {
		file := place
		if !filepath.IsAbs(place) {
			var ok bool
			if file, ok = lookPath(place, environ); !ok {
				continue
			}
		} else if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		return Interpreter{
			Path: file,
			Args: []string{"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"},
		}, nil
	}
	return Interpreter{}, fmt.Errorf("%w: PowerShell was not found (it is looked for on Windows only)", ErrUnavailable)
}

// variable returns the value of a variable in environ.
func variable(name string, environ []string) string {
	if environ == nil {
		return os.Getenv(name)
	}
	value := ""
	for _, kv := range environ {
		if k, v, _ := strings.Cut(kv, "="); sameVariable(k, name) {
			value = v
		}
	}
	return value
}

// lookPath finds a program on the PATH of environ.
func lookPath(name string, environ []string) (string, bool) {
	if environ == nil {
		file, err := exec.LookPath(name)
		return file, err == nil && filepath.IsAbs(file)
	}
	for _, dir := range filepath.SplitList(variable("PATH", environ)) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if _, err := exec.LookPath(file); err == nil {
			return file, true
		}
	}
	return "", false
}
