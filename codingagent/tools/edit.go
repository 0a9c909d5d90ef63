package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/textedit"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// EditDetails are the details of an edit.
type EditDetails struct {
	// Diff shows the changed lines for people, Patch is a unified diff.
	Diff  string `json:"diff"`
	Patch string `json:"patch"`
	// FirstChangedLine is the line of the new file, from 1, where the changes begin.
	FirstChangedLine int `json:"firstChangedLine"`
}

func editTool(o Options) Definition {
	e := editor{o}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "edit",
			Description: "Change parts of a file. Each edit gives a piece of the file, as it is and unique in the file, and what to put " +
				"in its place. All edits of a call are looked up in the file as it was before the call, and either all are made or none.",
			Parameters: json.RawMessage(`{"type":"object","required":["path","edits"],"properties":{` +
				`"path":{"type":"string","description":"The file to change, absolute or relative to the working directory"},` +
				`"edits":{"type":"array","description":"The changes; they must not overlap","items":{"type":"object","required":["oldText","newText"],"properties":{` +
				`"oldText":{"type":"string","description":"The text to replace, exactly as in the file and long enough to occur only once"},` +
				`"newText":{"type":"string","description":"The text to put in its place"}}}}}}`),
			Sampling:         ai.StrictPreferred(),
			PrepareArguments: mendEdit,
			Execute:          e.execute,
		},
		Snippet: "Replace exact pieces of a file, several in one call",
		Guidelines: []string{
			"Change files with edit, and put all changes of one file into one call with several entries in edits.",
			"Keep each oldText as short as it can be while it occurs only once in the file; make one edit of changes that touch or overlap.",
		},
	}
}

// mendEdit accepts the other ways in which models write edits: as JSON in a
// string, as a single object, and with oldText and newText beside path.
func mendEdit(args json.RawMessage) (json.RawMessage, error) {
	var obj map[string]json.RawMessage
	if json.Unmarshal(args, &obj) != nil || obj == nil {
		return args, nil // validation says what is wrong
	}
	changed := false
	list, have := obj["edits"]
	var text string
	if have && json.Unmarshal(list, &text) == nil {
		if inner := bytes.TrimSpace([]byte(text)); json.Valid(inner) && len(inner) > 0 && (inner[0] == '[' || inner[0] == '{') {
			list, changed = inner, true
		}
	}
	if inner := bytes.TrimSpace(list); len(inner) > 0 && inner[0] == '{' {
		list, changed = append(append([]byte{'['}, inner...), ']'), true
	}
	oldText, hasOld := obj["oldText"]
	newText, hasNew := obj["newText"]
	if hasOld && hasNew {
		var edits []json.RawMessage
		if have && string(list) != "null" && json.Unmarshal(list, &edits) != nil {
			return args, nil
		}
		one := fmt.Appendf(nil, `{"oldText":%s,"newText":%s}`, oldText, newText)
		joined, err := json.Marshal(append(edits, one))
		if err != nil {
			return nil, fmt.Errorf("join edits: %w", err)
		}
		delete(obj, "oldText")
		delete(obj, "newText")
		list, changed = joined, true
	}
	if !changed {
		return args, nil
	}
	obj["edits"] = list
	return json.Marshal(obj)
}

// maxEditFile is the size of the largest file that is edited; the work needs
// several times as much memory.
const maxEditFile = 64 << 20

type editor struct{ o Options }

func (e editor) execute(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct {
		Path  string
		Edits []struct{ OldText, NewText string }
	}](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	if args.Path == "" {
		return agentcore.ToolResult{}, errors.New("path is empty; name the file to change")
	}
	edits := make([]textedit.Edit, len(args.Edits))
	for i, ed := range args.Edits {
		edits[i] = textedit.Edit{Old: ed.OldText, New: ed.NewText}
	}
	name, err := ResolveExisting(ctx, e.o.Env, args.Path)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	var out textedit.Outcome
	err = e.o.Queue.Do(ctx, e.o.Env, name, func() error {
		out, err = e.change(ctx, args.Path, name, edits)
		return err
	})
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	res := agentcore.TextResult(fmt.Sprintf("Replaced %s in %s.", count(len(edits), "block"), args.Path))
	res.Details = EditDetails{
		Diff: out.Changes.Diff(), Patch: out.Changes.Patch(args.Path), FirstChangedLine: out.Changes.FirstLine(),
	}
	return res, nil
}

// change reads, edits and writes the file. If another program writes it in
// between, the edits are made on what that wrote.
func (e editor) change(ctx context.Context, given, name string, edits []textedit.Edit) (textedit.Outcome, error) {
	const attempts = 5
	for range attempts {
		before, err := e.state(ctx, given, name)
		if err != nil {
			return textedit.Outcome{}, err
		}
		content, err := e.o.Env.FS.ReadFile(ctx, name)
		if err != nil {
			return textedit.Outcome{}, &fileError{"edit", given, name, "", err}
		}
		out, err := textedit.Apply(content, edits)
		if err != nil {
			return textedit.Outcome{}, fmt.Errorf("cannot edit %s: %w", given, err)
		}
		if ctx.Err() != nil {
			return textedit.Outcome{}, context.Cause(ctx)
		}
		after, err := e.state(ctx, given, name)
		if err != nil {
			return textedit.Outcome{}, err
		}
		if !before.ModTime().Equal(after.ModTime()) || before.Size() != after.Size() {
			continue
		}
		if err := e.o.Env.FS.WriteFile(ctx, name, out.Content, before.Mode().Perm()); err != nil {
			return textedit.Outcome{}, &fileError{"edit", given, name, "", err}
		}
		return out, nil
	}
	return textedit.Outcome{}, fmt.Errorf("cannot edit %s: another program keeps writing to it", given)
}

// state describes the file as it is now.
func (e editor) state(ctx context.Context, given, name string) (fs.FileInfo, error) {
	info, err := e.o.Env.FS.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &fileError{"edit", given, name, notFoundHint(ctx, e.o.Env, name), err}
	case err != nil:
		return nil, &fileError{"edit", given, name, "", err}
	case info.IsDir():
		return nil, fmt.Errorf("cannot edit %s: it is a directory (EISDIR)", given)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("cannot edit %s: it is a device, a pipe or a socket, no file", given)
	case info.Size() > maxEditFile:
		return nil, fmt.Errorf("cannot edit %s: it has %s, more than the %s that edit takes; change it with a shell command such as sed",
			given, truncate.FormatSize(info.Size()), truncate.FormatSize(maxEditFile))
	}
	return info, nil
}
