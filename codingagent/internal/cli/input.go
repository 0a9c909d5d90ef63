package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// ImageReader makes an image block of a file's bytes: ok is false when it is
// no image; note tells what was done to it (scaled, converted), if anything.
type ImageReader func(ctx context.Context, data []byte) (image *ai.Image, note string, ok bool, err error)

// stdinPatience is how long standard input may be silent before the person is
// told that pi waits for it.
const stdinPatience = time.Second

// maxText is the size of the longest piped input or text file that becomes
// part of a prompt, maxFile that of the largest @file, for images.
const (
	maxText = 16 << 20
	maxFile = 64 << 20
)

// ReadStdin reads piped input to its end. When nothing came for a second it
// says on stderr that it waits, and for what, and goes on waiting: input that
// is slow to come must not be lost.
func ReadStdin(ctx context.Context, in io.Reader, stderr io.Writer) (string, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, maxText+1))
		done <- result{data, err}
	}()
	t := time.NewTimer(stdinPatience)
	defer t.Stop()
	for {
		select {
		case r := <-done:
			if r.err != nil {
				return "", fmt.Errorf("read standard input: %w", r.err)
			}
			if len(r.data) > maxText {
				return "", fmt.Errorf("standard input has more than %d MiB, more than any model reads: send a part, or save it to a file and name that in the prompt", maxText>>20)
			}
			return strings.ToValidUTF8(strings.TrimSpace(string(r.data)), "\uFFFD"), nil
		case <-t.C:
			fmt.Fprintln(stderr, "pi: waiting for standard input to end (use </dev/null if there is none)")
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// BuildPrompts makes the messages of a command line: the first holds piped
// input, the @files and the first text, separated by blank lines; each
// further text is a message of its own.
func BuildPrompts(ctx context.Context, env execenv.Env, stdin string, files, texts []string, image ImageReader) ([]codingagent.Prompt, error) {
	var first codingagent.Prompt
	var parts []string
	if stdin != "" {
		parts = append(parts, stdin)
	}
	for _, f := range files {
		text, img, err := fileBlock(ctx, env, f, image)
		if err != nil {
			return nil, err
		}
		if text != "" {
			parts = append(parts, text)
		}
		if img != nil {
			first.Images = append(first.Images, img)
		}
	}
	if len(texts) > 0 && strings.TrimSpace(texts[0]) != "" {
		parts = append(parts, texts[0])
	}
	first.Text = strings.Join(parts, "\n\n")
	var prompts []codingagent.Prompt
	if !first.Empty() {
		prompts = append(prompts, first)
	}
	for _, t := range texts[min(1, len(texts)):] {
		if p := (codingagent.Prompt{Text: t}); !p.Empty() {
			prompts = append(prompts, p)
		}
	}
	return prompts, nil
}

// fileBlock reads an @file: text in a tag that names it, or an image.
func fileBlock(ctx context.Context, env execenv.Env, name string, image ImageReader) (string, *ai.Image, error) {
	path := env.Abs(expandHome(name, env.Home))
	data, err := execenv.ReadAtMost(ctx, env.FS, path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("file not found: %s%s", path, nearFiles(ctx, env, path))
	case errors.Is(err, execenv.ErrTooLarge):
		return "", nil, tooLarge(name, path, maxFile)
	case errors.Is(err, syscall.EISDIR):
		return "", nil, fmt.Errorf("read @%s: %s is a directory; name a file, or name the directory in the prompt without the @", name, path)
	case err != nil:
		return "", nil, fmt.Errorf("read @%s: %w", name, err)
	case len(data) == 0:
		return "", nil, nil
	}
	if image != nil {
		img, note, ok, err := image(ctx, data)
		switch {
		case err != nil:
			return "", nil, fmt.Errorf("read @%s: %w", name, err)
		case ok:
			return fmt.Sprintf("<file name=%q>%s</file>", path, note), img, nil
		}
	}
	if len(data) > maxText {
		return "", nil, tooLarge(name, path, maxText)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if strings.IndexByte(text, 0) >= 0 {
		return "", nil, fmt.Errorf("read @%s: %s is a binary file, neither text nor an image", name, path)
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return fmt.Sprintf("<file name=%q>\n%s\n</file>", path, strings.TrimSuffix(text, "\n")), nil, nil
}

func tooLarge(name, path string, limit int) error {
	return fmt.Errorf("read @%s: %s has more than %d MiB, too much for a prompt: name it in the prompt without the @, and the agent reads what it needs", name, path, limit>>20)
}

// nearFiles suggests names in the same directory.
func nearFiles(ctx context.Context, env execenv.Env, path string) string {
	entries, err := env.FS.ReadDir(ctx, filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return ai.DidYouMean(filepath.Base(path), names)
}

func expandHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}
