package tools

import (
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/pi-go/pi/agentcore/execenv"
)

// UseLocalPowerShell makes the powershell tool run commands with the PowerShell
// of this machine. It does nothing on systems other than Windows. The interpreter
// of sh is replaced; the rest of it applies.
func (o *Options) UseLocalPowerShell(sh execenv.LocalShellOptions) {
	if runtime.GOOS != "windows" {
		return
	}
	find := sync.OnceValues(func() (execenv.Interpreter, error) { return execenv.FindPowerShell(sh.Environ) })
	sh.Interpreter = find
	o.PowerShell = execenv.NewLocalShell(sh)
	o.OldPowerShell = func() bool {
		in, err := find()
		return err == nil && strings.EqualFold(filepath.Base(in.Path), "powershell.exe")
	}
}
