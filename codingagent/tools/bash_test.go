package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

// scripted is a bash tool whose commands are answered by steps.
func scripted(steps ...execenv.Step) (tools.Options, *execenv.ScriptedShell) {
	shell := execenv.NewScriptedShell(steps...)
	env := execenv.Memory(shell)
	shell.FS = env.FS
	return tools.Options{Env: env}, shell
}

// withoutName takes the random part out of names of log files.
func withoutName(s string) string {
	return regexp.MustCompile(`pi-(bash|powershell)-[0-9a-f]{16}\.log`).ReplaceAllString(s, "pi-$1-HEX.log")
}

func TestBashResults(t *testing.T) {
	t.Parallel()
	manyLines := rows(2500)
	thickLine := strings.Repeat("z", 999) + "\n"
	for _, c := range []struct {
		name    string
		step    execenv.Step
		want    string
		isError bool
		details string
		output  tools.CommandOutput
	}{
		{"plain", execenv.Step{Output: []string{"a\n", "b\n"}}, "a\nb", false, "null", tools.CommandOutput{Output: "a\nb\n"}},
		{"nothing", execenv.Step{}, "(no output)", false, "null", tools.CommandOutput{}},
		{"failure", execenv.Step{Output: []string{"oops\n"}, ExitCode: 3}, "oops\n\nExit code 3.", true, "null", tools.CommandOutput{Output: "oops\n", ExitCode: 3}},
		{"silent failure", execenv.Step{ExitCode: 1}, "Exit code 1.", true, "null", tools.CommandOutput{ExitCode: 1}},
		{"killed", execenv.Step{ExitCode: 137}, "Exit code 137 (killed by signal 9).", true, "null", tools.CommandOutput{ExitCode: 137}},
		{
			"for a terminal",
			execenv.Step{Output: []string{"\x1b[1mget 1%\rget", " 2%\rget 3%\n\x1b[0mok\n"}},
			"get 3%\nok\n\n[2 earlier states of progress displays left out.]", false, "null",
			tools.CommandOutput{Output: "\x1b[1mget 1%\rget 2%\rget 3%\n\x1b[0mok\n"},
		},
		{
			"many lines",
			execenv.Step{Output: []string{manyLines}, ExitCode: 2},
			strings.TrimSuffix(manyLines[strings.Index(manyLines, "row 501\n"):], "\n") +
				"\n\n[Lines 501-2500 of 2500 shown. Full output: /tmp/pi-bash-HEX.log]\n\nExit code 2.",
			true,
			`{"truncation":{"content":"","truncated":true,"truncatedBy":"lines","totalLines":2500,"totalBytes":21393,"outputLines":2000,"outputBytes":17500,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200},"fullOutputPath":"/tmp/pi-bash-HEX.log"}`,
			tools.CommandOutput{Output: manyLines, FullOutputPath: "/tmp/pi-bash-HEX.log", ExitCode: 2},
		},
		{
			"many bytes",
			execenv.Step{Output: []string{strings.Repeat(thickLine, 300)}},
			strings.TrimSuffix(strings.Repeat(thickLine, 51), "\n") + "\n\n[Lines 250-300 of 300 shown (50.0KB limit). Full output: /tmp/pi-bash-HEX.log]",
			false,
			`{"truncation":{"content":"","truncated":true,"truncatedBy":"bytes","totalLines":300,"totalBytes":300000,"outputLines":51,"outputBytes":50999,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200},"fullOutputPath":"/tmp/pi-bash-HEX.log"}`,
			tools.CommandOutput{Output: strings.Repeat(thickLine, 300), FullOutputPath: "/tmp/pi-bash-HEX.log"},
		},
		{
			"one line of 1 MB",
			execenv.Step{Output: []string{"a\n", strings.Repeat("x", 1<<20)}},
			strings.Repeat("x", 51200) + "\n\n[Last 50.0KB of line 2 shown, which has 1.0MB. Full output: /tmp/pi-bash-HEX.log]",
			false,
			`{"truncation":{"content":"","truncated":true,"truncatedBy":"bytes","totalLines":2,"totalBytes":1048578,"outputLines":1,"outputBytes":51200,` +
				`"lastLinePartial":true,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200},"fullOutputPath":"/tmp/pi-bash-HEX.log"}`,
			tools.CommandOutput{
				Output:    "a\n" + strings.Repeat("x", 512<<10-2) + "\n[... 2 bytes left out ...]\n" + strings.Repeat("x", 512<<10),
				Truncated: true, FullOutputPath: "/tmp/pi-bash-HEX.log",
			},
		},
		{
			"background",
			execenv.Step{Output: []string{"up\n"}, Late: "later\n"},
			"up\n\n[Processes in the background still hold the output of the command. What they print from now on goes to /tmp/pi-bash-HEX.log.]", false,
			`{"fullOutputPath":"/tmp/pi-bash-HEX.log"}`,
			tools.CommandOutput{Output: "up\n", FullOutputPath: "/tmp/pi-bash-HEX.log"},
		},
	} {
		o, shell := scripted(c.step)
		r := call(t.Context(), t, o, "bash", args{"command": "x"})
		if d := cmp.Diff(c.want, withoutName(text(r))); d != "" || r.IsError != c.isError {
			t.Errorf("%s: isError %v (-want +got):\n%.2000s", c.name, r.IsError, d)
		}
		if d := cmp.Diff(c.details, withoutName(jsonOf(t, r.Details))); d != "" {
			t.Errorf("%s: details (-want +got):\n%.2000s", c.name, d)
		}
		out := r.Structured.(tools.CommandOutput)
		path := out.FullOutputPath
		out.FullOutputPath, out.WallTimeSeconds = withoutName(path), 0
		if d := cmp.Diff(c.output, out); d != "" {
			t.Errorf("%s: structured (-want +got):\n%.2000s", c.name, d)
		}
		if path == "" {
			continue
		}
		if got, want := textOf(t, o.Env, path), strings.Join(c.step.Output, "")+c.step.Late; got != want {
			t.Errorf("%s: log has %d bytes, want %d", c.name, len(got), len(want))
		}
		if info, err := o.Env.FS.Stat(t.Context(), path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: log has mode %v, %v", c.name, info.Mode(), err)
		}
		_ = shell
	}
}

