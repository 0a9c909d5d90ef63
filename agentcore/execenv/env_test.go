package execenv_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	unix := execenv.Env{Dir: "/home/ada"}
	windows := execenv.Env{Dir: `C:\work\x`, Windows: true}
	for _, c := range []struct {
		env        execenv.Env
		name, want string
	}{
		{unix, "a/../b", "/home/ada/b"},
		{unix, "/etc//x/.", "/etc/x"},
		{unix, "", "/home/ada"},
		{unix, "..", "/home"},
		{unix, `C:\x`, `/home/ada/C:\x`},
		{windows, `a\..\b`, `C:\work\x\b`},
		{windows, "a/b", `C:\work\x\a\b`},
		{windows, "", `C:\work\x`},
		{windows, `\temp`, `C:\temp`},
		{windows, `D:/y/../z`, `D:\z`},
		{windows, `c:rel`, `C:\work\x\rel`},
		{windows, `D:rel`, `D:\rel`},
		{windows, `\\host\share\a\..\..\b`, `\\host\share\b`},
		{windows, `//host/share`, `\\host\share\`},
		{windows, `\\host`, `\\host\`},
		{windows, `\\host\\share//x`, `\\host\share\x`},
		{windows, `..\..\..\..`, `C:\`},
	} {
		if got := c.env.Abs(c.name); got != c.want {
			t.Errorf("Abs(%q) in %s = %q, want %q", c.name, c.env.Dir, got, c.want)
		}
	}
	for _, c := range []struct {
		env                   execenv.Env
		name, dir, base, root string
		rel                   string
		below                 bool
	}{
		{unix, "/a/b/c.txt", "/a/b", "c.txt", "/a", "b/c.txt", true},
		{unix, "/a", "/", "a", "/", "a", true},
		{unix, "/ab", "/", "ab", "/a", "", false},
		{unix, "/a", "/", "a", "/a", ".", true},
		{windows, `C:\a\b\c.txt`, `C:\a\b`, "c.txt", `c:\A`, "b/c.txt", true},
		{windows, `C:\a`, `C:\`, "a", `C:\`, "a", true},
		{windows, `\\h\s\x`, `\\h\s\`, "x", `D:\`, "", false},
	} {
		if got := c.env.ParentDir(c.name); got != c.dir {
			t.Errorf("ParentDir(%q) = %q, want %q", c.name, got, c.dir)
		}
		if got := c.env.BaseName(c.name); got != c.base {
			t.Errorf("BaseName(%q) = %q, want %q", c.name, got, c.base)
		}
		if rel, ok := c.env.Rel(c.root, c.name); ok != c.below || ok && rel != c.rel {
			t.Errorf("Rel(%q, %q) = %q, %v; want %q, %v", c.root, c.name, rel, ok, c.rel, c.below)
		}
	}
	if in := unix.In("src"); in.Dir != "/home/ada/src" || unix.Dir != "/home/ada" {
		t.Errorf("In changed %q to %q", unix.Dir, in.Dir)
	}
}

func TestLocalNeedsAbsolutePath(t *testing.T) {
	t.Parallel()
	if _, err := execenv.Local("here", execenv.LocalOptions{}); err == nil {
		t.Error("a relative working directory was taken")
	}
}

func TestEnvWithoutShell(t *testing.T) {
	t.Parallel()
	for _, env := range []execenv.Env{{}, execenv.Memory(nil)} {
		if _, err := env.Run(t.Context(), execenv.Command{Script: "true"}); !errors.Is(err, execenv.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	}
}

func TestScriptedShell(t *testing.T) {
	t.Parallel()
	shell := execenv.NewScriptedShell(
		execenv.Step{Script: "make", Output: []string{"cc ", "a.c\n"}, ExitCode: 2},
		execenv.Step{Block: true},
	)
	env := execenv.Memory(shell)
	out := ""
	res, err := env.Run(t.Context(), execenv.Command{Script: "make", Output: func(b []byte) { out += string(b) }})
	if err != nil || res.ExitCode != 2 || out != "cc a.c\n" {
		t.Errorf("%q, %+v, %v", out, res, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := env.Run(ctx, execenv.Command{Script: "sleep"}); !errors.Is(err, context.Canceled) {
		t.Errorf("blocked command ended with %v", err)
	}
	if _, err := env.Run(t.Context(), execenv.Command{Script: "more"}); err == nil {
		t.Error("a command without a step was run")
	}
	if got := shell.Commands(); len(got) != 3 || got[0].Dir != "/work" {
		t.Errorf("remembered %+v", got)
	}
}

func ExampleMemory() {
	ctx := context.Background()
	env := execenv.Memory(execenv.NewScriptedShell(execenv.Step{Output: []string{"hello\n"}}))
	if err := env.FS.WriteFile(ctx, env.Abs("notes.txt"), []byte("buy milk"), 0o644); err != nil {
		fmt.Println(err)
	}
	data, _ := env.FS.ReadFile(ctx, "/work/notes.txt")
	fmt.Println(string(data))
	env.Run(ctx, execenv.Command{
		Script: "echo hello",
		Output: func(b []byte) { fmt.Print(string(b)) },
	})
	// Output:
	// buy milk
	// hello
}
