package evals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
)

// Check is one thing that must hold when the agent is done. Exactly one field is
// set.
type Check struct {
	File    *FileCheck    `yaml:"file"`
	Answer  *TextCheck    `yaml:"answer"` // of the last answer's text, trimmed
	Tool    *ToolCheck    `yaml:"tool"`
	Command *CommandCheck `yaml:"command"`
}

// TextCheck says what a text must be like. At least one field is set.
type TextCheck struct {
	// Equals is the whole text.
	Equals *string `yaml:"equals"`
	// Contains and Lacks are texts that must and must not occur in it; one
	// text may stand for a list.
	Contains texts `yaml:"contains"`
	Lacks    texts `yaml:"lacks"`
	// Matches is a regular expression that must match a part of it.
	Matches string `yaml:"matches"`
}

// FileCheck says what a file of the workspace must be like. With Path only it
// must be there.
type FileCheck struct {
	Path      string `yaml:"path"`
	Absent    bool   `yaml:"absent"`
	TextCheck `yaml:",inline"`
}

// ToolCheck says how often a tool must have been called; with Name only at least
// once.
type ToolCheck struct {
	Name  string `yaml:"name"`
	Times *int   `yaml:"times"`
	Never bool   `yaml:"never"`
	// OK counts only calls that did not fail.
	OK bool `yaml:"ok"`
}

// CommandCheck is a shell command that must exit with Exit, 0 unless it is
// given, when it is run in the workspace.
type CommandCheck struct {
	Run  string `yaml:"run"`
	Exit int    `yaml:"exit"`
	// Output says what it must print, on both outputs together.
	Output *TextCheck `yaml:"output"`
	// Timeout is how long it may take, one minute unless it is given.
	Timeout duration `yaml:"timeout"`
}

// check finds what can not work.
func (c Check) check() error {
	set := 0
	var err error
	if c.File != nil {
		set++
		err = c.File.check()
	}
	if c.Answer != nil {
		set++
		err = c.Answer.check(true)
	}
	if c.Tool != nil {
		set++
		err = c.Tool.check()
	}
	if c.Command != nil {
		set++
		err = c.Command.check()
	}
	if set != 1 {
		return errors.New("a check has exactly one of file, answer, tool and command")
	}
	return err
}

func (c TextCheck) empty() bool {
	return c.Equals == nil && len(c.Contains) == 0 && len(c.Lacks) == 0 && c.Matches == ""
}

func (c TextCheck) check(needed bool) error {
	if needed && c.empty() {
		return errors.New("it says nothing of the text; give equals, contains, lacks or matches")
	}
	for _, t := range append(append(texts(nil), c.Contains...), c.Lacks...) {
		if t == "" {
			return errors.New("an empty text is in every text")
		}
	}
	if _, err := regexp.Compile(c.Matches); err != nil {
		return fmt.Errorf("matches: %w", err)
	}
	return nil
}

func (c FileCheck) check() error {
	if err := local(c.Path); err != nil {
		return fmt.Errorf("file: %w", err)
	}
	if c.Absent && !c.empty() {
		return fmt.Errorf("file %s: a file that is absent has no text", c.Path)
	}
	if err := c.TextCheck.check(false); err != nil {
		return fmt.Errorf("file %s: %w", c.Path, err)
	}
	return nil
}

func (c ToolCheck) check() error {
	switch {
	case c.Name == "":
		return errors.New("tool: name is missing")
	case c.Never && (c.Times != nil || c.OK):
		return fmt.Errorf("tool %s: never goes with nothing else", c.Name)
	case c.Times != nil && *c.Times < 0:
		return fmt.Errorf("tool %s: times is %d", c.Name, *c.Times)
	}
	return nil
}

func (c CommandCheck) check() error {
	if strings.TrimSpace(c.Run) == "" {
		return errors.New("command: run is missing")
	}
	if c.Output != nil {
		return c.Output.check(true)
	}
	return nil
}

// evidence is what checks look at.
type evidence struct {
	dir    string // workspace
	env    execenv.Env
	answer string
	calls  map[string]*Calls
}

// String says in a few words what is checked.
func (c Check) String() string {
	switch {
	case c.File != nil && c.File.Absent:
		return fmt.Sprintf("file %s is absent", c.File.Path)
	case c.File != nil:
		return fmt.Sprintf("file %s %s", c.File.Path, c.File.TextCheck)
	case c.Answer != nil:
		return fmt.Sprintf("answer %s", *c.Answer)
	case c.Tool != nil:
		return c.Tool.String()
	case c.Command != nil:
		return fmt.Sprintf("command %s exits with %d", short(c.Command.Run), c.Command.Exit)
	}
	return "nothing"
}

