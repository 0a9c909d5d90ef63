package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// CommandDetails are the details of bash and powershell results whose output is
// not all in the text.
type CommandDetails struct {
	Truncation *truncate.Result `json:"truncation,omitempty"`
	// FullOutputPath is the file that holds all output.
	FullOutputPath string `json:"fullOutputPath,omitempty"`
}

// CommandOutput is the structured value of bash and powershell results.
type CommandOutput struct {
	// Output is what the command wrote, up to 1 MiB of it.
	Output string `json:"output"`
	// Truncated says that the middle of Output is left out.
	Truncated       bool    `json:"truncated"`
	FullOutputPath  string  `json:"full_output_path,omitempty"`
	ExitCode        int     `json:"exit_code"`
	WallTimeSeconds float64 `json:"wall_time_seconds"`
}

const (
	// maxTimeout is the longest timeout in seconds: 2^31-1 milliseconds.
	maxTimeout = 2147483.647
	// updateEvery is the shortest time between two updates.
	updateEvery = 100 * time.Millisecond
)

func bashTool(o Options) Definition {
	c := commander{o: o, prefix: "pi-bash", run: o.Env.Run, script: func(s string) string {
		if o.CommandPrefix != "" {
			return o.CommandPrefix + "\n" + s
		}
		return s
	}}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "bash",
			Description: fmt.Sprintf("Run a bash command in the working directory and get its standard output and standard error. "+
				"Of long output the last %d lines or %s are returned, whichever is less, and all of it is kept in a file. "+
				"A timeout in seconds can be set.", truncate.MaxLines, truncate.FormatSize(truncate.MaxBytes)),
			Parameters: commandSchema("The bash command to run"),
			Sampling:   ai.StrictPreferred(),
			Execute:    c.execute,
		},
		Snippet: "Run shell commands",
		Guidelines: []string{
			"The environment variables PI_SESSION_ID, PI_SESSION_FILE, PI_PROVIDER, PI_MODEL and PI_REASONING_LEVEL describe this session to bash commands.",
		},
	}
}

func powerShellTool(o Options) Definition {
	c := commander{o: o, prefix: "pi-powershell", script: func(s string) string {
		return powerShellScript(s, o.OldPowerShell != nil && o.OldPowerShell())
	}}
	c.run = func(ctx context.Context, cmd execenv.Command) (execenv.Result, error) {
		env := o.Env
		env.Shell = o.PowerShell
		return env.Run(ctx, cmd)
	}
	if o.PowerShell == nil {
		c.refuse = errors.New("powershell is only available on Windows; use bash")
	}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "powershell",
			Description: fmt.Sprintf("Run a PowerShell command in the working directory and get its output and errors. "+
				"Of long output the last %d lines or %s are returned, whichever is less, and all of it is kept in a file. "+
				"A timeout in seconds can be set.", truncate.MaxLines, truncate.FormatSize(truncate.MaxBytes)),
			Parameters: commandSchema("The PowerShell command to run"),
			Sampling:   ai.StrictPreferred(),
			Execute:    c.execute,
		},
		Snippet: "Run PowerShell commands",
		Guidelines: []string{
			"The environment variables PI_SESSION_ID, PI_SESSION_FILE, PI_PROVIDER, PI_MODEL and PI_REASONING_LEVEL describe this session to PowerShell commands.",
		},
	}
}

// powerShellScript sets UTF-8 output and, for Windows PowerShell 5.1, makes an
// exit code of the success of the last statement: -Command alone would report 1
// whenever a native program wrote to standard error.
func powerShellScript(script string, old bool) string {
	text := "[Console]::OutputEncoding = [System.Text.Encoding]::UTF8\n" + script
	if !old || strings.HasSuffix(strings.TrimRight(script, " \t\r\n"), "`") {
		return text
	}
	return text + "\nif ($?) { exit 0 } " +
		"elseif ($Error.Count -gt 0 -and $Error[0].FullyQualifiedErrorId -like 'NativeCommandError*' -and $LASTEXITCODE -eq 0) { exit 0 } " +
		"else { exit 1 }"
}

func commandSchema(command string) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","required":["command"],"properties":{`+
		`"command":{"type":"string","description":%q},`+
		`"timeout":{"type":"number","description":"Seconds after which the command is killed; without it there is no limit"}}}`, command)
}

// commander is what bash and powershell have in common.
type commander struct {
	o      Options
	prefix string // of log files
	run    func(context.Context, execenv.Command) (execenv.Result, error)
	script func(string) string
	refuse error
}

func (c commander) execute(ctx context.Context, call agentcore.ToolCall, update func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct {
		Command string
		Timeout *float64
	}](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	if c.refuse != nil {
		return agentcore.ToolResult{}, c.refuse
	}
	timeout, err := commandTimeout(args.Timeout)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	cmd := execenv.Command{
		Script: c.script(args.Command), Dir: c.o.Env.Dir, Timeout: timeout, Unset: SessionVariables(),
	}
	if c.o.SessionEnv != nil {
		cmd.Env = c.o.SessionEnv()
	}
	if c.o.PrepareCommand != nil {
		if err := c.o.PrepareCommand(ctx, &cmd); err != nil {
			return agentcore.ToolResult{}, err
		}
	}
	m := &monitor{out: newCollector(ctx, c.o.Env, c.prefix), update: update}
	m.start()
	cmd.Output, cmd.Late = m.write, m.late
	res, err := c.run(ctx, cmd)
	m.stop()
	if err != nil && !errors.Is(err, execenv.ErrTimeout) && ctx.Err() == nil {
		return agentcore.ToolResult{}, err
	}
	return m.result(res, err, timeout), nil
}

