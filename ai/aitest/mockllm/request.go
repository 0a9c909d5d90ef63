package mockllm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The protocols the server speaks; other requests have an empty API.
const (
	Completions = "openai-completions"
	Anthropic   = "anthropic-messages"
	Google      = "google-generative-ai"
	Responses   = "openai-responses"
	Bedrock     = "bedrock-converse-stream"
	// Mistral has the path of Completions and PiMessages that of Anthropic: see
	// [Server].Protocol.
	Mistral    = "mistral-conversations"
	PiMessages = "pi-messages"
)

// Request is a recorded request. Its fields are set before an answer is
// chosen and do not change.
type Request struct {
	// N counts the requests of the protocols from 1, in order of arrival.
	N        int
	API      string
	Method   string
	Host     string
	URL      string // path and query
	Header   http.Header
	Body     []byte
	Arrived  time.Time // when its headers had come
	BodyRead time.Time // when its body had
	Model    string
	Stream   bool
	// Messages counts the messages, Results the tool results after the user
	// message that the scenario is taken from.
	Messages, Results int
	// Prompt is the text of the last user message that has any.
	Prompt string
	Tools  []Tool

	directive string

	mu      sync.Mutex
	sent    int
	ended   time.Time
	aborted bool
	done    chan struct{}
}

// Tool is a tool that a request declares.
type Tool struct {
	Name       string
	Properties map[string]json.RawMessage
}

// JSON decodes the body, for assertions; nil when it is no object.
func (r *Request) JSON() map[string]any {
	var m map[string]any
	if json.Unmarshal(r.Body, &m) != nil {
		return nil
	}
	return m
}

// Done is closed when the answer has been sent or given up.
func (r *Request) Done() <-chan struct{} { return r.done }

// Wait waits for Done, or for the context.
func (r *Request) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Aborted reports that the client left before the answer was sent. It is
// final after [Request.Done].
func (r *Request) Aborted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.aborted
}

// Sent gives the bytes of the answer's body handed to the connection, and
// when the last were.
func (r *Request) Sent() (n int, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent, r.ended
}

func (r *Request) finish(aborted bool) {
	r.mu.Lock()
	r.aborted, r.ended = aborted, time.Now()
	r.mu.Unlock()
	close(r.done)
}

// protocolOf names the protocol of a path.
func protocolOf(method, path string) string {
	switch {
	case method != http.MethodPost:
	case strings.HasSuffix(path, "/chat/completions"):
		return Completions
	case strings.HasSuffix(path, "/messages"):
		return Anthropic
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		return Google
	case strings.HasSuffix(path, "/responses"):
		return Responses
	case strings.HasSuffix(path, "/converse-stream"):
		return Bedrock
	}
	return ""
}

// parse fills in what the body says.
func (r *Request) parse() error {
	switch r.API {
	case Google:
		return r.parseGoogle()
	case Responses:
		return r.parseResponses()
	case Bedrock:
		return r.parseBedrock()
	}
	type schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	type message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	var body struct {
		Model    string    `json:"model"`
		Stream   bool      `json:"stream"`
		Messages []message `json:"messages"`
		Context  struct {
			Messages []message `json:"messages"`
		} `json:"context"` // of a gateway, which always streams
		Tools []struct {
			Name        string `json:"name"`
			InputSchema schema `json:"input_schema"`
			Function    struct {
				Name       string `json:"name"`
				Parameters schema `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	if r.API == PiMessages {
		body.Messages, body.Stream = body.Context.Messages, true
	}
	r.Model, r.Stream, r.Messages = body.Model, body.Stream, len(body.Messages)
	for _, t := range body.Tools {
		if t.Function.Name != "" {
			r.Tools = append(r.Tools, Tool{t.Function.Name, t.Function.Parameters.Properties})
		} else if t.Name != "" {
			r.Tools = append(r.Tools, Tool{t.Name, t.InputSchema.Properties})
		}
	}
	for _, m := range body.Messages {
		text, results := contentOf(m.Content)
		if m.Role == "tool" || m.Role == "toolResult" {
			results = 1
		}
		r.see(m.Role, text, results)
	}
	return nil
}

// see takes the next message into account.
func (r *Request) see(role, text string, results int) {
	r.Results += results
	if role != "user" || text == "" {
		return
	}
	r.Prompt = text
	if at := strings.LastIndex(text, "[[mock "); at >= 0 {
		r.directive, r.Results = text[at+len("[[mock "):], 0
	} else if results == 0 {
		r.directive, r.Results = "", 0
	}
}

// contentOf gives the text of a message's content, and its tool results.
func contentOf(raw json.RawMessage) (text string, results int) {
	if len(raw) == 0 {
		return "", 0
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, 0
	}
	var blocks []struct {
		Type, Text string
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return "", 0
	}
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(x.Text)
		if x.Type == "tool_result" {
			results++
		}
	}
	return b.String(), results
}
