package tools

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/picture"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// maxImageFile is the size of an image file beyond which it is not even loaded.
const maxImageFile = 256 << 20

// ReadDetails are the details of a read result that has something to tell.
type ReadDetails struct {
	Truncation *truncate.Result `json:"truncation,omitempty"`
	// ImageUnsupportedByModel is the model that will not see the image.
	ImageUnsupportedByModel string `json:"imageUnsupportedByModel,omitempty"`
}

// ImageOutput is the structured value of a read that found an image.
type ImageOutput struct {
	Type     string `json:"type"` // "image"
	Data     string `json:"data"` // base64
	MIMEType string `json:"mimeType"`
	Note     string `json:"note"`
}

func readTool(o Options) Definition {
	r := reader{o}
	return Definition{
		Tool: &agentcore.Tool{
			Name: "read",
			Description: fmt.Sprintf("Read a file. Text comes back as it is, at most %d lines or %s at a time, whichever is reached "+
				"first; go on with offset and limit in larger files. Images (PNG, JPEG, GIF, WebP, BMP) come back as images.",
				truncate.MaxLines, truncate.FormatSize(truncate.MaxBytes)),
			Parameters: json.RawMessage(`{"type":"object","required":["path"],"properties":{` +
				`"path":{"type":"string","description":"The file to read, absolute or relative to the working directory"},` +
				`"offset":{"type":"number","description":"The first line to read, counted from 1"},` +
				`"limit":{"type":"number","description":"How many lines to read at most"}}}`),
			Sampling: ai.StrictPreferred(),
			Execute:  r.execute,
		},
		Snippet:    "Read text files and look at images",
		Guidelines: []string{"Look at files with read; leave cat and sed for pipelines."},
	}
}

type reader struct{ o Options }

func (r reader) execute(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args, err := arguments[struct {
		Path          string
		Offset, Limit *float64
	}](call)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	if args.Path == "" {
		return agentcore.ToolResult{}, errors.New("path is empty; name the file to read")
	}
	w := window{first: 1, most: -1, limits: truncate.Limits{Lines: truncate.MaxLines, Bytes: truncate.MaxBytes}}
	if args.Offset != nil {
		w.first = max(1, whole(*args.Offset))
	}
	if args.Limit != nil {
		if w.most = whole(*args.Limit); w.most < 1 {
			return agentcore.ToolResult{}, fmt.Errorf("limit is %v; it must be 1 or more", *args.Limit)
		}
	}
	name, err := ResolveExisting(ctx, r.o.Env, args.Path)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	f, err := openRegular(ctx, r.o.Env, args.Path, name)
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return agentcore.ToolResult{}, &fileError{"read", args.Path, name, "", err}
	}
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return agentcore.ToolResult{}, &fileError{"read", args.Path, name, "", err}
	}
	head = head[:n]
	if mime, ok := picture.Detect(head); ok {
		return r.image(ctx, args.Path, name, mime, info.Size())
	}
	if kind, advice := binaryKind(head); kind != "" {
		return note(fmt.Sprintf("[%s is %s (%s), which can not be shown as text. %s]",
			args.Path, kind, truncate.FormatSize(max(info.Size(), int64(n))), advice)), nil
	}
	e, err := w.excerpt(ctx, head, f)
	if err != nil {
		return agentcore.ToolResult{}, &fileError{"read", args.Path, name, "", err}
	}
	return e.result(args.Path)
}

// whole cuts a number of a model to an integer.
func whole(f float64) int {
	const most = 1 << 53
	return int(min(max(f, -most), most))
}

// openRegular opens a file of which it is certain that reading comes to an end.
func openRegular(ctx context.Context, env execenv.Env, given, name string) (fs.File, error) {
	info, err := env.FS.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &fileError{"read", given, name, notFoundHint(ctx, env, name), err}
	case err != nil:
		return nil, &fileError{"read", given, name, "", err}
	case info.IsDir():
		return nil, fmt.Errorf("cannot read %s: it is a directory (EISDIR); list it with ls or a shell command", given)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("cannot read %s: it is a device, a pipe or a socket, no file", given)
	}
	f, err := env.FS.Open(ctx, name)
	if err != nil {
		return nil, &fileError{"read", given, name, "", err}
	}
	return f, nil
}

