package console

import (
	"os/exec"
	"runtime"

	"github.com/pi-go/pi/ai/auth"
)

// OpenBrowser opens an address, and reports whether there is something to open it
// with. On a machine that is used from afar the browser would open where nobody sees
// it; env tells that.
func OpenBrowser(env auth.Environment, address string) bool {
	var cmd *exec.Cmd
	switch {
	case env.Lookup("SSH_CONNECTION") != "" || env.Lookup("SSH_TTY") != "":
		return false
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", address)
	case env.Lookup("DISPLAY") == "" && env.Lookup("WAYLAND_DISPLAY") == "":
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
