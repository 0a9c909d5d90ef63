package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

func writeTool(o Options) Definition {
	w := writer{o}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "write",
			Description: "Write a file: a new one, or all of an existing one in place of what it has. " +
				"Directories that are missing are made.",
			Parameters: json.RawMessage(`{"type":"object","required":["path","content"],"properties":{` +
				`"path":{"type":"string","description":"The file to write, absolute or relative to the working directory"},` +
				`"content":{"type":"string","description":"All that the file is to hold"}}}`),
			Sampling: ai.StrictPreferred(),
			Execute:  w.execute,
		},
		Snippet:    "Create files or replace them as a whole",
		Guidelines: []string{"Use write for new files and complete rewrites only; change parts of a file with edit."},
	}
}

type writer struct{ o Options }

func (w writer) execute(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct{ Path, Content string }](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	if args.Path == "" {
		return agentcore.ToolResult{}, errors.New("path is empty; name the file to write")
	}
	env := w.o.Env
	name, err := ResolveNew(ctx, env, args.Path)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	err = w.o.Queue.Do(ctx, env, name, func() error {
		if info, err := env.FS.Stat(ctx, name); err == nil && info.IsDir() {
			return fmt.Errorf("cannot write %s: it is a directory (EISDIR)", args.Path)
		}
		err := env.FS.WriteFile(ctx, name, []byte(args.Content), 0o666)
		if errors.Is(err, fs.ErrNotExist) {
			if err = env.FS.MkdirAll(ctx, env.ParentDir(name), 0o777); err == nil {
				err = env.FS.WriteFile(ctx, name, []byte(args.Content), 0o666)
			}
		}
		if err != nil {
			return &fileError{"write", args.Path, name, "", err}
		}
		return nil
	})
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	return agentcore.TextResult(fmt.Sprintf("Wrote %s to %s.", count(len(args.Content), "byte"), args.Path)), nil
}