// Updates show the output so far, the first one at once and empty, the others no
// faster than ten in a second, and nothing after the end.
func TestBashUpdates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		env := execenv.Memory(execenv.ShellFunc(func(ctx context.Context, cmd execenv.Command) (execenv.Result, error) {
			for _, c := range "abcdefghij" {
				cmd.Output([]byte{byte(c), '\n'})
				time.Sleep(30 * time.Millisecond)
			}
			time.Sleep(time.Second)
			cmd.Output([]byte("last 1%\rlast 2%"))
			return execenv.Result{Exited: true, Duration: 1234 * time.Millisecond}, nil
		}))
		start := time.Now()
		type seen struct {
			At   time.Duration
			Text string
		}
		var got []seen
		r := call(t.Context(), t, tools.Options{Env: env}, "bash", args{"command": "x"}, func(r agentcore.ToolResult) {
			if r.Content == nil {
				t.Error("an update has no content list")
			}
			if text(r) != "" && r.Details == nil {
				t.Error("an update with output has no details")
			}
			got = append(got, seen{time.Since(start), text(r)})
		})
		time.Sleep(time.Second) // a timer that is left would fire now
		ms := time.Millisecond
		want := []seen{
			{0, ""},
			{100 * ms, "a\nb\nc\nd\n"},
			{200 * ms, "a\nb\nc\nd\ne\nf\ng\n"},
			{300 * ms, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"},
			{1300 * ms, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nlast 2%"},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("updates (-want +got):\n%s", d)
		}
		if out := r.Structured.(tools.CommandOutput); out.WallTimeSeconds != 1.2 || !strings.HasSuffix(text(r), "j\nlast 2%\n\n[1 earlier state of progress displays left out.]") {
			t.Errorf("result %q, %v seconds", text(r), out.WallTimeSeconds)
		}
	})
}

