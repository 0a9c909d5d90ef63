//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the signals of a terminal from a program, and lets what it
// starts end with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends what is left of a program.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nothing is left, mostly
	}
}
