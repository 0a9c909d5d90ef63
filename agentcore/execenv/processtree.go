//go:build linux || darwin

package execenv

import (
	"os"
	"syscall"
)

// killSession kills a session's leader with all that it started: its process
// group, whatever else is in the session (timeout(1) and shells with job control
// put their children into groups of their own), and its descendants in sessions of
// their own (setsid(1)). A daemon, whose parent has gone before, is none of them.
func killSession(sid int) { killLeaders(sid) }

// killTrees kills several trees at the cost of one: looking at all processes of
// the system takes a while.
func killTrees(trees map[*tree]struct{}) {
	var sids []int
	for t := range trees {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.reaped && !t.killed {
			t.killed = true
			sids = append(sids, t.pid)
		}
	}
	killLeaders(sids...)
}

func killLeaders(sids ...int) {
	if len(sids) == 0 {
		return
	}
	for _, sid := range sids {
		stopGroup(sid)
	}
	all := snapshot()
	family := descendants(all, sids...)
	sessions := led(all, family)
	for _, sid := range sids {
		syscall.Kill(-sid, syscall.SIGKILL)
		sessions[sid] = true
	}
	killAll(family)
	killSessions(sessions)
}

// KillTree kills a process that was started here, and its descendants.
func KillTree(p *os.Process) error {
	all := snapshot()
	family := descendants(all, p.Pid)
	err := p.Kill()
	killAll(family)
	killSessions(led(all, family))
	return err
}

// KillRest kills what is left of a session (see [OwnSession]) whose leader has ended.
func KillRest(leader *os.Process) {
	syscall.Kill(-leader.Pid, syscall.SIGKILL)
	killSessions(map[int]bool{leader.Pid: true})
}

func killAll(pids map[int]bool) {
	for pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// killSessions kills all that is in some sessions.
func killSessions(sessions map[int]bool) {
	// A process can fork between being listed and being killed, so look again
	// until nothing is left. Zombies do not count.
	for range 8 {
		found := false
		for _, p := range snapshot() {
			if sessions[p.session] && !p.dead {
				found = true
				syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}

// led gives the sessions whose leaders are in a family.
func led(all []process, family map[int]bool) map[int]bool {
	sessions := make(map[int]bool)
	for _, p := range all {
		if family[p.session] {
			sessions[p.session] = true
		}
	}
	return sessions
}

// descendants gives the processes below some others.
func descendants(all []process, roots ...int) map[int]bool {
	children := make(map[int][]int)
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p.pid)
	}
	family := make(map[int]bool)
	var queue []int
	for _, root := range roots {
		queue = append(queue, children[root]...)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if pid := queue[0]; !family[pid] {
			family[pid] = true
			queue = append(queue, children[pid]...)
		}
	}
	return family
}
