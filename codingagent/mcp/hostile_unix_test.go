//go:build unix

package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/mcp"
)

// script is a server that a shell plays: it answers what comes first with
// lines, then does something else.
func script(t *testing.T, text string) mcp.Server {
	t.Helper()
	return mcp.Server{Name: "s", Command: "sh", Args: []string{"-c", text}, Timeout: 2 * time.Second, Exposure: extension.ExposeDirect}
}

// A server that does not work leaves nothing behind: neither itself nor what it
// has started, whatever phase it fails in.
func TestServersThatFailLeaveNothingBehind(t *testing.T) {
	const (
		refuse = `read r; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'; `
		greet  = `read r; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}'; read r; `
	)
	for name, tc := range map[string]struct{ do, says string }{
		"says nothing":          {`sleep 300`, "did not answer within 2s"},
		"ends at once":          {`exit 3`, "the server has ended"},
		"ends when greeted":     {refuse + `read r; exit 3`, "the server has ended"},
		"says nothing of tools": {refuse + greet + `sleep 300`, "did not answer within 2s"},
		"ends at its tools":     {refuse + greet + `read r; exit 3`, "the server has ended"},
		"says no JSON":          {`yes | head -c 100000; sleep 300`, ""},
		"floods the log":        {`(yes >&2) & sleep 300`, "did not answer within 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			s := script(t, fmt.Sprintf("sleep 300 >/dev/null & echo $! > %s; %s", file, tc.do))
			status := mcp.Probe(t.Context(), mcp.Options{Servers: []mcp.Server{s}, Environ: os.Environ(), Dir: t.TempDir()})[0]
			if status.Err == nil || !strings.Contains(status.Err.Error(), tc.says) {
				t.Errorf("it says %v, want %q", status.Err, tc.says)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			for syscall.Kill(pid, 0) == nil && !ended(pid) {
				if t.Context().Err() != nil {
					t.Fatal("what it has started is still there")
				}
				time.Sleep(10 * time.Millisecond) // another process ends: there is nothing to wait on
			}
		})
	}
}

// ended reports whether a process only waits to be collected.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return os.IsNotExist(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}