func TestBashTimeoutAndAbort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		big := rows(3000)
		o, _ := scripted(execenv.Step{Output: []string{"so far\n"}, Block: true}, execenv.Step{Output: []string{big}, Block: true})
		r := call(t.Context(), t, o, "bash", args{"command": "x", "timeout": 1.5})
		if want := "so far\n\nThe command timed out after 1.5 seconds and was killed."; !r.IsError || text(r) != want {
			t.Errorf("timeout: %q", text(r))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		r = call(ctx, t, o, "bash", args{"command": "x"})
		if !r.IsError || !strings.HasSuffix(text(r), ".log]\n\nThe command was aborted.") {
			t.Errorf("abort: %q", text(r)[len(text(r))-200:])
		}
		// The way to the whole output survives an abort.
		d, ok := r.Details.(tools.CommandDetails)
		if !ok || textOf(t, o.Env, d.FullOutputPath) != big {
			t.Errorf("abort: details %v", r.Details)
		}
	})
	env := execenv.Memory(execenv.ShellFunc(func(ctx context.Context, cmd execenv.Command) (execenv.Result, error) {
		return execenv.Result{Exited: true, ExitCode: 0, ShellTime: 200 * time.Millisecond}, execenv.ErrTimeout
	}))
	r := call(t.Context(), t, tools.Options{Env: env}, "bash", args{"command": "x", "timeout": 1})
	if want := "The command timed out after 1 second: its shell had ended with exit code 0 after 0.2 seconds, " +
		"and processes in the background kept its output open. They were killed."; !r.IsError || text(r) != want {
		t.Errorf("timeout after the shell: %q", text(r))
	}
}

func TestBashArguments(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[any]string{
		0:                "timeout is 0 seconds; it must be more than 0 and at most 2147483.647",
		-1.5:             "timeout is -1.5 seconds; it must be more than 0 and at most 2147483.647",
		2147483.648:      "timeout is 2147483.648 seconds; it must be more than 0 and at most 2147483.647",
		math.MaxFloat64:  "timeout is 1.7976931348623157e+308 seconds; it must be more than 0 and at most 2147483.647",
		2147483.647:      "",
		1e-12:            "",
		json.Number("2"): "",
	} {
		o, shell := scripted(execenv.Step{})
		r := call(t.Context(), t, o, "bash", args{"command": "x", "timeout": timeout})
		if want == "" && (r.IsError || shell.Commands()[0].Timeout <= 0) || want != "" && text(r) != want {
			t.Errorf("timeout %v: %q", timeout, text(r))
		}
	}

	o, shell := scripted(execenv.Step{}, execenv.Step{})
	o.CommandPrefix = "shopt -s expand_aliases"
	o.SessionEnv = func() []string { return []string{"PI_MODEL=m"} }
	call(t.Context(), t, o, "bash", args{"command": "ll"})
	got := shell.Commands()[0]
	if got.Script != "shopt -s expand_aliases\nll" || got.Dir != "/work" || got.Stdin != nil || got.Timeout != 0 ||
		strings.Join(got.Env, " ") != "PI_MODEL=m" || strings.Join(got.Unset, " ") != strings.Join(tools.SessionVariables(), " ") {
		t.Errorf("command %+v", got)
	}
	o.PrepareCommand = func(_ context.Context, cmd *execenv.Command) error {
		cmd.Script, cmd.Dir = "docker run "+cmd.Script, "/elsewhere"
		return nil
	}
	o.CommandPrefix = ""
	call(t.Context(), t, o, "bash", args{"command": "ll"})
	if got := shell.Commands()[1]; got.Script != "docker run ll" || got.Dir != "/elsewhere" {
		t.Errorf("command %+v", got)
	}
	o.PrepareCommand = func(context.Context, *execenv.Command) error { return errors.New("not today") }
	if r := call(t.Context(), t, o, "bash", args{"command": "ll"}); !r.IsError || text(r) != "not today" {
		t.Errorf("refused: %q", text(r))
	}
	if r := call(t.Context(), t, tools.Options{Env: execenv.Memory(nil)}, "bash", args{"command": "x"}); !r.IsError || text(r) != "no shell is available" {
		t.Errorf("no shell: %q", text(r))
	}
}

func TestPowerShell(t *testing.T) {
	t.Parallel()
	o, shell := scripted(execenv.Step{Output: []string{rows(2001)}}, execenv.Step{}, execenv.Step{})
	if r := call(t.Context(), t, o, "powershell", args{"command": "x"}); !r.IsError || text(r) != "powershell is only available on Windows; use bash" {
		t.Errorf("without PowerShell: %q", text(r))
	}
	o.PowerShell = shell
	r := call(t.Context(), t, o, "powershell", args{"command": "Get-Item x"})
	if !strings.HasSuffix(withoutName(text(r)), "[Lines 2-2001 of 2001 shown. Full output: /tmp/pi-powershell-HEX.log]") {
		t.Errorf("log: %q", text(r)[len(text(r))-100:])
	}
	o.OldPowerShell = func() bool { return true }
	call(t.Context(), t, o, "powershell", args{"command": "Get-Item x"})
	call(t.Context(), t, o, "powershell", args{"command": "Get-Item `\n"})
	const utf8 = "[Console]::OutputEncoding = [System.Text.Encoding]::UTF8\n"
	scripts := shell.Commands()
	if scripts[0].Script != utf8+"Get-Item x" || scripts[2].Script != utf8+"Get-Item `\n" {
		t.Errorf("scripts %q, %q", scripts[0].Script, scripts[2].Script)
	}
	if !strings.HasPrefix(scripts[1].Script, utf8+"Get-Item x\nif ($?) { exit 0 } ") || !strings.HasSuffix(scripts[1].Script, "else { exit 1 }") {
		t.Errorf("script %q", scripts[1].Script)
	}
}