// commandTimeout checks a timeout in seconds.
func commandTimeout(seconds *float64) (time.Duration, error) {
	if seconds == nil {
		return 0, nil
	}
	s := *seconds
	if !(s > 0 && s <= maxTimeout) {
		return 0, fmt.Errorf("timeout is %s seconds; it must be more than 0 and at most %s", decimal(s), decimal(maxTimeout))
	}
	return max(time.Duration(s*float64(time.Second)), 1), nil
}

// monitor feeds the output of a running command to a collector and sends updates,
// no more than one in updateEvery, each with all that is to be seen.
type monitor struct {
	mu     sync.Mutex
	out    *collector
	update func(agentcore.ToolResult)
	timer  *time.Timer // runs while an update is due
	last   time.Time
	dirty  bool
	over   bool
}

// start sends the first, empty update.
func (m *monitor) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.update(agentcore.ToolResult{Content: []ai.Block{}})
	m.last = time.Now()
}

func (m *monitor) write(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out.write(b)
	m.dirty = true
	if m.timer == nil {
		m.timer = time.AfterFunc(updateEvery-time.Since(m.last), m.due)
	}
}

// due is called by the timer.
func (m *monitor) due() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer = nil
	m.send()
}

func (m *monitor) send() {
	if !m.dirty || m.over {
		return
	}
	m.dirty, m.last = false, time.Now()
	shown := m.out.shown()
	res := agentcore.TextResult(shown.Content)
	res.Details = m.details(shown) // always: others look into it without asking
	m.update(res)
}

func (m *monitor) late() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out.late()
}

// stop takes the end of the output and sends the last update.
func (m *monitor) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer != nil {
		m.timer.Stop()
	}
	m.send()
	m.out.close()
	m.over = true
}

// details tells what is not shown; its zero value says that all is.
func (m *monitor) details(shown truncate.Result) CommandDetails {
	d := CommandDetails{FullOutputPath: m.out.logName()}
	if shown.Truncated {
		shown.Content = ""
		d.Truncation = &shown
	}
	return d
}

// result puts the result of a command together. An error is a timeout or an
// abort.
func (m *monitor) result(res execenv.Result, err error, timeout time.Duration) agentcore.ToolResult {
	shown := m.out.shown()
	var notes []string
	add := func(note string) {
		if note != "" {
			notes = append(notes, note)
		}
	}
	add(m.out.hint(shown))
	if n := m.out.cleaner.dropped; n > 0 {
		add(fmt.Sprintf("[%s of progress displays left out.]", count(n, "earlier state")))
	}
	if res.Detached {
		where := "What they print from now on is lost."
		if name := m.out.logName(); name != "" {
			where = "What they print from now on goes to " + name + "."
		}
		add("[Processes in the background still hold the output of the command. " + where + "]")
	}
	failed := true
	switch {
	case errors.Is(err, execenv.ErrTimeout):
		note := fmt.Sprintf("The command timed out after %s and was killed.", seconds(timeout))
		if res.Exited {
			note = fmt.Sprintf("The command timed out after %s: its shell had ended with exit code %d after %s, "+
				"and processes in the background kept its output open. They were killed.",
				seconds(timeout), res.ExitCode, seconds(res.ShellTime))
		}
		add(note)
	case err != nil:
		add("The command was aborted.")
	case res.ExitCode > 128 && res.ExitCode <= 128+64:
		add(fmt.Sprintf("Exit code %d (killed by signal %d).", res.ExitCode, res.ExitCode-128))
	case res.ExitCode != 0:
		add(fmt.Sprintf("Exit code %d.", res.ExitCode))
	default:
		failed = false
	}
	text := strings.TrimRight(shown.Content, "\n")
	if text == "" && !failed {
		text = "(no output)"
	}
	if text != "" {
		notes = append([]string{text}, notes...)
	}
	out := agentcore.TextResult(strings.Join(notes, "\n\n"))
	out.IsError = failed
	if d := m.details(shown); d != (CommandDetails{}) {
		out.Details = d
	}
	structured := CommandOutput{
		FullOutputPath: m.out.logName(), ExitCode: res.ExitCode,
		WallTimeSeconds: math.Round(res.Duration.Seconds()*10) / 10,
	}
	structured.Output, structured.Truncated = m.out.forPrograms()
	out.Structured = structured
	return out
}

// seconds writes a time for people.
func seconds(d time.Duration) string {
	s := d.Seconds()
	if s == 1 {
		return "1 second"
	}
	return decimal(math.Round(s*1000)/1000) + " seconds"
}

// decimal writes a number without an exponent, unless it would be endless.
func decimal(f float64) string {
	if math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
