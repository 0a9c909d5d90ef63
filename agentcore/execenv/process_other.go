//go:build unix && !linux && !darwin

package execenv

import (
	"os"
	"syscall"
)

// waitUnreaped is left out: the shell is reaped when it ends, and from then on
// its group is not killed any more.
func waitUnreaped(int) bool { return false }

// killSession kills the process group of a session's leader.
func killSession(sid int) { syscall.Kill(-sid, syscall.SIGKILL) }

// KillRest kills what is left of a session (see [OwnSession]) whose leader has ended.
func KillRest(leader *os.Process) { killSession(leader.Pid) }

// KillTree kills a process.
func KillTree(p *os.Process) error { return p.Kill() }

// killTrees kills several trees.
func killTrees(trees map[*tree]struct{}) {
	for t := range trees {
		t.kill()
	}
}