// A log file that can not be written costs the hint, not the output.
func TestBashLogFails(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]string{
		"createtemp": "[Lines 1001-3000 of 3000 shown. The full output could not be saved: createtemp /tmp: disk full.]",
		"write":      "[Lines 1001-3000 of 3000 shown. The full output could not be saved: write /tmp/pi-bash-HEX.log: disk full.]",
	} {
		o, _ := scripted(execenv.Step{Output: []string{rows(3000)}})
		o.Env.FS.(*execenv.MemoryFS).Fault = func(got, name string) error {
			if got == op && fs.ValidPath(name[1:]) {
				return errors.New("disk full")
			}
			return nil
		}
		r := call(t.Context(), t, o, "bash", args{"command": "x"})
		if r.IsError || !strings.HasSuffix(withoutName(text(r)), "\n\n"+want) {
			t.Errorf("%s: %q", op, text(r)[len(text(r))-150:])
		}
	}
}

func TestUserCommand(t *testing.T) {
	t.Parallel()
	o, _ := scripted(
		execenv.Step{Output: []string{"\x1b[31mre", "d\x1b[0m 1%\rred 2%\r\nx\x00\n"}, ExitCode: 4},
		execenv.Step{Output: []string{"\x1b[1m" + rows(2500)}},
		execenv.Step{Err: errors.New("no such luck")},
	)
	var live strings.Builder
	r, err := tools.RunUserCommand(t.Context(), o.Env, "x", func(s string) { live.WriteString(s) })
	if err != nil || jsonOf(t, r) != `{"output":"red 2%\nx\n","exitCode":4,"cancelled":false,"truncated":false}` {
		t.Errorf("%s, %v", jsonOf(t, r), err)
	}
	if got, want := live.String(), "red 1%\rred 2%\nx\n"; got != want {
		t.Errorf("live %q, want %q", got, want)
	}
	r, err = tools.RunUserCommand(t.Context(), o.Env, "x", nil)
	if err != nil || !r.Truncated || textOf(t, o.Env, r.FullOutputPath) != rows(2500) {
		t.Errorf("%v, %v", r.Truncated, err)
	}
	if _, err = tools.RunUserCommand(t.Context(), o.Env, "x", nil); err == nil || err.Error() != "no such luck" {
		t.Errorf("failure: %v", err)
	}
	o, _ = scripted(execenv.Step{Output: []string{"part"}, Block: true})
	ctx, cancel := context.WithCancel(t.Context())
	r, err = tools.RunUserCommand(ctx, o.Env, "x", func(string) { cancel() })
	if err != nil || jsonOf(t, r) != `{"output":"part","cancelled":true,"truncated":false}` {
		t.Errorf("cancelled: %s, %v", jsonOf(t, r), err)
	}
}

// Random bytes become valid text, which survives a round trip through JSON.
func TestBashBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	random := make([]byte, 5000)
	for i := range random {
		random[i] = byte(i * i >> 3)
	}
	for _, out := range []string{"ok\xff\xfe\x00end\n", string(random)} {
		o, _ := scripted(execenv.Step{Output: []string{out[:3], out[3:]}})
		r := call(t.Context(), t, o, "bash", args{"command": "x"})
		got := text(r)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Errorf("%q is no text", got)
		}
		var back string
		if err := json.Unmarshal([]byte(jsonOf(t, got)), &back); err != nil || back != got {
			t.Errorf("%q came back as %q, %v", got, back, err)
		}
		if len(out) < 20 && got != "ok\uFFFD\uFFFDend" {
			t.Errorf("got %q", got)
		}
	}
}
