package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
)

func TestBuildPrompts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"f.txt": "\uFEFFfile body\n", "empty": "", "bin": "a\x00b", "pic": "PIC"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env, err := execenv.Local(dir, execenv.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pictures := func(_ context.Context, data []byte) (*ai.Image, string, bool, error) {
		if string(data) == "PIC" {
			return &ai.Image{Data: "cGlj", MIMEType: "image/png"}, "scaled", true, nil
		}
		return nil, "", false, nil
	}
	file := filepath.Join(dir, "f.txt")
	cases := []struct {
		name, stdin  string
		files, texts []string
		want         []string
		images       int
	}{
		{"all three, apart", "piped", []string{"f.txt"}, []string{"msg"}, []string{"piped\n\n<file name=\"" + file + "\">\nfile body\n</file>\n\nmsg"}, 0},
		{"further texts are messages", "", nil, []string{"one", "two", " "}, []string{"one", "two"}, 0},
		{"empty files say nothing", "", []string{"empty"}, []string{"x"}, []string{"x"}, 0},
		{"image", "", []string{"pic"}, nil, []string{"<file name=\"" + filepath.Join(dir, "pic") + "\">scaled</file>"}, 1},
		{"nothing", "", nil, []string{"  "}, nil, 0},
		{"input alone", "piped", nil, nil, []string{"piped"}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := BuildPrompts(t.Context(), env, c.stdin, c.files, c.texts, pictures)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			images := 0
			for _, p := range got {
				texts = append(texts, p.Text)
				images += len(p.Images)
			}
			if strings.Join(texts, "|") != strings.Join(c.want, "|") || images != c.images {
				t.Errorf("got %q and %d images, want %q and %d", texts, images, c.want, c.images)
			}
		})
	}
	for name, want := range map[string]string{"f.tx": "did you mean f.txt?", "nothing-like-it": "file not found", "bin": "binary file"} {
		if _, err := BuildPrompts(t.Context(), env, "", []string{name}, nil, pictures); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("@%s: %v, want %q", name, err, want)
		}
	}
}

func TestReadStdinSaysThatItWaits(t *testing.T) {
	r, w := io.Pipe()
	notes, notesIn := io.Pipe()
	got := make(chan string, 1)
	go func() {
		text, err := ReadStdin(t.Context(), r, notesIn)
		if err != nil {
			t.Error(err)
		}
		got <- text
	}()
	line := make([]byte, 200)
	n, err := notes.Read(line) // blocks until the note is written
	if err != nil || !strings.Contains(string(line[:n]), "waiting for standard input") {
		t.Fatalf("note %q %v", line[:n], err)
	}
	if _, err := io.WriteString(w, " late but whole\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if text := <-got; text != "late but whole" {
		t.Errorf("read %q", text)
	}
}

// endless is input that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'y'
	}
	return len(b), nil
}

func TestEndlessInputIsRefused(t *testing.T) {
	if _, err := ReadStdin(t.Context(), endless{}, io.Discard); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("standard input: %v", err)
	}
	dir := t.TempDir()
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := execenv.Local(dir, execenv.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{maxText + 1, maxFile + 1} {
		if err := os.Truncate(big, size); err != nil {
			t.Fatal(err)
		}
		if _, err := BuildPrompts(t.Context(), env, "", []string{"big"}, nil, nil); err == nil || !strings.Contains(err.Error(), "without the @") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
