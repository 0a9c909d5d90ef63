//go:build unix

package execenv_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/execenv/execenvtest"
)

func localEnv(t *testing.T, o execenv.LocalShellOptions) execenv.Env {
	t.Helper()
	env, err := execenv.Local(t.TempDir(), execenv.LocalOptions{Shell: o})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestLocalShell(t *testing.T) {
	t.Parallel()
	groups := new(execenv.Groups)
	env := localEnv(t, execenv.LocalShellOptions{Groups: groups})
	execenvtest.Shell(t, env.Shell, env.Dir)
	if groups.Len() != 0 {
		t.Errorf("%d trees are left in the registry", groups.Len())
	}
}

// alive reports whether a process exists and is no zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	return true
}

// eventually waits until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// pidsIn reads the process ids that a command printed.
func pidsIn(t *testing.T, out string) (pids []int) {
	t.Helper()
	for _, word := range strings.Fields(out) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Fatalf("no process id in %q", out)
	}
	return pids
}

// openFiles counts the descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors can not be counted here:", err)
	}
	return len(entries)
}

// What a command leaves in the background is not waited for and not killed,
// whichever way it holds the output, and costs this process nothing afterwards.
func TestBackgroundChildren(t *testing.T) {
	env := localEnv(t, execenv.LocalShellOptions{})
	run := func(script string, late func() string) (string, execenv.Result) {
		t.Helper()
		var out strings.Builder
		res, err := env.Run(t.Context(), execenv.Command{
			Script: script, Timeout: 20 * time.Second, Late: late,
			Output: func(b []byte) { out.Write(b) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String(), res
	}
	run("true", nil) // descriptors that the runtime opens once
	files, routines := openFiles(t), runtime.NumGoroutine()
	for _, script := range []string{
		`sleep 30 & echo up $!`,
		`sleep 30 >/dev/null & echo up $!`,
		`setsid sh -c 'sleep 0.2; echo up $$; exec sleep 30' & sleep 0.4`,
		`(while :; do echo tick; sleep 0.05; done) & echo up $!`,
	} {
		out, res := run(script, nil)
		if !strings.Contains(out, "up ") || res.ExitCode != 0 || !res.Detached {
			t.Errorf("%s: %q, %+v", script, out, res)
			continue
		}
		child := pidsIn(t, out)[0]
		if !alive(child) {
			t.Errorf("%s: the child was ended", script)
		}
		syscall.Kill(child, syscall.SIGKILL)
	}
	eventually(t, "no goroutine and no descriptor is left", func() bool {
		return openFiles(t) <= files && runtime.NumGoroutine() <= routines
	})

	t.Run("closed output", func(t *testing.T) {
		out, res := run(`sleep 30 >/dev/null 2>&1 & echo up $!`, nil)
		if res.Detached || res.ExitCode != 0 {
			t.Errorf("%q, %+v", out, res)
		}
		syscall.Kill(pidsIn(t, out)[0], syscall.SIGKILL)
	})
	t.Run("output that comes a little later is waited for", func(t *testing.T) {
		env := localEnv(t, execenv.LocalShellOptions{})
		env.Shell.(*execenv.LocalShell).SetPatience(time.Minute, time.Minute)
		var out strings.Builder
		res, err := env.Run(t.Context(), execenv.Command{
			Script: `(sleep 0.2; echo late; sleep 0.2; echo later) & echo up`,
			Output: func(b []byte) { out.Write(b) },
		})
		if err != nil || out.String() != "up\nlate\nlater\n" || res.Detached {
			t.Errorf("%q, %+v, %v", out.String(), res, err)
		}
	})
	t.Run("a child that goes on printing lives on", func(t *testing.T) {
		beat := filepath.Join(t.TempDir(), "beat")
		out, _ := run(`(while :; do echo tick; echo >> '`+beat+`'; sleep 0.05; done) & echo up $!`, nil)
		defer syscall.Kill(pidsIn(t, out)[0], syscall.SIGKILL)
		size := func() int64 {
			info, err := os.Stat(beat)
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		before := size()
		eventually(t, "it has printed more", func() bool { return size() >= before+3 })
	})
	t.Run("late output goes to the file", func(t *testing.T) {
		log, gate := filepath.Join(t.TempDir(), "it's late.log"), filepath.Join(t.TempDir(), "gate")
		out, res := run(`(until [ -e '`+gate+`' ]; do sleep 0.05; done; echo after; echo wards >&2) & echo up`,
			func() string { return log })
		if out != "up\n" || !res.Detached {
			t.Fatalf("%q, %+v", out, res)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the log has the late output", func() bool {
			data, _ := os.ReadFile(log)
			return string(data) == "after\nwards\n"
		})
		if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("log has mode %v, %v", info.Mode(), err)
		}
	})
}

// When the shell has gone and its background processes are still waited for, an
// abort ends these.
func TestAbortAfterTheShell(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lets the group be known safely after its leader has ended")
	}
	env := localEnv(t, execenv.LocalShellOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out strings.Builder
	res, err := env.Run(ctx, execenv.Command{
		Script: `(while kill -0 $$ && [ "$(cut -d' ' -f3 /proc/$$/stat)" != Z ]; do echo; sleep 0.01; done; echo gone; while :; do echo; sleep 0.02; done) & echo $!`,
		Output: func(b []byte) {
			out.Write(b)
			if strings.Contains(out.String(), "gone") {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) || !res.Exited || res.ExitCode != 0 {
		t.Errorf("%q, %+v, %v", out.String(), res, err)
	}
	child := pidsIn(t, out.String())[0]
	eventually(t, "the child is gone", func() bool { return !alive(child) })
}

// A timeout or an abort ends every process of the command, whatever it ignores
// and whatever group it has put itself into.
func TestTreeIsKilled(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{
		"deaf to TERM": `sh -c 'trap "" TERM; sleep 300 & echo $!; sleep 300 & echo $! $$; wait'`,
		"pipeline":     `sh -c 'echo $$; exec sleep 300' | sh -c 'read pid; echo $pid $$; exec sleep 300'`,
	}
	if _, err := exec.LookPath("timeout"); err == nil && runtime.GOOS == "linux" {
		scripts["own group"] = `timeout 300 sh -c 'echo $$; sleep 300'; true`
		scripts["job control"] = `set -m; sleep 300 & echo $!; wait`
	}
	for name, script := range scripts {
		for _, how := range []string{"timeout", "abort"} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				groups := new(execenv.Groups)
				env := localEnv(t, execenv.LocalShellOptions{Groups: groups})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				cmd := execenv.Command{Script: script}
				var out strings.Builder
				cmd.Output = func(b []byte) {
					out.Write(b)
					if how == "abort" && strings.Count(out.String(), "\n") > 0 {
						cancel()
					}
				}
				want := context.Canceled
				if how == "timeout" {
					cmd.Timeout, want = 500*time.Millisecond, execenv.ErrTimeout
				}
				_, err := env.Run(ctx, cmd)
				if !errors.Is(err, want) {
					t.Fatalf("ended with %v, want %v", err, want)
				}
				for _, pid := range pidsIn(t, out.String()) {
					eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
				}
				if groups.Len() != 0 {
					t.Error("the tree is still registered")
				}
			})
		}
	}
}

func TestKillAll(t *testing.T) {
	t.Parallel()
	groups := new(execenv.Groups)
	env := localEnv(t, execenv.LocalShellOptions{Groups: groups})
	started, ended := make(chan struct{}, 2), make(chan execenv.Result)
	for range 2 {
		go func() {
			res, err := env.Run(t.Context(), execenv.Command{
				Script: "sleep 300 & echo; sleep 300", Output: func([]byte) { started <- struct{}{} },
			})
			if err != nil {
				t.Error(err)
			}
			ended <- res
		}()
	}
	<-started
	<-started
	if n := groups.Len(); n != 2 {
		t.Errorf("%d trees are registered, want 2", n)
	}
	groups.KillAll()
	for range 2 {
		if res := <-ended; res.ExitCode != 128+9 {
			t.Errorf("a killed command ended with %+v", res)
		}
	}
	// The program is about to end: nothing may start behind KillAll's back.
	if res, err := env.Run(t.Context(), execenv.Command{Script: "sleep 300"}); err != nil || res.ExitCode != 128+9 {
		t.Errorf("a command started after KillAll: %+v, %v", res, err)
	}
}

func TestPathFirst(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/usr/bin:/bin":        "/ours:/own:/usr/bin:/bin",
		"/usr/bin:/ours:/bin":  "/own:/usr/bin:/ours:/bin",
		"/own:/ours:/bin:/ubi": "/own:/ours:/bin:/ubi",
	} {
		env := localEnv(t, execenv.LocalShellOptions{
			Environ: []string{"PATH=" + path}, PathFirst: []string{"/ours", "/own"},
		})
		var out strings.Builder
		_, err := env.Run(t.Context(), execenv.Command{Script: "echo $PATH", Output: func(b []byte) { out.Write(b) }})
		if err != nil || out.String() != want+"\n" {
			t.Errorf("PATH=%s became %q, %v; want %s", path, out.String(), err, want)
		}
	}
}

func TestFindShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "zsh")
	if _, err := execenv.FindShell(missing, nil); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("a configured shell that is missing: %v", err)
	}
	if _, err := execenv.FindShell(dir, nil); err == nil {
		t.Error("a directory is no shell")
	}
	in, err := execenv.FindShell("/bin/sh", nil)
	if err != nil || in.Path != "/bin/sh" || strings.Join(in.Args, " ") != "-c" || in.Stdin {
		t.Errorf("configured shell: %+v, %v", in, err)
	}
	if in, err = execenv.FindShell("", nil); err != nil || !strings.HasSuffix(in.Path, "sh") {
		t.Errorf("default shell: %+v, %v", in, err)
	}
	env := localEnv(t, execenv.LocalShellOptions{Interpreter: func() (execenv.Interpreter, error) {
		return execenv.FindShell(missing, nil)
	}})
	if _, err := env.Run(t.Context(), execenv.Command{Script: "true"}); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("running with a missing shell: %v", err)
	}
	wsl := filepath.Join(dir, "System32", "bash.exe")
	if err := os.MkdirAll(filepath.Dir(wsl), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wsl, []byte("#!/bin/sh\nexec /bin/sh \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env = localEnv(t, execenv.LocalShellOptions{Interpreter: func() (execenv.Interpreter, error) {
		return execenv.FindShell(wsl, nil)
	}})
	var out strings.Builder
	_, err = env.Run(t.Context(), execenv.Command{Script: "echo by $0", Output: func(b []byte) { out.Write(b) }})
	if err != nil || out.String() != "by /bin/sh\n" {
		t.Errorf("a script on standard input: %q, %v", out.String(), err)
	}
}

// A command that is stopped takes along what it started, also in sessions of
// their own.
func TestStoppingACommandEndsItsDescendants(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system does not tell who descends from whom")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid here")
	}
	for _, script := range []string{
		`setsid sleep 300 & echo $!; sleep 300`,
		`setsid sh -c 'echo $$; sleep 300; true' & sleep 300`,
		`setsid sh -c 'setsid sleep 300 & echo $!; sleep 300; true' & sleep 300`,
	} {
		env := localEnv(t, execenv.LocalShellOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		var out strings.Builder
		_, err := env.Run(ctx, execenv.Command{Script: script, Output: func(b []byte) {
			out.Write(b)
			cancel()
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", script, err)
		}
		for _, pid := range pidsIn(t, out.String()) {
			eventually(t, script+": the child ends", func() bool { return !alive(pid) })
		}
	}
}

func TestNULInACommand(t *testing.T) {
	t.Parallel()
	_, err := localEnv(t, execenv.LocalShellOptions{}).Run(t.Context(), execenv.Command{Script: "echo a\x00b"})
	if err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("%v", err)
	}
}
