//go:build unix

package interactive_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

const backspace = "\x7f"

// pngOf is a picture of one colour.
func pngOf(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func paste(s string) string { return "\x1b[200~" + s + "\x1b[201~" }

func TestUnsentTextComesBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		signal syscall.Signal
		code   int
	}{{"SIGHUP", syscall.SIGHUP, 129}, {"kill -9", syscall.SIGKILL, -1}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			hold := make(chan struct{})
			t.Cleanup(func() { close(hold) })
			c.llm.Queue(mockllm.Say("half", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}))
			c.open(80, 24)
			c.keys("go", enter)
			c.wait("Working")
			c.keys("queued words", enter)
			c.wait("next: queued words")
			c.keys("first line", "\n", "and a second")
			c.wait("and a second")
			if tc.signal == syscall.SIGKILL {
				c.stashed("and a second")
			}
			c.signal(tc.signal)
			if tc.signal == syscall.SIGKILL {
				<-c.ended
			} else {
				c.finish(tc.code)
			}

			c.llm.Queue(mockllm.Say("got it all"))
			c.start(80, 24, "--model", "mock/m")
			c.wait("\nqueued words\n", "\nfirst line\n", "\nand a second", "unsent text of", "is back")
			c.keys(enter)
			c.wait("got it all")
			c.gone("Working")
			c.leave()
			c.start(80, 24, "--model", "mock/m")
			if s := c.wait("of 100k"); strings.Contains(s, "queued words") {
				t.Errorf("what was sent is still there:\n%s", s)
			}
			c.keys("\x1b[A") // but in the history of the directory
			c.wait("\nqueued words\n", "and a second")
			c.keys(ctrlC)
			c.gone("queued words")
			c.leave()
		})
	}
}

// A key that asks for an earlier prompt before those are read is not lost.
func TestHistoryThatIsSlow(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("hi"))
	c.open(80, 24)
	c.ask("an old question", "hi")
	c.leave()
	files, err := filepath.Glob(filepath.Join(c.home, ".pi", "agent", "prompt-history", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("histories %q, %v", files, err)
	}
	old, err := os.ReadFile(files[0])
	if err := errors.Join(err, os.Remove(files[0]), syscall.Mkfifo(files[0], 0o600)); err != nil {
		t.Fatal(err)
	}
	c.open(80, 24)
	c.keys("\x1b[A", "\x0c") // the list of models shows that the first key is through
	c.wait("── Model")
	c.keys(escape)
	c.gone("── Model")
	if err := os.WriteFile(files[0], old, 0o600); err != nil { // who reads gets it now
		t.Fatal(err)
	}
	c.wait("\nan old question\n")
	c.leave(ctrlC)
}

// stashed waits until a text is kept on disk.
func (c *console) stashed(text string) {
	c.t.Helper()
	c.until("the text is kept", func(string) bool {
		names, _ := filepath.Glob(filepath.Join(c.home, ".pi", "agent", "stash", "*.json"))
		for _, n := range names {
			if data, err := os.ReadFile(n); err == nil && strings.Contains(string(data), text) {
				return true
			}
		}
		return false
	})
}

func TestNothingIsKeptWithoutASession(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("yes"))
	c.open(80, 24, "--no-session")
	c.ask("a secret plan", "yes")
	c.keys("more of it")
	c.wait("more of it")
	c.signal(syscall.SIGTERM)
	c.finish(143)
	err := filepath.Walk(c.home, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "secret plan") || strings.Contains(string(data), "more of it") {
			t.Errorf("%s has it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestImagesThatAreDraggedIn(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../home/.pi/agent/models.json", strings.Replace(c.modelsFile(), `"id": "m",`, `"id": "m", "input": ["text", "image"],`, 1))
	c.put("a shot.png", pngOf(t, 20, 10))
	c.put("b.png", pngOf(t, 30, 10))
	c.put("no.png", "this is a text")
	c.llm.Queue(mockllm.Say("two pictures"), mockllm.Say("none"))
	c.open(80, 30)
	c.keys("what is ", paste(strings.ReplaceAll(filepath.Join(c.dir, "a shot.png"), " ", `\ `)))
	c.wait("what is [image #1 a shot.png]", "1 image")
	c.keys(paste("'" + filepath.Join(c.dir, "b.png") + "' "))
	c.wait("[image #2 b.png]", "2 images")
	c.keys(paste(filepath.Join(c.dir, "b.png")))
	c.wait("[image #3 b.png]", "3 images")
	c.keys(backspace, backspace) // the blank, and the marker as a whole
	c.gone("#3")
	c.keys(enter)
	c.wait("two pictures")
	c.gone("Working")
	body := string(c.llm.Requests()[0].Body)
	if n := strings.Count(body, "data:image/png;base64,"); n != 2 || !strings.Contains(body, "[image #2 b.png]") {
		t.Errorf("%d images in %.500s", n, body)
	}
	c.keys(paste(filepath.Join(c.dir, "no.png")))
	c.wait("Not taken as an image", "/no.png")
	c.keys(ctrlC)
	c.gone("/no.png")
	c.leave()
}

func TestAnImageFromTheClipboard(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../bin/picture.png", pngOf(t, 8, 8))
	c.put("../bin/wl-paste", "#!/bin/sh\nif [ \"$1\" = --list-types ]; then cat \"${0%/*}/types\"; elif [ \"$3\" = text ]; then echo from the clipboard; else cat \"${0%/*}/picture.png\"; fi\n")
	c.put("../bin/types", "text/plain\nimage/png\n")
	bin := filepath.Join(filepath.Dir(c.dir), "bin")
	if err := os.Chmod(filepath.Join(bin, "wl-paste"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "WAYLAND_DISPLAY=wayland-0"}
	c.llm.Queue(mockllm.Say("a square"))
	c.open(80, 30)
	c.keys("look at ", "\x16") // ctrl+v
	c.wait("look at [image #1]", "does not look at images")
	c.keys(paste("")) // what some terminals make of an image
	c.wait("[image #2]")
	c.put("../bin/types", "text/plain\n")
	c.keys("\x16")
	c.wait("from the clipboard")
	c.keys(enter)
	c.wait("a square")
	c.gone("Working")
	c.keys("\x1b[A") // the picture of a text from the history is still known
	c.wait("2 images")
	c.keys(ctrlC)
	c.gone("2 images")
	c.leave()
}

func TestAnEditorOfOnesOwn(t *testing.T) {
	t.Parallel()
	for _, set := range []bool{false, true} { // by a variable, and by the setting, which is stronger
		c := place(t)
		c.put("../bin/edit", "#!/bin/sh\necho in the other editor\nsed 's/draft/final/; $s/$/\\\nand more/' \"$1\" >\"$1.new\" && mv \"$1.new\" \"$1\"\n")
		tool := filepath.Join(filepath.Dir(c.dir), "bin", "edit")
		if err := os.Chmod(tool, 0o755); err != nil {
			t.Fatal(err)
		}
		c.env = []string{"VISUAL=" + tool}
		if set {
			c.put(agentFiles+"settings.json", `{"theme":"dark","externalEditor":"`+tool+`"}`)
			c.env = []string{"VISUAL=/bin/false"}
		}
		c.open(80, 24)
		c.keys("my draft of 한글 👩‍🚀")
		c.wait("my draft of")
		c.keys("\x07") // ctrl+g
		c.wait("\nmy final of 한글", "\nand more")
		c.keys(ctrlC)
		c.gone("and more")
		c.leave()
	}
}
