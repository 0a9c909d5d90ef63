package execenv

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// waitUnreaped is not possible: waitid of macOS also returns for stopped
// children, whatever it is asked for.
func waitUnreaped(int) bool { return false }

// process is what the system tells of a process.
type process struct {
	pid, parent, session int
	dead                 bool
}

// snapshot lists the processes of the system.
func snapshot() []process {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	const zombie = 5 // SZOMB of <sys/proc.h>
	list := make([]process, 0, len(procs))
	for _, p := range procs {
		pid := int(p.Proc.P_pid)
		session, err := unix.Getsid(pid)
		if err != nil {
			continue
		}
		list = append(list, process{pid: pid, parent: int(p.Eproc.Ppid), session: session, dead: p.Proc.P_stat == zombie})
	}
	return list
}

// stopGroup keeps a process group from forking on.
func stopGroup(pgid int) { syscall.Kill(-pgid, syscall.SIGSTOP) }
