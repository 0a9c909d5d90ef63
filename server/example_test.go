package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/server"
)

// A server with the built-in demo model, and a client that opens a session,
// asks, and reads the events until the agent has settled.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	models := ai.NewModels(codingagent.DemoProvider(0))
	guide, err := models.Model("demo", "guide")
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := server.New(server.Config{Open: server.Template{Options: codingagent.Options{Models: models, Model: guide}}.Open})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := server.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- host.Serve(ctx, l) }()

	url := "http://" + l.Addr().String()
	call := func(method, path, body string) *http.Response {
		q, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		q.Header.Set("Authorization", "Bearer "+host.Token())
		q.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			panic(err)
		}
		return a
	}
	opened := call("POST", "/v1/sessions", fmt.Sprintf(`{"dir": %q, "inMemory": true}`, os.TempDir()))
	fmt.Println(opened.Status)
	session := opened.Header.Get("Location")

	events := call("GET", session+"/events", "")
	defer events.Body.Close()
	fmt.Println(call("POST", session+"/prompt", `{"message": "run echo hello"}`).Status)
	for lines := bufio.NewScanner(events.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, `"tool_execution_end"`) {
			fmt.Println("it ran the command:", strings.Contains(data, `hello`))
		} else if strings.Contains(data, `"agent_settled"`) {
			break
		}
	}
	stop()
	fmt.Println(<-served)
	// Output:
	// 201 Created
	// 202 Accepted
	// it ran the command: true
	// <nil>
}
