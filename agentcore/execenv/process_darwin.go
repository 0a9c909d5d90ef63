package execenv

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// waitUnreaped is not possible: waitid of macOS also returns for stopped
// children, whatever it is asked for.
func waitUnreaped(int) bool { return false }

// killSession kills the process group of a session's leader, and then whatever
// else is in the session. Stopping the group first keeps it from forking on.
func killSession(sid int) {
	syscall.Kill(-sid, syscall.SIGSTOP)
	syscall.Kill(-sid, syscall.SIGKILL)
	for range 8 {
		found := false
		procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
		if err != nil {
			return
		}
		const zombie = 5 // SZOMB of <sys/proc.h>
		for _, p := range procs {
			pid := int(p.Proc.P_pid)
			if p.Proc.P_stat == zombie {
				continue
			}
			if s, err := unix.Getsid(pid); err == nil && s == sid {
				found = true
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}
