package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A disk that gets full in the middle of a run: what was told is stored, the end is
// one clear error that names the reason, and with room again the session goes on.
func TestDiskThatGetsFull(t *testing.T) {
	for _, mode := range []string{"print", "json", "rpc"} {
		t.Run(mode, func(t *testing.T) {
			s := newSandbox(t)
			disk := filepath.Join(s.home, ".pi/agent/sessions")
			if err := os.MkdirAll(disk, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=128k"); err != nil {
				t.Skipf("no file system of its own can be mounted here: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			s.llm.OnRequest = func(r *mockllm.Request) { wellFormed(t, r) }
			s.llm.Respond(func(r *mockllm.Request) mockllm.Answer {
				if strings.Contains(r.Prompt, "and now?") {
					return mockllm.Say("the end")
				}
				return mockllm.Blocks(mockllm.Text(strings.Repeat("a long story. ", 500)), mockllm.ToolCall("call_"+strings.Repeat("x", r.N), "bash", `{"command":"echo one"}`))
			})
			var o outcome
			switch mode {
			case "print":
				o = s.run("--model", "mock/m", "-p", "go on")
			case "json":
				o = s.run("--model", "mock/m", "--mode", "json", "-p", "go on")
			case "rpc":
				o = s.runWith(`{"type":"prompt","message":"go on"}`+"\n", "--model", "mock/m", "--mode", "rpc")
			}
			if mode != "rpc" && o.code != 1 {
				t.Errorf("exit %d", o.code)
			}
			if !strings.Contains(o.err+o.out, "no space left on device") {
				t.Errorf("nothing says that the disk is full\nstdout: %.2000s\nstderr: %s", o.out, o.err)
			}
			if n := strings.Count(o.err, "no space left"); n > 1 {
				t.Errorf("it is said %d times: %s", n, o.err)
			}
			s.keeps(told(o.out))
			if n := len(s.llm.Requests()); n > 40 {
				t.Errorf("%d requests: it went on without a disk", n)
			}
			if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=4m"); err != nil {
				t.Fatal(err)
			}
			s.run("-c", "--model", "mock/m", "-p", "and now?").want(t, 0, "the end\n")
			s.keeps(told(o.out))
		})
	}
}
