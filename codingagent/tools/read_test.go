package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools"
	"github.com/pi-go/pi/codingagent/tools/picture"
)

// rows is a text of n lines.
func rows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "row %d\n", i+1)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60_000)
	thick := strings.Repeat(strings.Repeat("y", 999)+"\n", 100) // 100 lines of 1000 bytes
	for _, c := range []struct {
		name    string
		content string
		args    args
		want    string
		details string
	}{
		{"plain", "a\r\nb\n", nil, "a\r\nb\n", "null"},
		{"mark and no newline", "\uFEFFa", nil, "\uFEFFa", "null"},
		{"empty", "", nil, "", "null"},
		{"not UTF-8", "caf\xe9\n", nil, "caf\uFFFD\n", "null"},
		{"offset", "a\nb\nc\n", args{"offset": 2}, "b\nc\n", "null"},
		{"offset 0", "a\nb\n", args{"offset": 0}, "a\nb\n", "null"},
		{"negative offset", "a\nb\n", args{"offset": -3.5}, "a\nb\n", "null"},
		{"last line", "a\nb\nc", args{"offset": 3}, "c", "null"},
		{"limit", "a\nb\nc\n", args{"limit": 2}, "a\nb\n\n[1 more line in the file. Continue with offset=3.]", "null"},
		{"limit, several left", "a\nb\nc\nd\n", args{"offset": 2, "limit": 1.9}, "b\n\n[2 more lines in the file. Continue with offset=3.]", "null"},
		{"limit at the end", "a\nb\n", args{"limit": 2}, "a\nb\n", "null"},
		{"limit beyond", "a\nb", args{"limit": 50}, "a\nb", "null"},
		{
			"too many lines", rows(2500), nil,
			strings.TrimSuffix(rows(2000), "\n") + "\n\n[Lines 1-2000 of 2500 shown. Continue with offset=2001.]",
			`{"truncation":{"content":"","truncated":true,"truncatedBy":"lines","totalLines":2500,"totalBytes":21393,"outputLines":2000,"outputBytes":16892,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200}}`,
		},
		{"exactly enough lines", rows(2000), nil, rows(2000), "null"},
		{
			"too many bytes", thick,
			args{"offset": 11},
			strings.TrimSuffix(thick[:51_000], "\n") + "\n\n[Lines 11-61 of 100 shown (50.0KB limit). Continue with offset=62.]",
			`{"truncation":{"content":"","truncated":true,"truncatedBy":"bytes","totalLines":90,"totalBytes":90000,"outputLines":51,"outputBytes":50999,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200}}`,
		},
		{
			"a long line", "a\n" + long + "\nb\n",
			args{"offset": 2},
			"[Line 2 has 58.6KB, more than the 50.0KB that can be shown. See its start with: sed -n '2p' f.txt | head -c 51200. Continue behind it with offset=3.]",
			`{"truncation":{"content":"","truncated":true,"truncatedBy":"bytes","totalLines":2,"totalBytes":60003,"outputLines":0,"outputBytes":0,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":true,"maxLines":2000,"maxBytes":51200}}`,
		},
		{
			"one line of 1 MB", strings.Repeat("x", 1<<20), nil,
			"[Line 1 has 1.0MB, more than the 50.0KB that can be shown. See its start with: sed -n '1p' f.txt | head -c 51200.]", "*",
		},
		{"a long line later", "a\n" + long, nil, "a\n\n[Lines 1-1 of 2 shown (50.0KB limit). Continue with offset=2.]", "*"},
		{"late NUL", strings.Repeat("text\n", 2000) + "\x00\n", args{"offset": 2000}, "text\n\uFFFD\n", "null"},
		{"NUL", "a\x00b", nil, "[f.txt is a binary file (3B), which can not be shown as text. Inspect it with shell commands such as file, strings or xxd.]", "null"},
		{"ELF", "\x7fELF\x02\x01\x01\x00", nil, "[f.txt is an executable or library (ELF) (8B), which can not be shown as text. Inspect it with shell commands such as file, strings or xxd.]", "null"},
		{"UTF-16", "\xff\xfea\x00", nil, "[f.txt is text in UTF-16 (4B), which can not be shown as text. Convert it with a shell command: iconv -f UTF-16 -t UTF-8.]", "null"},
		{"PDF", "%PDF-1.7\n", nil, "[f.txt is a PDF document (9B), which can not be shown as text. Extract its text with a shell command such as pdftotext.]", "null"},
		{"bzip2 or not", "BZh is no archive here\n", nil, "BZh is no archive here\n", "null"},
	} {
		a := args{"path": "f.txt"}
		for k, v := range c.args {
			a[k] = v
		}
		r := call(t.Context(), t, tools.Options{Env: memory(nil, map[string]string{"f.txt": c.content})}, "read", a)
		if r.IsError || text(r) != c.want {
			t.Errorf("%s: got %.300q\nwant %.300q", c.name, text(r), c.want)
		}
		if got := jsonOf(t, r.Details); c.details != "*" && got != c.details {
			t.Errorf("%s: details %s\nwant %s", c.name, got, c.details)
		}
		if r.Structured != c.want {
			t.Errorf("%s: structured value %.100q", c.name, r.Structured)
		}
	}
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{"f.txt": "a\nb\nc\n", "empty": "", "d/README.md": "", "d/main.go": "", "shut": "x"})
	files := env.FS.(*execenv.MemoryFS)
	if err := errors.Join(files.Chmod("/work/shut", 0), files.Symlink("loop", "/work/loop")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"path": "f.txt", "offset": 4}, "offset 4 is past the end of f.txt, which has 3 lines"},
		{args{"path": "empty", "offset": 2}, "offset 2 is past the end of empty, which has 0 lines"},
		{args{"path": "f.txt", "limit": 0}, "limit is 0; it must be 1 or more"},
		{args{"path": "f.txt", "limit": -1}, "limit is -1; it must be 1 or more"},
		{args{"path": ""}, "path is empty; name the file to read"},
		{args{"path": "d/missing.c"}, "cannot read d/missing.c: file does not exist (ENOENT): /work/d/missing.c"},
		{args{"path": "d/readme.md"}, "cannot read d/readme.md: file does not exist (ENOENT): /work/d/readme.md. Similar names there: README.md"},
		{args{"path": "d/mian.go"}, "cannot read d/mian.go: file does not exist (ENOENT): /work/d/mian.go. Similar names there: main.go"},
		{args{"path": "/no/dir/x"}, "cannot read /no/dir/x: file does not exist (ENOENT). The directory /no/dir does not exist either"},
		{args{"path": "d"}, "cannot read d: it is a directory (EISDIR); list it with ls or a shell command"},
		{args{"path": "shut"}, "cannot read shut: permission denied (EACCES): /work/shut"},
		{args{"path": "f.txt/x"}, "cannot read f.txt/x: not a directory (ENOTDIR): /work/f.txt/x"},
		{args{"path": "loop"}, "cannot read loop: too many levels of symbolic links (ELOOP): /work/loop"},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, "read", c.args)
		if !r.IsError || text(r) != c.want {
			t.Errorf("%v: %q\nwant %q", c.args, text(r), c.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("changed my mind"))
	if r := call(ctx, t, tools.Options{Env: env}, "read", args{"path": "f.txt"}); !r.IsError || !strings.Contains(text(r), "changed my mind") {
		t.Errorf("ended context: %q", text(r))
	}
}

