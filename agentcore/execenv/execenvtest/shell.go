package execenvtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
)

// Shell runs the contract of execenv.Shell against a shell that understands
// POSIX scripts. dir is an existing directory for it to work in.
func Shell(t *testing.T, sh execenv.Shell, dir string) {
	run := func(t *testing.T, cmd execenv.Command) (string, execenv.Result, error) {
		t.Helper()
		var out strings.Builder
		cmd.Output = func(b []byte) { out.Write(b) }
		if cmd.Dir == "" {
			cmd.Dir = dir
		}
		res, err := sh.Run(t.Context(), cmd)
		return out.String(), res, err
	}
	t.Run("output and exit code", func(t *testing.T) {
		for _, c := range []struct {
			script, out string
			code        int
		}{
			{"echo a; echo b >&2; echo c", "a\nb\nc\n", 0},
			{"printf 'no newline'", "no newline", 0},
			{"true", "", 0},
			{"exit 3", "", 3},
			{"echo before; false", "before\n", 1},
			{"kill -TERM $$", "", 128 + 15},
			{"kill -KILL $$", "", 128 + 9},
			{"exec 2>&1; no-such-command-at-all >/dev/null 2>&1", "", 127},
			{`printf 'ok\377\376\000end\n'`, "ok\xff\xfe\x00end\n", 0},
			{"cat", "", 0},
		} {
			out, res, err := run(t, execenv.Command{Script: c.script})
			if err != nil || out != c.out || res.ExitCode != c.code || !res.Exited || res.Detached {
				t.Errorf("%s: %q, %+v, %v; want %q and code %d", c.script, out, res, err, c.out, c.code)
			}
		}
	})
	t.Run("much output", func(t *testing.T) {
		out, _, err := run(t, execenv.Command{Script: "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"})
		if err != nil || strings.Count(out, "\n") != 20000 || !strings.HasSuffix(out, "line 19999\n") {
			t.Errorf("%d lines, %v", strings.Count(out, "\n"), err)
		}
	})
	t.Run("environment", func(t *testing.T) {
		script := `echo "${A-unset} ${B-unset} ${HOME-unset}"`
		out, _, err := run(t, execenv.Command{Script: script, Env: []string{"A=1 2", "B="}})
		if err != nil || !strings.HasPrefix(out, "1 2  ") {
			t.Errorf("added: %q, %v", out, err)
		}
		out, _, err = run(t, execenv.Command{Script: script, Environ: []string{"PATH=/usr/bin:/bin", "A=x", "B=y", "B=z"}, Unset: []string{"A", "HOME"}})
		if err != nil || out != "unset z unset\n" {
			t.Errorf("replaced: %q, %v", out, err)
		}
		out, _, err = run(t, execenv.Command{Script: script, Unset: []string{"A"}, Env: []string{"A=kept"}})
		if err != nil || !strings.HasPrefix(out, "kept ") {
			t.Errorf("unset and added: %q, %v", out, err)
		}
	})
	t.Run("input", func(t *testing.T) {
		out, _, err := run(t, execenv.Command{Script: "tr a-z A-Z", Stdin: strings.NewReader("hello\n")})
		if err != nil || out != "HELLO\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("working directory", func(t *testing.T) {
		out, _, err := run(t, execenv.Command{Script: "pwd -P", Dir: "/"})
		if err != nil || out != "/\n" {
			t.Errorf("%q, %v", out, err)
		}
		missing := dir + "/not/there"
		if _, _, err = run(t, execenv.Command{Script: "true", Dir: missing}); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("missing directory: %v", err)
		}
		if _, err := sh.Run(t.Context(), execenv.Command{Script: "true"}); err == nil {
			t.Error("a command without a directory was run")
		}
	})
	t.Run("timeout", func(t *testing.T) {
		out, res, err := run(t, execenv.Command{Script: "echo so far; sleep 300", Timeout: 300 * time.Millisecond})
		if !errors.Is(err, execenv.ErrTimeout) || out != "so far\n" || res.Exited || res.ExitCode != 128+9 {
			t.Errorf("%q, %+v, %v", out, res, err)
		}
	})
	t.Run("abort", func(t *testing.T) {
		why := errors.New("changed my mind")
		ctx, cancel := context.WithCancelCause(t.Context())
		var out strings.Builder
		res, err := sh.Run(ctx, execenv.Command{Dir: dir, Script: "echo so far; sleep 300", Output: func(b []byte) {
			out.Write(b)
			cancel(why)
		}})
		if !errors.Is(err, why) || out.String() != "so far\n" || res.Exited {
			t.Errorf("%q, %+v, %v", out.String(), res, err)
		}
		if _, err := sh.Run(ctx, execenv.Command{Dir: dir, Script: "echo never"}); !errors.Is(err, why) {
			t.Errorf("started after the abort: %v", err)
		}
	})
	t.Run("commands side by side", func(t *testing.T) {
		results := make(chan string)
		for _, word := range []string{"a", "b", "c", "d"} {
			go func() {
				var out strings.Builder
				sh.Run(t.Context(), execenv.Command{
					Dir: dir, Script: "sleep 0.1; echo " + word, Output: func(b []byte) { out.Write(b) },
				})
				results <- out.String()
			}()
		}
		got := []string{<-results, <-results, <-results, <-results}
		if slices.Sort(got); strings.Join(got, "") != "a\nb\nc\nd\n" {
			t.Errorf("got %q", got)
		}
	})
}
