// Command launch runs a program and writes down what it used.
//
//	launch REPORT PROGRAM [ARGUMENT ...]
//
// It is a process of its own and small, because on Linux the peak memory of a
// child is never less than what its parent had when it started it. The program
// reads nothing; its output goes where the output of launch goes. When the
// standard input of launch ends, whoever started launch has gone or lost
// patience, and the program is killed.
//
// The report is one JSON object: start_ns (Unix time), wall_ns, user_ns, sys_ns,
// peak_bytes (0 where the system does not tell) and exit.
package main

import (
	"os"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fail("usage: launch REPORT PROGRAM [ARGUMENT ...]")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		fail(err.Error())
	}
	start := time.Now()
	child, err := os.StartProcess(os.Args[2], os.Args[2:], &os.ProcAttr{Files: []*os.File{null, os.Stdout, os.Stderr}})
	if err != nil {
		fail(err.Error())
	}
	go func() {
		var b [1]byte
		for {
			if _, err := os.Stdin.Read(b[:]); err != nil {
				_ = child.Kill() // it may have ended already
				return
			}
		}
	}()
	state, err := child.Wait()
	wall := time.Since(start)
	if err != nil {
		fail(err.Error())
	}
	line := []byte("{")
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"start_ns", start.UnixNano()},
		{"wall_ns", wall.Nanoseconds()},
		{"user_ns", state.UserTime().Nanoseconds()},
		{"sys_ns", state.SystemTime().Nanoseconds()},
		{"peak_bytes", peak(state)},
		{"exit", int64(state.ExitCode())},
	} {
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(append(append(line, '"'), f.name...), '"', ':')
		line = strconv.AppendInt(line, f.value, 10)
	}
	if err := os.WriteFile(os.Args[1], append(line, '}', '\n'), 0o600); err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	_, _ = os.Stderr.WriteString("launch: " + text + "\n")
	os.Exit(1)
}