// String says what the text must be like.
func (c TextCheck) String() string {
	var parts []string
	if c.Equals != nil {
		parts = append(parts, "equals "+short(*c.Equals))
	}
	for _, t := range c.Contains {
		parts = append(parts, "contains "+short(t))
	}
	for _, t := range c.Lacks {
		parts = append(parts, "lacks "+short(t))
	}
	if c.Matches != "" {
		parts = append(parts, "matches "+short(c.Matches))
	}
	if len(parts) == 0 {
		return "is there"
	}
	return strings.Join(parts, ", ")
}

// String says how often the tool must have been called.
func (c ToolCheck) String() string {
	ok := ""
	if c.OK {
		ok = " without error"
	}
	switch {
	case c.Never:
		return "tool " + c.Name + " is never called"
	case c.Times != nil:
		return fmt.Sprintf("tool %s is called %d times%s", c.Name, *c.Times, ok)
	}
	return "tool " + c.Name + " is called" + ok
}

// short quotes a text, cut where it is long.
func short(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return fmt.Sprintf("%q…", string(r[:most]))
	}
	return fmt.Sprintf("%q", text)
}

// fault says what does not hold, "" if all does.
func (c Check) fault(ctx context.Context, e evidence) string {
	switch {
	case c.File != nil:
		return c.File.fault(e)
	case c.Answer != nil:
		return c.Answer.fault(strings.TrimSpace(e.answer))
	case c.Tool != nil:
		return c.Tool.fault(e)
	case c.Command != nil:
		return c.Command.fault(ctx, e)
	}
	return "the check is empty"
}

func (c TextCheck) fault(text string) string {
	switch {
	case c.Equals != nil && text != *c.Equals:
		return fmt.Sprintf("want %s, got %s", short(*c.Equals), short(text))
	case c.Matches != "" && !regexp.MustCompile(c.Matches).MatchString(text): // was compiled before
		return fmt.Sprintf("%s does not match in %s", short(c.Matches), short(text))
	}
	for _, t := range c.Contains {
		if !strings.Contains(text, t) {
			return fmt.Sprintf("%s is not in %s", short(t), short(text))
		}
	}
	for _, t := range c.Lacks {
		if strings.Contains(text, t) {
			return fmt.Sprintf("%s is in it", short(t))
		}
	}
	return ""
}

func (c FileCheck) fault(e evidence) string {
	// A link that the agent made must not lead out of the workspace.
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return err.Error()
	}
	defer root.Close()
	name := filepath.FromSlash(c.Path)
	if c.Absent {
		_, err := root.Lstat(name)
		switch {
		case err == nil:
			return "it is there"
		case !errors.Is(err, fs.ErrNotExist):
			return err.Error()
		}
		return ""
	}
	data, err := root.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there"
	case err != nil:
		return err.Error()
	}
	return c.TextCheck.fault(string(data))
}

func (c ToolCheck) fault(e evidence) string {
	n := 0
	if calls := e.calls[c.Name]; calls != nil {
		n = calls.Made
		if c.OK {
			n -= calls.Failed
		}
	}
	switch {
	case c.Never && n > 0, c.Times != nil && n != *c.Times, !c.Never && c.Times == nil && n == 0:
		return fmt.Sprintf("it was called %d times", n)
	}
	return ""
}

func (c CommandCheck) fault(ctx context.Context, e evidence) string {
	limit := time.Duration(c.Timeout)
	if limit == 0 {
		limit = time.Minute
	}
	out, code, err := runCommand(ctx, e.env, c.Run, limit)
	switch {
	case err != nil:
		return err.Error()
	case code != c.Exit:
		return fmt.Sprintf("it exited with %d and printed %s", code, short(out))
	case c.Output != nil:
		if fault := c.Output.fault(out); fault != "" {
			return "its output: " + fault
		}
	}
	return ""
}

// runCommand runs a shell command in the workspace and gives what it printed, of
// long output the end.
func runCommand(ctx context.Context, env execenv.Env, script string, limit time.Duration) (string, int, error) {
	const most = 1 << 20
	var out []byte
	r, err := env.Run(ctx, execenv.Command{Script: script, Timeout: limit, Output: func(b []byte) {
		if out = append(out, b...); len(out) > 2*most {
			out = append(out[:0], out[len(out)-most:]...)
		}
	}})
	if err != nil {
		return "", 0, fmt.Errorf("run %s: %w", short(script), err)
	}
	return string(out), r.ExitCode, nil
}
