package interactive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// disk gives pi's own files a small file system of their own.
func (c *console) disk() {
	c.t.Helper()
	root := filepath.Join(c.home, ".pi")
	settings, models := c.file(agentFiles+"settings.json"), c.file(agentFiles+"models.json")
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=512k"); err != nil {
		c.t.Skipf("no file system of its own can be mounted here: %v", err)
	}
	c.t.Cleanup(func() {
		if err := syscall.Unmount(root, syscall.MNT_DETACH); err != nil {
			c.t.Error(err)
		}
	})
	c.put(agentFiles+"settings.json", settings)
	c.put(agentFiles+"models.json", models)
}

// fill takes all the room that is left.
func (c *console) fill() {
	c.t.Helper()
	f, err := os.Create(filepath.Join(c.home, ".pi", "ballast"))
	if err != nil {
		c.t.Fatal(err)
	}
	for size := 4096; size > 0; size /= 2 {
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			c.t.Fatal(err)
		}
		err = nil
	}
	_ = f.Close()
}

// free gives the room back.
func (c *console) free() {
	c.t.Helper()
	if err := os.Remove(filepath.Join(c.home, ".pi", "ballast")); err != nil {
		c.t.Fatal(err)
	}
}

// A disk that is full is said for each thing that can not be kept, what was typed stays,
// and with room again all goes on.
func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.disk()
	c.llm.Queue(mockllm.Say("answer one"), mockllm.Say("answer three"))
	c.open(100, 50)
	c.ask("question one", "answer one")
	c.fill()
	c.keys("unsent words")
	c.wait("can not be kept for a restart", "no space left")
	c.keys(ctrlC)
	c.gone("unsent words")
	c.keys("question two"+strings.Repeat(" long", 1000), enter) // more than a page of memory
	c.wait("Error: save user message", "no space left", "--session-dir", "more ──")
	c.keys(ctrlC)
	c.gone("more ──")
	c.keys("/settings", enter)
	c.wait("── Settings")
	c.keys(enter)
	c.wait("not kept, it counts until you leave")
	c.keys(escape)
	c.gone("── Settings")
	c.free()
	c.ask("question three", "answer three")
	c.keys("kept words")
	c.stashed("kept words")
	c.keys(ctrlC)
	c.gone("kept words")
	c.fill()
	c.keys("other words")
	c.wait("can not be kept for a restart")
	c.free()
	c.keys(" at the end")
	c.stashed("other words at the end")
	c.leave(ctrlC)
	c.open(100, 50, "-c")
	c.wait("question one", "answer one", "question three", "answer three")
	c.keys("\x1b[A")
	c.wait("─\nquestion three\n─")
	c.leave(ctrlC)
	names, _ := filepath.Glob(filepath.Join(c.home, ".pi/agent/prompt-history/*"))
	if len(names) != 1 {
		t.Fatalf("the prompts are in %q", names)
	}
	history, err := os.ReadFile(names[0])
	if err != nil || !strings.Contains(string(history), "\n{\"text\":\"question three\"") {
		t.Errorf("what was sent with room again is not kept by itself: %v", err)
	}
}
