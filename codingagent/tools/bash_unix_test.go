//go:build unix

package tools_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

// The tool with a real shell.
func TestBashForReal(t *testing.T) {
	t.Parallel()
	env := local(t, map[string]string{"sub/x": ""})
	o := tools.Options{Env: env, SessionEnv: func() []string { return []string{"PI_MODEL=faux"} }}
	run := func(script string) string {
		return text(call(t.Context(), t, o, "bash", args{"command": script, "timeout": 20}))
	}
	for script, want := range map[string]string{
		"ls":                               "sub",
		"echo out; echo err >&2; echo out": "out\nerr\nout",
		"echo ${PI_MODEL-none} ${PI_PROVIDER-none}": "faux none",
		"cat; echo end": "end",
		"exit 7":        "Exit code 7.",
		"printf 'a 10%%\\ra 50%%\\ra 100%%\\n\\033[1A\\033[2Kdone\\t|\\033[31mred\\033[0m\\n'": "a 100%\ndone\t|red\n\n[2 earlier states of progress displays left out.]",
		"printf 'ok\\xff\\xfe\\x00end\\n'": "ok\uFFFD\uFFFDend",
	} {
		if got := run(script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	got := run("head -c 1048576 /dev/zero | tr '\\0' x")
	hint := got[strings.LastIndex(got, "\n\n")+2:]
	if !strings.HasPrefix(withoutName(hint), "[Last 50.0KB of line 1 shown, which has 1.0MB. Full output: "+env.Temp) || len(got) > 60_000 {
		t.Errorf("a line of 1 MB: %d bytes, %q", len(got), hint)
	}
	missing := o
	missing.Env.Dir = env.Dir + "/gone"
	if r := call(t.Context(), t, missing, "bash", args{"command": "true"}); !r.IsError || text(r) != "run command: working directory "+missing.Env.Dir+" does not exist" {
		t.Errorf("missing directory: %q", text(r))
	}
}

// What a background process prints after the command goes to the log, behind
// what the command printed.
func TestBashLateOutput(t *testing.T) {
	t.Parallel()
	env := local(t, nil)
	r := call(t.Context(), t, tools.Options{Env: env}, "bash", args{
		"command": "(until [ -e go ]; do sleep 0.05; done; echo late) & echo up", "timeout": 20,
	})
	d, ok := r.Details.(tools.CommandDetails)
	if r.IsError || !ok || !strings.HasPrefix(text(r), "up\n\n[Processes in the background") {
		t.Fatalf("%q, %v", text(r), r.Details)
	}
	put(t, env, "go", "")
	eventually(t, "the log has everything", func() bool {
		data, _ := os.ReadFile(d.FullOutputPath)
		return string(data) == "up\nlate\n"
	})
}

func TestUserCommandForReal(t *testing.T) {
	t.Parallel()
	env := local(t, nil)
	r, err := tools.RunUserCommand(t.Context(), env, "echo $0; kill -9 $$", nil)
	if err != nil || *r.ExitCode != 128+int(syscall.SIGKILL) || !strings.HasSuffix(r.Output, "sh\n") {
		t.Errorf("%+v, %v", r, err)
	}
	env.Shell = execenv.NoShell{}
	if _, err := tools.RunUserCommand(t.Context(), env, "true", nil); err == nil {
		t.Error("a command ran without a shell")
	}
}

// eventually waits until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