// note is a result of one text that programs get too.
func note(text string) agentcore.ToolResult {
	res := agentcore.TextResult(text)
	res.Structured = text
	return res
}

func (r reader) image(ctx context.Context, given, name, mime string, size int64) (agentcore.ToolResult, error) {
	if size > maxImageFile {
		return note(fmt.Sprintf("Image file, %s.\n[It has %s, too much to be shown.]", mime, truncate.FormatSize(size))), nil
	}
	data, err := r.o.Env.FS.ReadFile(ctx, name)
	if err != nil {
		return agentcore.ToolResult{}, &fileError{"read", given, name, "", err}
	}
	model := r.o.Model()
	limits := model.Images
	limits.Keep = limits.Keep || r.o.KeepImageSize
	img, err := picture.Fit(ctx, data, mime, limits)
	if ctx.Err() != nil {
		return agentcore.ToolResult{}, context.Cause(ctx)
	}
	if err != nil {
		return note(fmt.Sprintf("Image file, %s.\n[It can not be shown: %v.]", mime, err)), nil
	}
	text := fmt.Sprintf("Image file, %s.", img.MIME)
	if notes := img.Notes(); notes != "" {
		text += "\n" + notes
	}
	encoded := base64.StdEncoding.EncodeToString(img.Data)
	res := agentcore.TextResult(text)
	res.Content = append(res.Content, &ai.Image{Data: encoded, MIMEType: img.MIME})
	res.Structured = ImageOutput{Type: "image", Data: encoded, MIMEType: img.MIME, Note: text}
	if model.TextOnly {
		res.Details = ReadDetails{ImageUnsupportedByModel: model.ID}
	}
	return res, nil
}

// result makes the text of an excerpt, with what to do to read on.
func (e excerpt) result(given string) (agentcore.ToolResult, error) {
	last := e.first + e.cut.OutputLines - 1
	text, hint := e.text, ""
	var details any
	switch {
	case e.first > max(e.fileLines, 1):
		return agentcore.ToolResult{}, fmt.Errorf("offset %d is past the end of %s, which has %s", e.first, given, count(e.fileLines, "line"))
	case e.cut.FirstLineExceedsLimit:
		hint = fmt.Sprintf("[Line %d has %s, more than the %s that can be shown. See its start with: sed -n '%dp' %s | head -c %d.",
			e.first, truncate.FormatSize(e.longLine), truncate.FormatSize(truncate.MaxBytes), e.first, shellQuote(given), truncate.MaxBytes)
		if e.first < e.fileLines {
			hint += fmt.Sprintf(" Continue behind it with offset=%d.", e.first+1)
		}
		hint += "]"
	case e.cut.TruncatedBy == truncate.ByBytes:
		hint = fmt.Sprintf("[Lines %d-%d of %d shown (%s limit). Continue with offset=%d.]",
			e.first, last, e.fileLines, truncate.FormatSize(truncate.MaxBytes), last+1)
	case e.cut.Truncated:
		hint = fmt.Sprintf("[Lines %d-%d of %d shown. Continue with offset=%d.]", e.first, last, e.fileLines, last+1)
	case last < e.fileLines:
		hint = fmt.Sprintf("[%s in the file. Continue with offset=%d.]", count(e.fileLines-last, "more line"), last+1)
	}
	if e.cut.Truncated {
		details = ReadDetails{Truncation: &e.cut}
	}
	if text != "" && hint != "" {
		text += "\n\n"
	}
	res := note(text + hint)
	res.Details = details
	return res, nil
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shellQuote makes one word of a POSIX shell of s.
func shellQuote(s string) string {
	safe := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+@,:", r)
	}
	if s != "" && s[0] != '-' && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
