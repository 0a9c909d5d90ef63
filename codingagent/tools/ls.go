package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

const lsLimit = 500

// ListDetails are the details of an ls, find or grep result that is not complete.
type ListDetails struct {
	// EntryLimitReached (ls), ResultLimitReached (find) and MatchLimitReached (grep)
	// are the limit at which the tool stopped.
	EntryLimitReached  int `json:"entryLimitReached,omitempty"`
	ResultLimitReached int `json:"resultLimitReached,omitempty"`
	MatchLimitReached  int `json:"matchLimitReached,omitempty"`
	// LinesTruncated says that grep cut long lines.
	LinesTruncated bool             `json:"linesTruncated,omitempty"`
	Truncation     *truncate.Result `json:"truncation,omitempty"`
}

func lsTool(o Options) Definition {
	l := lister{o}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "ls",
			Description: fmt.Sprintf("List a directory, dotfiles included, in alphabetical order. Directories end with /. "+
				"At most %d entries or %s are returned.", lsLimit, truncate.FormatSize(truncate.MaxBytes)),
			Parameters: json.RawMessage(`{"type":"object","required":[],"properties":{` +
				`"path":{"type":"string","description":"The directory to list; the working directory by default"},` +
				`"limit":{"type":"number","description":"How many entries to return at most; 500 by default"}}}`),
			Execute: l.execute,
		},
		Snippet: "List directories",
	}
}

type lister struct{ o Options }

func (l lister) execute(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct {
		Path  string
		Limit *float64
	}](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	given := cmp.Or(args.Path, ".")
	env := l.o.Env
	name, err := ResolveExisting(ctx, env, given)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	info, err := env.FS.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return agentcore.ToolResult{}, &fileError{"list", given, name, notFoundHint(ctx, env, name), err}
	case err != nil:
		return agentcore.ToolResult{}, &fileError{"list", given, name, "", err}
	case !info.IsDir():
		return agentcore.ToolResult{}, fmt.Errorf("cannot list %s: it is not a directory (ENOTDIR)", given)
	}
	entries, err := env.FS.ReadDir(ctx, name)
	if err != nil {
		return agentcore.ToolResult{}, &fileError{"list", given, name, "", err}
	}
	sortNames(entries)
	limit := atLeastOne(args.Limit, lsLimit)
	var list listing
	var details ListDetails
	if len(entries) > limit {
		details.EntryLimitReached = limit
		list.note(fmt.Sprintf("%d of %d entries shown. More with limit=%d", limit, len(entries), min(2*limit, len(entries))))
		entries = entries[:limit]
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return agentcore.ToolResult{}, context.Cause(ctx)
		}
		text := e.Name()
		switch {
		case e.IsDir():
			text += "/"
		case e.Type()&fs.ModeSymlink != 0:
			if to, err := env.FS.Stat(ctx, env.Join(name, text)); err == nil && to.IsDir() {
				text += "/"
			}
		}
		list.line(text)
	}
	return list.result("(empty directory)", details), nil
}

// atLeastOne is a limit of a model, cut to an integer.
func atLeastOne(f *float64, byDefault int) int {
	if f == nil {
		return byDefault
	}
	return max(1, whole(*f))
}

// sortNames sorts as people expect: without regard to case, and punctuation
// before digits before letters.
func sortNames(entries []fs.DirEntry) {
	keys := make(map[string]string, len(entries))
	for _, e := range entries {
		keys[e.Name()] = sortKey(e.Name())
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(strings.Compare(keys[a.Name()], keys[b.Name()]), strings.Compare(a.Name(), b.Name()))
	})
}

// listing is the text of ls, find and grep in the making.
type listing struct {
	text  strings.Builder
	notes []string // sentences for the hint
	after []string // sentences that come behind the one about the byte limit
}

// line adds a line to the list.
func (l *listing) line(text string) {
	if l.text.Len() > 0 {
		l.text.WriteByte('\n')
	}
	l.text.WriteString(text)
}

// note adds a sentence, without its full stop, to the hint at the end.
func (l *listing) note(sentence string) { l.notes = append(l.notes, sentence) }

// unreadable notes how many files or directories could not be read.
func (l *listing) unreadable(n int) {
	switch n {
	case 0:
	case 1:
		l.after = append(l.after, "1 file or directory could not be read")
	default:
		l.after = append(l.after, fmt.Sprintf("%d files or directories could not be read", n))
	}
}

// result cuts the list to the byte limit and puts the hint behind it.
func (l *listing) result(empty string, details ListDetails) agentcore.ToolResult {
	cut := truncate.Head(l.text.String(), truncate.Limits{Lines: truncate.Unlimited})
	text := cut.Content
	if cut.Truncated {
		cut.Content = ""
		details.Truncation = &cut
		l.note(truncate.FormatSize(truncate.MaxBytes) + " limit reached")
	}
	if text == "" {
		text = empty
	}
	l.notes = append(l.notes, l.after...)
	if len(l.notes) > 0 {
		text += "\n\n[" + strings.Join(l.notes, ". ") + ".]"
	}
	res := agentcore.TextResult(text)
	if details != (ListDetails{}) {
		res.Details = details
	}
	return res
}
