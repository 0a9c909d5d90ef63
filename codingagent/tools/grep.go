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

const (
	grepLimit = 100
	grepUnits = 500
)

func grepTool(o Options) Definition {
	g := grepper{o}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "grep",
			Description: fmt.Sprintf("Search the contents of files for a pattern and get the lines that match with their file and line number. "+
				"Files that .gitignore excludes and binary files are left out. At most %d matches or %s are returned; lines are cut at %d characters.",
				grepLimit, truncate.FormatSize(truncate.MaxBytes), grepUnits),
			Parameters: json.RawMessage(`{"type":"object","required":["pattern"],"properties":{` +
				`"pattern":{"type":"string","description":"The regular expression to search for, or the text if literal is set"},` +
				`"path":{"type":"string","description":"The directory or file to search; the working directory by default"},` +
				`"glob":{"type":"string","description":"Search only files that match this glob, such as *.go or src/**/*.ts"},` +
				`"ignoreCase":{"type":"boolean","description":"Search without regard to case; false by default"},` +
				`"literal":{"type":"boolean","description":"Take the pattern as plain text; false by default"},` +
				`"context":{"type":"number","description":"How many lines to show before and after each match; 0 by default"},` +
				`"limit":{"type":"number","description":"How many matches to return at most; 100 by default"}}}`),
			Execute: g.execute,
		},
		Snippet: "Search file contents by pattern, respecting .gitignore",
	}
}

type grepper struct{ o Options }

func (g grepper) execute(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct {
		Pattern, Path, Glob string
		IgnoreCase, Literal bool
		Context, Limit      *float64
	}](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	q := search.Query{
		Pattern: args.Pattern, IgnoreCase: args.IgnoreCase, Literal: args.Literal,
		Limit: atLeastOne(args.Limit, grepLimit), LineUnits: grepUnits,
	}
	if args.Context != nil {
		q.Context = max(0, whole(*args.Context))
	}
	found, err := g.search(ctx, cmp.Or(args.Path, "."), args.Glob, q)
	if ctx.Err() != nil {
		return agentcore.ToolResult{}, context.Cause(ctx)
	}
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	var list listing
	for _, f := range found.Files {
		for _, l := range f.Lines {
			if l.Match {
				list.line(fmt.Sprintf("%s:%d: %s", f.Path, l.Number, l.Text))
			} else {
				list.line(fmt.Sprintf("%s-%d- %s", f.Path, l.Number, l.Text))
			}
		}
	}
	details := ListDetails{LinesTruncated: found.Cut}
	if found.More {
		details.MatchLimitReached = q.Limit
		list.note(fmt.Sprintf("%d matches shown, there are more. Raise limit to %d or narrow the pattern", q.Limit, 2*q.Limit))
	}
	if found.Cut {
		list.after = append(list.after, fmt.Sprintf("Lines longer than %d characters are cut; see them with read", grepUnits))
	}
	list.unreadable(found.Unreadable)
	return list.result("No matches", details), nil
}

// search looks through a directory or a file.
func (g grepper) search(ctx context.Context, given, only string, q search.Query) (search.Matches, error) {
	env := g.o.Env
	name, err := ResolveExisting(ctx, env, given)
	if err != nil {
		return search.Matches{}, err
	}
	info, err := env.FS.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return search.Matches{}, &fileError{"search", given, name, notFoundHint(ctx, env, name), err}
	case err != nil:
		return search.Matches{}, &fileError{"search", given, name, "", err}
	case info.IsDir():
	case info.Mode().IsRegular():
		return search.GrepFile(ctx, env, name, env.BaseName(name), q)
	default:
		return search.Matches{}, fmt.Errorf("cannot search %s: it is a device, a pipe or a socket", given)
	}
	tree := search.Tree{Env: env, Root: name, RequireGit: true, IgnoreFiles: []string{".rgignore", ".ignore"}}
	if only != "" {
		if tree.Only, err = search.NewFilter(only); err != nil {
			return search.Matches{}, fmt.Errorf("glob: %w", err)
		}
	}
	return search.Grep(ctx, tree, q)
}
