package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/mcp"
)

// The test binary is a server of its own when this is set.
const asServer = "PI_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(asServer) {
	case "":
		os.Exit(m.Run())
	case "broken":
		fmt.Fprintln(os.Stderr, "no such license")
		os.Exit(3)
	default:
		if err := newServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

type echoArgs struct {
	Text string `json:"text"`
}

// newServer is a server with a few tools and a resource.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ServerOptions{Instructions: "Speak up."})
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Say it again."}, func(_ context.Context, _ *sdk.CallToolRequest, in echoArgs) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "env", Description: "Tell the key.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: os.Getenv("KEY")}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fail", Description: "Does not work."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "it broke"}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "die", Description: "Ends the server."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		os.Exit(1)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow", Description: "Adds a tool."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "grown", Description: "Is new."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "new"}}}, nil, nil
		})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "ok"}}}, nil, nil
	})
	s.AddResource(&sdk.Resource{URI: "test://readme", Name: "readme"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://readme", Text: "Read me."}}}, nil
	})
	return s
}

// self is the entry of a server that this binary is.
func self(t *testing.T, name, mode string) mcp.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server{Name: name, Command: exe, Env: map[string]string{asServer: mode, "GORACE": "atexit_sleep_ms=20"}, Exposure: extension.ExposeDirect}
}

// notes collects what a person is told.
type notes struct {
	extension.NoUI
	mu   sync.Mutex
	list []string
}

func (n *notes) Notify(message string, _ extension.Level) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, message)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.list, "\n")
}

type rig struct {
	*codingagent.AgentSession
	t     *testing.T
	model *faux.Provider
	notes *notes
}

