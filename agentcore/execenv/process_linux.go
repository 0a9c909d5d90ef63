package execenv

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// waitUnreaped waits until a child has ended and leaves it to be reaped. It
// reports false where the system can not do that.
func waitUnreaped(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// killSession kills the process group of a session's leader, and then whatever
// else is in the session: timeout(1) and shells with job control put their
// children into groups of their own.
func killSession(sid int) {
	syscall.Kill(-sid, syscall.SIGKILL)
	// A process can fork between being listed and being killed, so look again
	// until nothing is left. Zombies do not count.
	for range 8 {
		found := false
		for _, pid := range processes() {
			if session, dead, ok := sessionOf(pid); ok && session == sid && !dead {
				found = true
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}

// processes lists the process ids of the system.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// sessionOf reads the session of a process and whether it is a zombie, from
// /proc/PID/stat (proc(5)): "pid (name) state ppid pgrp session ...", where the
// name may hold anything.
func sessionOf(pid int) (session int, dead, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 4 {
		return 0, false, false
	}
	session, err = strconv.Atoi(string(fields[3]))
	return session, fields[0][0] == 'Z' || fields[0][0] == 'X', err == nil
}
