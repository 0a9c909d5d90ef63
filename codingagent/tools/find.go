package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/codingagent/tools/search"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

const findLimit = 1000

func findTool(o Options) Definition {
	f := finder{o}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "find",
			Description: fmt.Sprintf("Find files and directories by a glob. Paths come relative to the searched directory, directories with a / at the end. "+
				"What .gitignore excludes is left out. At most %d results or %s are returned.", findLimit, truncate.FormatSize(truncate.MaxBytes)),
			Parameters: json.RawMessage(`{"type":"object","required":["pattern"],"properties":{` +
				`"pattern":{"type":"string","description":"The glob: *.go matches names at any depth, src/**/*.test.ts whole paths"},` +
				`"path":{"type":"string","description":"The directory to search; the working directory by default"},` +
				`"limit":{"type":"number","description":"How many results to return at most; 1000 by default"}}}`),
			Execute: f.execute,
		},
		Snippet: "Find files by glob, respecting .gitignore",
	}
}

type finder struct{ o Options }

func (f finder) execute(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct {
		Pattern, Path string
		Limit         *float64
	}](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	if args.Pattern == "" {
		return agentcore.ToolResult{}, errors.New("pattern is empty; use * to find everything")
	}
	given := cmp.Or(args.Path, ".")
	env := f.o.Env
	name, err := ResolveExisting(ctx, env, given)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	info, err := env.FS.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return agentcore.ToolResult{}, &fileError{"search", given, name, notFoundHint(ctx, env, name), err}
	case err != nil:
		return agentcore.ToolResult{}, &fileError{"search", given, name, "", err}
	case !info.IsDir():
		return agentcore.ToolResult{}, fmt.Errorf("cannot search %s: it is not a directory (ENOTDIR)", given)
	}
	limit := atLeastOne(args.Limit, findLimit)
	found, err := search.Find(ctx, search.Tree{Env: env, Root: name, IgnoreFiles: []string{".fdignore", ".ignore"}},
		search.Names{Pattern: args.Pattern, Limit: limit})
	if ctx.Err() != nil {
		return agentcore.ToolResult{}, context.Cause(ctx)
	}
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	var list listing
	for _, path := range found.Paths {
		list.line(path)
	}
	var details ListDetails
	if found.More {
		details.ResultLimitReached = limit
		list.note(fmt.Sprintf("%d results shown, there are more. Raise limit to %d or narrow the pattern", limit, 2*limit))
	}
	list.unreadable(found.Unreadable)
	return list.result("Nothing found", details), nil
}
