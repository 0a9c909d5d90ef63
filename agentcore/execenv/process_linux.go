package execenv

import (
	"bytes"
	"os"
	"strconv"

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

// process is what /proc tells of a process.
type process struct {
	pid, parent, session int
	dead                 bool
}

// snapshot lists the processes of the system.
func snapshot() []process {
	pids := processes()
	list := make([]process, 0, len(pids))
	for _, pid := range pids {
		if p, ok := readProcess(pid); ok {
			list = append(list, p)
		}
	}
	return list
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

// readProcess reads /proc/PID/stat (proc(5)): "pid (name) state ppid pgrp
// session ...", where the name may hold anything.
func readProcess(pid int) (process, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 4 {
		return process{}, false
	}
	p := process{pid: pid, dead: fields[0][0] == 'Z' || fields[0][0] == 'X'}
	if p.parent, err = strconv.Atoi(string(fields[1])); err != nil {
		return process{}, false
	}
	p.session, err = strconv.Atoi(string(fields[3]))
	return p, err == nil
}

// stopGroup does nothing here.
func stopGroup(int) {}
