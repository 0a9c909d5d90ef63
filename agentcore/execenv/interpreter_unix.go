//go:build unix

package execenv

const shellAdvice = "neither bash nor sh is on the PATH; set the path of a shell in the settings"

var shellNames = []string{"bash", "sh"}

func shellPlaces([]string) []string { return []string{"/bin/bash"} }

func powerShellPlaces([]string) []string { return nil }

func sameVariable(a, b string) bool { return a == b }