func TestReadImage(t *testing.T) {
	t.Parallel()
	encode := func(w, h int, as string) string {
		var buf bytes.Buffer
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		err := png.Encode(&buf, img)
		if as == "bmp" {
			buf.Reset()
			err = bmp.Encode(&buf, img)
		}
		if err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	small := encode(4, 4, "png")
	env := memory(nil, map[string]string{
		"a.png": small, "named.txt": small, "b.bmp": encode(4, 4, "bmp"), "big.png": encode(3000, 30, "png"), "cut.png": small[:40],
	})
	for _, c := range []struct {
		path, mime, text string
		o                tools.Options
		details          string
	}{
		{"a.png", "image/png", "Image file, image/png.", tools.Options{}, "null"},
		{"named.txt", "image/png", "Image file, image/png.", tools.Options{}, "null"},
		{"b.bmp", "image/png", "Image file, image/png.\n[Converted from image/bmp to image/png.]", tools.Options{}, "null"},
		{
			"big.png", "image/png",
			"Image file, image/png.\n[Shown at 2000x20, original 3000x30. Multiply coordinates by 1.50 to get those of the original.]",
			tools.Options{},
			"null",
		},
		{"big.png", "image/png", "Image file, image/png.", tools.Options{KeepImageSize: true}, "null"},
		{
			"big.png", "image/png",
			"Image file, image/png.\n[Shown at 1000x10, original 3000x30. Multiply coordinates by 3.00 to get those of the original.]",
			tools.Options{Model: func() tools.ModelFacts { return tools.ModelFacts{ID: "m", Images: picture.Limits{Width: 1000}} }},
			"null",
		},
		{
			"a.png", "image/png", "Image file, image/png.",
			tools.Options{Model: func() tools.ModelFacts { return tools.ModelFacts{ID: "text-model", TextOnly: true} }},
			`{"imageUnsupportedByModel":"text-model"}`,
		},
		{"cut.png", "", "Image file, image/png.\n[It can not be shown: decode image/png: unexpected EOF.]", tools.Options{}, "null"},
	} {
		c.o.Env = env
		r := call(t.Context(), t, c.o, "read", args{"path": c.path})
		if r.IsError || text(r) != c.text || jsonOf(t, r.Details) != c.details {
			t.Errorf("%s: %q, details %s", c.path, text(r), jsonOf(t, r.Details))
		}
		if c.mime == "" {
			if len(r.Content) != 1 {
				t.Errorf("%s: %d blocks", c.path, len(r.Content))
			}
			continue
		}
		img, ok := r.Content[1].(*ai.Image)
		out, ok2 := r.Structured.(tools.ImageOutput)
		if !ok || !ok2 || img.MIMEType != c.mime || out != (tools.ImageOutput{Type: "image", Data: img.Data, MIMEType: c.mime, Note: c.text}) {
			t.Errorf("%s: %+v, %+v", c.path, r.Content[1], r.Structured)
		}
	}
}
