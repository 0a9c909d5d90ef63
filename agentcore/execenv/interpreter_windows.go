//go:build windows

package execenv

import (
	"path/filepath"
	"strings"
)

const shellAdvice = "no bash was found; install Git for Windows, or set the path of a shell in the settings"

var shellNames = []string{"bash.exe"}

func shellPlaces(environ []string) []string {
	var places []string
	for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
		if dir := variable(name, environ); dir != "" {
			places = append(places, filepath.Join(dir, "Git", "bin", "bash.exe"))
		}
	}
	return places
}

func powerShellPlaces(environ []string) []string {
	places := []string{"pwsh.exe"}
	if dir := variable("ProgramFiles", environ); dir != "" {
		places = append(places, filepath.Join(dir, "PowerShell", "7", "pwsh.exe"))
	}
	places = append(places, "powershell.exe")
	if dir := variable("SystemRoot", environ); dir != "" {
		places = append(places, filepath.Join(dir, "System32", "WindowsPowerShell", "v1.0", "powershell.exe"))
	}
	return places
}

func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }
