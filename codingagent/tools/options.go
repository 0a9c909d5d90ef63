package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/picture"
)

// Options says where and how the tools work. Only Env is required.
type Options struct {
	// Env is the files, the shell and the working directory.
	Env execenv.Env
	// Queue orders changes of files. Sessions that may work on the same files should
	// share one. Nil means a private one.
	Queue *FileQueue
	// Model tells what the model of the running session takes. Nil means that
	// images are sent, with the usual limits.
	Model func() ModelFacts
	// KeepImageSize leaves images as large as they are.
	KeepImageSize bool
	// CommandPrefix is put on a line of its own before every bash command, to set
	// options or aliases.
	CommandPrefix string
	// SessionEnv gives the variables that tell a command about its session, as
	// "NAME=value"; it is asked for each command. Inherited values of
	// [SessionVariables] are removed in any case.
	SessionEnv func() []string
	// PrepareCommand may change a command of bash or powershell before it is run.
	// An error refuses it.
	PrepareCommand func(ctx context.Context, cmd *execenv.Command) error
	// PowerShell runs the commands of the powershell tool. Nil makes that tool fail.
	PowerShell execenv.Shell
	// OldPowerShell says that PowerShell is a Windows PowerShell 5.1, whose exit
	// codes need help. It is asked for each command; nil means no.
	OldPowerShell func() bool
}

// ModelFacts is what a tool has to know of the model.
type ModelFacts struct {
	// ID names the model in details.
	ID string
	// TextOnly says that the model does not take images.
	TextOnly bool
	// Images is the size of images it takes.
	Images picture.Limits
}

// SessionVariables lists the environment variables that describe a session to a
// command. They are never inherited.
func SessionVariables() []string {
	return []string{"PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"}
}

// Definition is a tool and what a system prompt says about it.
type Definition struct {
	*agentcore.Tool
	// Snippet describes the tool in one line.
	Snippet string
	// Guidelines are rules for using it, one sentence each.
	Guidelines []string
}

// New returns all built-in tools, in the order read, bash, powershell, edit,
// write, grep, find, ls. Which of them an agent gets is the caller's decision.
func New(o Options) []Definition {
	if o.Queue == nil {
		o.Queue = new(FileQueue)
	}
	if o.Model == nil {
		o.Model = func() ModelFacts { return ModelFacts{} }
	}
	return []Definition{
		readTool(o), bashTool(o), powerShellTool(o), editTool(o), writeTool(o), grepTool(o), findTool(o), lsTool(o),
	}
}

// DefaultNames lists the tools that are active where nothing else is said.
func DefaultNames() []string { return []string{"read", "bash", "edit", "write"} }

// Find returns the definition of a name.
func Find(set []Definition, name string) (Definition, bool) {
	i := slices.IndexFunc(set, func(d Definition) bool { return d.Name == name })
	if i < 0 {
		return Definition{}, false
	}
	return set[i], true
}

// arguments decodes the arguments of a call, which fit the schema.
func arguments[T any](call agentcore.ToolCall) (args T, err error) {
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return args, fmt.Errorf("read arguments of %s: %w", call.Name, err)
	}
	return args, nil
}
