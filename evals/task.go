package evals

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/pi-go/pi/ai"
)

// Task is something for an agent to do, and how to tell whether it did. In YAML
// the fields have the names in brackets.
type Task struct {
	// Name [name] is the file's name without its ending unless it is given.
	Name string
	// Description [description] is for people.
	Description string
	// Files [files] are written into the workspace: contents by path.
	Files map[string]string
	// Setup [setup] are shell commands that prepare the workspace.
	Setup []string
	// Prompts [prompt, or prompts for several] are worked on one after the
	// other, in one session.
	Prompts []string
	// Model [model] is PROVIDER/ID or a part of it; "" means the runner's.
	Model string
	// Thinking [thinking] is the level; "" means the default.
	Thinking ai.ThinkingLevel
	// Tools [tools] are those to offer; nil means the default ones.
	Tools []string
	// MaxTurns [max_turns] is how many requests the task may take, 25 unless
	// it is given.
	MaxTurns int
	// Timeout [timeout, such as 90s] is how long it may take, setup and checks
	// included; 5 minutes unless it is given.
	Timeout time.Duration
	// Checks [checks] all have to pass.
	Checks []Check
}

const (
	defaultTurns   = 25
	defaultTimeout = 5 * time.Minute
)

// taskFile is the form of a file.
type taskFile struct {
	Name        string            `yaml:"name"`
	Description string            `yaml:"description"`
	Files       map[string]string `yaml:"files"`
	Setup       texts             `yaml:"setup"`
	Prompt      string            `yaml:"prompt"`
	Prompts     []string          `yaml:"prompts"`
	Model       string            `yaml:"model"`
	Thinking    ai.ThinkingLevel  `yaml:"thinking"`
	Tools       []string          `yaml:"tools"`
	MaxTurns    int               `yaml:"max_turns"`
	Timeout     duration          `yaml:"timeout"`
	Checks      []Check           `yaml:"checks"`
}

// texts is a list of texts that may be written as one text.
type texts []string

// UnmarshalYAML reads a text or a list of texts.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	var list []string
	if n.Kind != yaml.ScalarNode {
		if err := n.Decode(&list); err != nil {
			return err
		}
		*t = list
		return nil
	}
	var one string
	if err := n.Decode(&one); err != nil {
		return err
	}
	*t = texts{one}
	return nil
}

// duration is a length of time as Go writes it.
type duration time.Duration

// UnmarshalYAML reads texts such as 1m30s.
func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v <= 0 {
		return fmt.Errorf("line %d: %q is no length of time; write 90s or 2m", n.Line, n.Value)
	}
	*d = duration(v)
	return nil
}

// ParseTask reads a task. name is that of its file, for errors and as the task's
// name. A field that does not exist is an error, so that a misspelt check does
// not pass.
func ParseTask(name string, data []byte) (Task, error) {
	var f taskFile
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			return Task{}, fmt.Errorf("%s: the file is empty", name)
		}
		return Task{}, fmt.Errorf("%s: %s", name, yamlFault(err))
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Task{}, fmt.Errorf("%s: there is more than one document; give each task a file of its own", name)
	}
	t := Task{
		Name: f.Name, Description: strings.TrimSpace(f.Description), Files: f.Files, Setup: f.Setup, Prompts: f.Prompts,
		Model: f.Model, Thinking: f.Thinking, Tools: f.Tools, Checks: f.Checks,
		MaxTurns: cmp.Or(f.MaxTurns, defaultTurns), Timeout: cmp.Or(time.Duration(f.Timeout), defaultTimeout),
	}
	if t.Name == "" {
		t.Name = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if f.Prompt != "" {
		if len(f.Prompts) > 0 {
			return Task{}, fmt.Errorf("%s: give prompt or prompts, not both", name)
		}
		t.Prompts = []string{f.Prompt}
	}
	if err := t.check(); err != nil {
		return Task{}, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// yamlFault says what is wrong with a file in words of this package.
func yamlFault(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		before, field, ok := strings.Cut(line, "field ")
		field, _, ok2 := strings.Cut(field, " not found in type")
		if ok && ok2 {
			line = before + "there is no field " + field
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// check finds what can not work.
func (t Task) check() error {
	if t.Name == "" || strings.ContainsAny(t.Name, `/\`) || strings.HasPrefix(t.Name, ".") {
		return fmt.Errorf("the name %q can not be that of a directory", t.Name)
	}
	if len(t.Prompts) == 0 {
		return errors.New("there is no prompt")
	}
	for i, p := range t.Prompts {
		if strings.TrimSpace(p) == "" {
			return fmt.Errorf("prompts[%d] is empty", i)
		}
	}
	if t.MaxTurns < 0 {
		return fmt.Errorf("max_turns is %d", t.MaxTurns)
	}
	if t.Thinking != "" && !slices.Contains(ai.ThinkingLevels(), t.Thinking) {
		return fmt.Errorf("thinking is %q; it may be one of %v", t.Thinking, ai.ThinkingLevels())
	}
	for name := range t.Files {
		if err := local(name); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	if len(t.Checks) == 0 {
		return errors.New("there are no checks, so it could not fail")
	}
	for i, c := range t.Checks {
		if err := c.check(); err != nil {
			return fmt.Errorf("checks[%d]: %w", i, err)
		}
	}
	return nil
}

// local refuses paths that lead out of the workspace.
func local(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsRune(name, 0) {
		return fmt.Errorf("the path %q leads out of the workspace", name)
	}
	return nil
}

// Load reads tasks from files, and from all files directly in directories that
// end in .yaml or .yml. They are sorted by name within a directory.
func Load(fsys fs.FS, names ...string) ([]Task, error) {
	var tasks []Task
	seen := make(map[string]string)
	for _, name := range names {
		files, err := taskFiles(fsys, name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := fs.ReadFile(fsys, file)
			if err != nil {
				return nil, fmt.Errorf("read task: %w", err)
			}
			t, err := ParseTask(file, data)
			if err != nil {
				return nil, err
			}
			if other, taken := seen[t.Name]; taken {
				return nil, fmt.Errorf("%s: the task of %s has the name %q too", file, other, t.Name)
			}
			seen[t.Name] = file
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

func taskFiles(fsys fs.FS, name string) ([]string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	var files []string
	for _, e := range entries {
		if ext := path.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files = append(files, path.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read tasks: %s has no file that ends in .yaml", name)
	}
	return files, nil
}
