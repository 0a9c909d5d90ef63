package main

import (
	"os"
	"os/exec"
	"runtime"
)

// browser opens an address, and reports whether there is something to open it with.
// On a machine that is used from afar the browser would open where nobody sees it.
func browser(address string) bool {
	var cmd *exec.Cmd
	switch {
	case os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "":
		return false
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", address)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return false
	default:
		cmd = exec.Command("xdg-open", address)
	}
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }() // it may stay as long as the browser does
	return true
}