func newRig(t *testing.T, o mcp.Options) *rig {
	t.Helper()
	o.Environ, o.Dir = os.Environ(), t.TempDir()
	r := &rig{t: t, model: faux.New(faux.Config{}), notes: new(notes)}
	var err error
	r.AgentSession, err = codingagent.NewSession(t.Context(), codingagent.Options{
		Dir: t.TempDir(), Models: ai.NewModels(r.model), Model: r.model.Model(),
		Extensions: []extension.Extension{mcp.Extension(o)}, Front: codingagent.Front{Mode: extension.ModeTUI, UI: r.notes},
		OnFault: func(f *extension.Fault) { t.Errorf("fault: %v", f) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// call has the model call a tool and gives the result.
func (r *rig) call(tool string, args any) string {
	r.t.Helper()
	r.model.Queue(faux.Calls(faux.Call(tool, args)), faux.Say("done"))
	if _, err := r.Prompt(r.t.Context(), codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{}); err != nil {
		r.t.Fatal(err)
	}
	requests := r.model.Requests()
	var result *ai.ToolResultMessage
	for _, m := range requests[len(requests)-1].Call.Messages {
		if m, ok := m.(*ai.ToolResultMessage); ok {
			result = m
		}
	}
	if result == nil {
		r.t.Fatal("there is no result")
	}
	text := ai.TextOf(result.Content, "|")
	if result.IsError {
		text = "error: " + text
	}
	return text
}

// offered lists the tools that the model was offered last.
func (r *rig) offered() []string {
	requests := r.model.Requests()
	var names []string
	for _, t := range ai.ReplaySystem(requests[len(requests)-1].Call.Messages).Tools {
		names = append(names, t.Name)
	}
	return names
}

func TestToolsOfAProgram(t *testing.T) {
	s := self(t, "my-server", "1")
	s.Env["KEY"] = "$SECRET"
	s.ToolExposure = map[string]extension.Exposure{"fail": extension.ExposeDeferred, "die": extension.ExposeHidden}
	r := newRig(t, mcp.Options{Servers: []mcp.Server{s}, Resolve: func(_ context.Context, v string) (string, error) {
		return strings.ReplaceAll(v, "$SECRET", "s3cret"), nil
	}})
	if got := r.call("mcp__my_server__echo", map[string]any{"text": "hello"}); got != "hello" {
		t.Errorf("echo: %q", got)
	}
	if got := r.call("mcp__my_server__env", nil); got != "s3cret" {
		t.Errorf("env: %q", got)
	}
	offered := r.offered()
	if !slices.Contains(offered, "mcp__my_server__grow") || slices.Contains(offered, "mcp__my_server__fail") || slices.Contains(offered, "mcp__my_server__die") {
		t.Errorf("offered %q", offered)
	}
	// What is deferred is found, and called afterwards.
	if got := r.call("tool_search", map[string]any{"query": "does not work"}); !strings.Contains(got, "- mcp__my_server__fail: Does not work.") {
		t.Errorf("search: %q", got)
	}
	if got := r.call("mcp__my_server__fail", nil); got != "error: it broke" {
		t.Errorf("fail: %q", got)
	}
	if got := r.call("tool_search", map[string]any{"query": "zebra"}); got != `No tool fits "zebra".` {
		t.Errorf("search: %q", got)
	}
	if got := r.call("tool_search", map[string]any{"query": "read resource", "limit": 20}); !strings.Contains(got, "read_mcp_resource") {
		t.Errorf("search: %q", got)
	}
	if got := r.call("read_mcp_resource", map[string]any{"server": "my_server", "uri": "test://readme"}); got != "[resource test://readme]\nRead me." {
		t.Errorf("read: %q", got)
	}
	if got := r.call("list_mcp_resources", map[string]any{"server": "other"}); got != `error: no MCP server is called "other"; there is my-server` {
		t.Errorf("list: %q", got)
	}
}

func TestAServerThatDiesIsConnectedAgain(t *testing.T) {
	r := newRig(t, mcp.Options{Servers: []mcp.Server{self(t, "a", "1")}})
	if got := r.call("mcp__a__die", nil); !strings.HasPrefix(got, "error: ") {
		t.Errorf("die: %q", got)
	}
	if got := r.call("mcp__a__echo", map[string]any{"text": "again"}); got != "again" {
		t.Errorf("echo: %q", got)
	}
}

func TestNewToolsOfAServerAreOffered(t *testing.T) {
	r := newRig(t, mcp.Options{Servers: []mcp.Server{self(t, "a", "1")}})
	if got := r.call("mcp__a__grow", nil); got != "ok" {
		t.Errorf("grow: %q", got)
	}
	deadline := time.After(30 * time.Second)
	for !slices.Contains(r.ActiveTools(), "mcp__a__grown") {
		select {
		case <-deadline:
			t.Fatalf("active tools %q", r.ActiveTools())
		case <-time.After(5 * time.Millisecond): // the server tells of it when it likes
		}
	}
	if got := r.call("mcp__a__grown", nil); got != "new" {
		t.Errorf("grown: %q", got)
	}
}

func TestAServerThatDoesNotWorkIsTold(t *testing.T) {
	r := newRig(t, mcp.Options{Servers: []mcp.Server{self(t, "bad", "broken"), self(t, "good", "1"), {Name: "off", Command: "x", Disabled: true}, {Name: "none", Command: "/no/such/program"}}})
	if got := r.call("mcp__good__echo", map[string]any{"text": "hello"}); got != "hello" {
		t.Errorf("echo: %q", got)
	}
	if _, err := r.Prompt(t.Context(), codingagent.Prompt{Text: "/mcp"}, codingagent.PromptOptions{}); err != nil {
		t.Fatal(err)
	}
	text := r.notes.String()
	for _, want := range []string{"MCP server bad: ", "it said: no such license", "good: connected, 5 tools", "off: disabled", "none: failed"} {
		if !strings.Contains(text, want) {
			t.Errorf("nobody was told %q:\n%s", want, text)
		}
	}
}

func TestToolsOverHTTPWithHeaders(t *testing.T) {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer() }, nil)
	var mu sync.Mutex
	var seen http.Header
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = r.Header.Clone()
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close) // after the session
	r := newRig(t, mcp.Options{Version: "9", Servers: []mcp.Server{{Name: "web", URL: web.URL, Headers: map[string]string{"authorization": "Bearer key"}, Exposure: extension.ExposeDirect}}})
	if got := r.call("mcp__web__echo", map[string]any{"text": "over there"}); got != "over there" {
		t.Errorf("echo: %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if seen.Get("Authorization") != "Bearer key" || seen.Get("User-Agent") != "pi-go/9" {
		t.Errorf("headers %v", seen)
	}
}

func TestServersOfExtensions(t *testing.T) {
	s := self(t, "", "1")
	config, err := json.Marshal(map[string]any{"command": s.Command, "env": s.Env, "exposure": "direct"})
	if err != nil {
		t.Fatal(err)
	}
	var api *extension.API
	model := faux.New(faux.Config{})
	session, err := codingagent.NewSession(t.Context(), codingagent.Options{
		Dir: t.TempDir(), Models: ai.NewModels(model), Model: model.Model(),
		OnFault: func(f *extension.Fault) { t.Errorf("fault: %v", f) },
		Extensions: []extension.Extension{mcp.Extension(mcp.Options{Environ: os.Environ(), Dir: t.TempDir()}), {
			Name: "brings", Setup: func(_ context.Context, a *extension.API) error {
				api = a
				return a.RegisterMCPServer("brought", config)
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close(context.Background())
	model.Queue(faux.Calls(faux.Call("mcp__brought__echo", map[string]any{"text": "hi"})), faux.Say("done"))
	if _, err := session.Prompt(t.Context(), codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{}); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[1].Call.Messages
	if got := ai.TextOf(messages[len(messages)-1].(*ai.ToolResultMessage).Content, ""); got != "hi" {
		t.Errorf("echo: %q", got)
	}
	if err := api.UnregisterMCPServer("brought"); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(session.ActiveTools(), "mcp__brought__echo") {
		t.Error("a tool of a server that is gone is still offered")
	}
}

func TestProbe(t *testing.T) {
	got := mcp.Probe(t.Context(), mcp.Options{
		Environ: os.Environ(), Dir: t.TempDir(), Log: &mcp.Log{Path: filepath.Join(t.TempDir(), "mcp.log")},
		Servers: []mcp.Server{self(t, "good", "1"), self(t, "bad", "broken")},
	})
	if got[0].State != mcp.Connected || len(got[0].Tools) != 5 || got[1].State != mcp.Failed || got[1].Err == nil {
		t.Errorf("got %+v", got)
	}
}

// The tools of a server stay when another one, whose name begins like its own,
// has others.
func TestServersWhoseNamesBeginAlike(t *testing.T) {
	r := newRig(t, mcp.Options{Servers: []mcp.Server{self(t, "a", "1"), self(t, "a__echo", "1")}})
	if got := r.call("mcp__a__echo__echo", map[string]any{"text": "longer"}); got != "longer" {
		t.Errorf("echo: %q", got)
	}
	if got := r.call("mcp__a__grow", nil); got != "ok" {
		t.Errorf("grow: %q", got)
	}
	deadline := time.After(30 * time.Second)
	for !slices.Contains(r.ActiveTools(), "mcp__a__grown") {
		select {
		case <-deadline:
			t.Fatalf("active tools %q", r.ActiveTools())
		case <-time.After(5 * time.Millisecond): // the server tells of it when it likes
		}
	}
	if got := r.call("mcp__a__echo__echo", map[string]any{"text": "still"}); got != "still" {
		t.Errorf("echo: %q", got)
	}
}

// A server's own error is no reason to call its tool twice, whatever its code.
func TestAnErrorOfAServerIsNotTriedAgain(t *testing.T) {
	server := newServer()
	var calls atomic.Int32
	sdk.AddTool(server, &sdk.Tool{Name: "refuse", Description: "Refuses."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		calls.Add(1)
		return nil, nil, &jsonrpc.Error{Code: -32003, Message: "not allowed"}
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close) // after the session
	r := newRig(t, mcp.Options{Servers: []mcp.Server{{Name: "web", URL: web.URL, Exposure: extension.ExposeDirect}}})
	if got := r.call("mcp__web__refuse", nil); !strings.Contains(got, "not allowed") {
		t.Errorf("refuse: %q", got)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the tool was called %d times", n)
	}
}

func TestToolsTellWhatTheServerSaysOfThem(t *testing.T) {
	server := self(t, "my-test", "1")
	server.Description = "the test"
	r := newRig(t, mcp.Options{Servers: []mcp.Server{server}})
	r.call("mcp__my_test__echo", map[string]any{"text": "a"})
	for _, info := range r.Tools() {
		if info.Name != "mcp__my_test__env" {
			continue
		}
		n, a := info.Namespace, info.Annotations
		if n == nil || n.Name != "mcp__my_test" || !slices.Equal(n.Aliases, []string{"my-test"}) || n.Description != "the test" || n.Instructions != "Speak up." {
			t.Errorf("the namespace is %+v", n)
		}
		if a.ReadOnly == nil || !*a.ReadOnly || a.Destructive != nil || a.OpenWorld == nil || *a.OpenWorld {
			t.Errorf("the annotations are %+v", a)
		}
		return
	}
	t.Error("the tool is not there")
}

// trip is a connection to a server.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestACallThatReachesToolsWaitsForTheirServers(t *testing.T) {
	dir := t.TempDir() // made outside of the bubble
	synctest.Test(t, func(t *testing.T) { reachingCall(t, dir) })
}

func reachingCall(t *testing.T, dir string) {
	free := make(chan struct{})
	client := &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		<-free
		return nil, errors.New("nobody is there")
	})}
	ran := make(chan string, 4)
	caller := extension.Extension{Name: "caller", Setup: func(_ context.Context, api *extension.API) error {
		return api.RegisterTool(extension.Tool{
			Tool: agentcore.Tool{Name: "script", Description: "Calls others.", Parameters: json.RawMessage(`{"type":"object"}`)},
			Execute: func(_ context.Context, _ *extension.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
				ran <- string(call.Arguments)
				return agentcore.TextResult("ok"), nil
			},
			ReachesTools: func(args json.RawMessage) extension.Reach {
				return extension.Reach{Words: strings.Fields(string(args))}
			},
		})
	}}
	model := faux.New(faux.Config{})
	s, err := codingagent.NewSession(t.Context(), codingagent.Options{
		Dir: dir, Environ: []string{"PATH=/bin"}, Models: ai.NewModels(model), Model: model.Model(),
		Extensions: []extension.Extension{caller, mcp.Extension(mcp.Options{
			Servers: []mcp.Server{{Name: "slow", URL: "http://slow.invalid/", Exposure: extension.ExposeDeferred}}, Dir: dir, Patience: time.Hour, HTTPClient: client,
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	model.Queue(
		faux.Calls(faux.Call("script", map[string]any{"say": "nothing of it"})),
		faux.Calls(faux.Call("script", map[string]any{"say": "use slow tools"})), faux.Say("done"),
	)
	ended := make(chan error, 1)
	go func() {
		_, err := s.Prompt(t.Context(), codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{})
		ended <- err
	}()
	if got := <-ran; !strings.Contains(got, "nothing") {
		t.Errorf("ran %s", got)
	}
	synctest.Wait()
	select {
	case got := <-ran:
		t.Errorf("%s ran while the server was not there", got)
	default:
	}
	close(free)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := <-ran; !strings.Contains(got, "slow") {
		t.Errorf("ran %s", got)
	}
}
