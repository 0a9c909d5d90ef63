package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// asPi makes the test binary be a program that takes the options of pi.
const asPi = "as-pi"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asPi {
		if err := pi(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// pi is the least that the scenarios ask of a program, over completions. A
// first argument says how it goes wrong.
func pi(args []string) error {
	fault := args[0]
	args = args[1:]
	switch fault {
	case "hang":
		fmt.Println("up")
		time.Sleep(time.Hour)
	case "fail":
		return fmt.Errorf("this program always fails")
	case "memory":
		bytes.Repeat([]byte{1}, 96<<20)
	}
	if slices.Contains(args, "--version") {
		fmt.Println("0.0.0")
		return nil
	}
	if fault == "fail-later" {
		return fmt.Errorf("this program fails in the end")
	}
	switch {
	case args[0] == "sessions":
		if fault != "quiet" {
			fmt.Println(strings.Repeat("a session\n", 5000))
		}
		return nil
	case slices.Contains(args, "rpc"):
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println(`{"type":"response","command":"get_state"}`)
		}
		return nil
	}
	model := args[slices.Index(args, "--model")+1]
	provider, id, _ := strings.Cut(model, "/")
	data, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".pi", "agent", "models.json"))
	if err != nil {
		return err
	}
	var config struct {
		Providers map[string]struct {
			BaseURL string `json:"baseUrl"`
		}
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return err
	}
	c := conversation{url: config.Providers[provider].BaseURL + "/chat/completions", model: id, quiet: fault == "quiet"}
	c.messages = append(c.messages, map[string]any{"role": "user", "content": args[len(args)-1]})
	c.json = slices.Contains(args, "json")
	if !slices.Contains(args, "-p") && !c.json { // the terminal itself shows what is typed
		fmt.Println("the model is " + id)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if _, err := c.ask(); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		arguments, err := c.ask()
		if err != nil || arguments == "" || fault == "lazy" {
			return err
		}
		var call struct{ Path, Content, Pattern string }
		if err := json.Unmarshal([]byte(arguments), &call); err != nil {
			return err
		}
		result := "done"
		if call.Pattern != "" {
			if fault != "blind" {
				result = strings.Repeat("tree/a/file1007.go\n", 40)
			}
		} else if call.Content != "" {
			if fault == "short" {
				call.Content = call.Content[1:]
			}
			if err := os.WriteFile(call.Path, []byte(call.Content), 0o600); err != nil {
				return err
			}
		} else if _, err := os.ReadFile(call.Path); err != nil {
			return err
		}
		c.messages = append(c.messages, map[string]any{"role": "tool", "content": result})
	}
}

type conversation struct {
	url, model  string
	messages    []map[string]any
	json, quiet bool
}

// ask sends a request, prints the answer's text and gives its tool arguments.
func (c *conversation) ask() (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": c.model, "stream": true, "messages": c.messages,
		"tools": []any{tool("read", "path"), tool("write", "path", "content"), tool("grep", "pattern", "path")},
	})
	if err != nil {
		return "", err
	}
	answer, err := http.Post(c.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var arguments strings.Builder
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		var frame struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
			}
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		if err := json.Unmarshal([]byte(data), &frame); err != nil {
			return "", err
		}
		for _, choice := range frame.Choices {
			text := choice.Delta.Content
			if c.json {
				text = fmt.Sprintf("%-120s\n", text)
			}
			if !c.quiet {
				out.WriteString(text)
			}
			for _, call := range choice.Delta.ToolCalls {
				arguments.WriteString(call.Function.Arguments)
			}
		}
	}
	return arguments.String(), lines.Err()
}

func tool(name string, properties ...string) any {
	p := make(map[string]any)
	for _, n := range properties {
		p[n] = map[string]string{"type": "string"}
	}
	return map[string]any{"type": "function", "function": map[string]any{"name": name, "parameters": map[string]any{"properties": p}}}
}
