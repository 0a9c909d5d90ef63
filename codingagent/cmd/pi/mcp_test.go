//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// asMCP makes the test binary be an MCP server.
const asMCP = "PI_TEST_AS_MCP"

type greeting struct {
	Name string `json:"name"`
}

func serveMCP() {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "greet", Description: "Greets."}, func(_ context.Context, _ *sdk.CallToolRequest, in greeting) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello, " + in.Name + os.Getenv("SIGN")}}}, nil, nil
	})
	stubborn := os.Getenv(asMCP) == "stubborn"
	if stubborn {
		signal.Ignore(syscall.SIGTERM)
		if err := os.WriteFile("server", fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if stubborn { // its input has ended
		time.Sleep(time.Hour)
	}
}

// says checks that parts of the output are there.
func (o outcome) says(t *testing.T, code int, out string, errs ...string) {
	t.Helper()
	if o.code != code || !strings.Contains(o.out, out) {
		t.Errorf("exit %d, want %d; stdout %q, want %q in it; stderr %q", o.code, code, o.out, out, o.err)
	}
	for _, e := range errs {
		if !strings.Contains(o.err, e) {
			t.Errorf("stderr %q lacks %q", o.err, e)
		}
	}
}

// A server is added, looked at, used by a model, and removed.
func TestMCP(t *testing.T) {
	s := newSandbox(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const file = "../home/.pi/agent/mcp.json"
	s.put(file, `{"mine": 1}`)
	s.run("mcp").says(t, 0, "pi mcp [options] add|remove|list|login|logout")
	s.run("mcp", "list").says(t, 0, "There are no MCP servers.")
	s.run("mcp", "add", "hello", "--env", asMCP+"=1", "--env", "SIGN=!echo '!'", "--exposure", "direct", "--", self).says(t, 0, "Added hello to "+s.home)
	s.run("mcp", "list").says(t, 0, "hello  connected")
	s.run("mcp", "list", "--json").says(t, 0, `"tools":["greet"]`)
	s.run("mcp", "add", "bad").says(t, 1, "", "neither a command nor a url")
	s.run("mcp", "add", "b d", "--url", "http://x").says(t, 1, "", "letters, digits")
	s.run("mcp", "login", "helo").says(t, 1, "", "did you mean hello?")

	s.run("prompt", "show").says(t, 0, "── tool mcp__hello__greet")
	call := func() {
		s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "mcp__hello__greet", `{"name":"you"}`)), mockllm.Say("done"))
	}
	call()
	s.run("--model", "mock/m", "-p", "greet me").says(t, 0, "done")
	requests := s.llm.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "Hello, you!") {
		t.Errorf("the model got %s", body)
	}
	s.llm.Queue(mockllm.Say("fine"))
	s.run("--model", "mock/m", "-p", "hi", "--no-mcp").says(t, 0, "fine")
	requests = s.llm.Requests()
	if body := string(requests[len(requests)-1].Body); strings.Contains(body, "mcp__") {
		t.Errorf("without MCP the model got %s", body)
	}
	s.llm.Queue(mockllm.Say("fine"))
	s.run("--model", "mock/m", "-p", "hi", "-t", "read").says(t, 0, "fine")
	requests = s.llm.Requests()
	if body := string(requests[len(requests)-1].Body); strings.Contains(body, "mcp__") || strings.Contains(body, "tool_search") {
		t.Errorf("with -t read the model got %s", body)
	}

	s.run("mcp", "add", "broken", "--exposure", "direct", "--", "/no/such/program").says(t, 0, "Added")
	s.llm.Queue(mockllm.Say("fine"))
	s.run("--model", "mock/m", "-p", "hi").says(t, 0, "fine", "MCP server broken")
	s.run("mcp", "remove", "broken").says(t, 0, "Removed broken")

	s.run("mcp", "remove", "hello").says(t, 0, "Removed hello")
	s.run("mcp", "remove", "hello").says(t, 1, "", "no MCP server is called")
	if text := s.get(file); !strings.Contains(text, `"mine": 1`) || strings.Contains(text, "greet") {
		t.Errorf("the file is %s", text)
	}
}

// The servers of a project need trust, and are not even started without it.
func TestMCPOfAProjectNeedsTrust(t *testing.T) {
	s := newSandbox(t)
	s.put(".pi/mcp.json", `{"mcpServers":{"evil":{"command":"touch","args":["owned"]}}}`)
	s.llm.Queue(mockllm.Say("a"), mockllm.Say("b"))
	s.run("--model", "mock/m", "-p", "hi").says(t, 0, "a", "not trusted")
	s.run("mcp", "list").says(t, 0, "There are no MCP servers.", "not trusted")
	if _, err := os.Stat(filepath.Join(s.dir, "owned")); err == nil {
		t.Error("a server of a project that is not trusted was started")
	}
	s.run("mcp", "list", "--approve").says(t, 1, "evil  failed")
	if _, err := os.Stat(filepath.Join(s.dir, "owned")); err != nil {
		t.Error("with trust the server is not started")
	}
}
