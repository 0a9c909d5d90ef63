package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"pgregory.net/rapid"
)

type object = map[string]any

// shape is what a vendor's reference says of the order of a conversation: which items it
// has, what may follow what, which ids are legal. No schema says that; what one does say
// is tested in schema_test.go. The rules are written by hand after the reference pages.
type shape func(body object) error

func list(v any) []any        { l, _ := v.([]any); return l }
func member(v any) object     { o, _ := v.(object); return o }
func word(v any) string       { s, _ := v.(string); return s }
func isString(v any) bool     { _, ok := v.(string); return ok }
func blankText(s string) bool { return strings.TrimSpace(s) == "" }

// pending checks that results follow their calls at once, each once.
type pending struct {
	open []string
	seen map[string]bool
}

func (p *pending) call(id, pattern string) error {
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	if !regexp.MustCompile(pattern).MatchString(id) {
		return fmt.Errorf("the id %q is not legal", id)
	}
	if p.seen[id] {
		return fmt.Errorf("the id %q is used twice", id)
	}
	p.seen[id] = true
	p.open = append(p.open, id)
	return nil
}

func (p *pending) result(id string) error {
	at := slices.Index(p.open, id)
	if at < 0 {
		return fmt.Errorf("the result %q has no call before it", id)
	}
	p.open = slices.Delete(p.open, at, at+1)
	return nil
}

func (p *pending) settled(before string) error {
	if len(p.open) > 0 {
		return fmt.Errorf("%s comes before the results of %q", before, p.open)
	}
	return nil
}

func anthropicShape(body object) error {
	var p pending
	for i, m := range list(body["messages"]) {
		role := word(member(m)["role"])
		if i == 0 && role != "user" {
			return fmt.Errorf("the conversation begins with %q", role)
		}
		content, ok := member(m)["content"].([]any)
		if !ok {
			if blankText(word(member(m)["content"])) {
				return fmt.Errorf("empty content of %s", role)
			}
			content = []any{object{"type": "text", "text": member(m)["content"]}}
		}
		if len(content) == 0 {
			return fmt.Errorf("no content of %s", role)
		}
		if role == "assistant" || len(content) > 0 && word(member(content[0])["type"]) != "tool_result" {
			if err := p.settled(role); err != nil {
				return err
			}
		}
		others := false
		for _, b := range content {
			b := member(b)
			switch kind := word(b["type"]); {
			case kind == "text":
				if blankText(word(b["text"])) {
					return fmt.Errorf("blank text of %s", role)
				}
				others = true
			case kind == "image" && role == "user":
				if s := member(b["source"]); word(s["media_type"]) == "" || !isString(s["data"]) {
					return fmt.Errorf("image %v", b)
				}
				others = true
			case kind == "thinking" && role == "assistant":
				if word(b["signature"]) == "" {
					return fmt.Errorf("thinking without signature")
				}
			case kind == "redacted_thinking" && role == "assistant":
				if word(b["data"]) == "" {
					return fmt.Errorf("redacted thinking without data")
				}
			case kind == "tool_use" && role == "assistant":
				if b["input"] == nil || word(b["name"]) == "" {
					return fmt.Errorf("call %v", b)
				}
				if _, ok := b["input"].(object); !ok {
					return fmt.Errorf("arguments %v", b["input"])
				}
				if err := p.call(word(b["id"]), `^[a-zA-Z0-9_-]{1,64}$`); err != nil {
					return err
				}
			case kind == "tool_result" && role == "user":
				if others {
					return fmt.Errorf("a result behind other content")
				}
				if err := p.result(word(b["tool_use_id"])); err != nil {
					return err
				}
			default:
				return fmt.Errorf("%q in a message of %s", kind, role)
			}
		}
		if role == "user" {
			if err := p.settled("the end of the message"); err != nil {
				return err
			}
		}
	}
	return p.settled("the end")
}

func chatShape(pattern string) shape {
	return func(body object) error {
		var p pending
		for _, m := range list(body["messages"]) {
			m := member(m)
			role := word(m["role"])
			if role != "tool" {
				if err := p.settled(role); err != nil {
					return err
				}
			}
			switch role {
			case "system", "developer", "user", "tool":
				parts, ok := m["content"].([]any)
				if !ok && !isString(m["content"]) || ok && len(parts) == 0 {
					return fmt.Errorf("content of %s is %v", role, m["content"])
				}
				for _, part := range parts {
					switch kind := word(member(part)["type"]); {
					case kind == "text" && isString(member(part)["text"]):
					case kind == "image_url" && member(part)["image_url"] != nil:
					default:
						return fmt.Errorf("part %v of %s", part, role)
					}
				}
				if role == "tool" {
					if err := p.result(word(m["tool_call_id"])); err != nil {
						return err
					}
				}
			case "assistant":
				calls := list(m["tool_calls"])
				if len(calls) == 0 && m["tool_calls"] != nil {
					return fmt.Errorf("an empty list of calls")
				}
				if len(calls) == 0 && (m["content"] == nil || m["content"] == "") {
					return fmt.Errorf("an answer that says nothing: %v", m)
				}
				for _, c := range calls {
					f := member(member(c)["function"])
					if word(member(c)["type"]) != "function" && member(c)["type"] != nil || word(f["name"]) == "" || !json.Valid([]byte(word(f["arguments"]))) {
						return fmt.Errorf("call %v", c)
					}
					if err := p.call(word(member(c)["id"]), pattern); err != nil {
						return err
					}
				}
			default:
				return fmt.Errorf("role %q", role)
			}
		}
		return p.settled("the end")
	}
}

func responsesShape(body object) error {
	var p pending
	for _, item := range list(body["input"]) {
		item := member(item)
		kind := word(item["type"])
		if kind == "" && word(item["role"]) != "" {
			kind = "message"
		}
		if kind != "function_call" && kind != "function_call_output" && kind != "reasoning" && word(item["role"]) != "assistant" {
			if err := p.settled(kind); err != nil {
				return err
			}
		}
		switch kind {
		case "message":
			parts, ok := item["content"].([]any)
			if !ok && !isString(item["content"]) || ok && len(parts) == 0 {
				return fmt.Errorf("content %v", item["content"])
			}
			for _, part := range parts {
				kind := word(member(part)["type"])
				if kind != "input_text" && kind != "input_image" && kind != "output_text" || (kind == "output_text") != (word(item["role"]) == "assistant") {
					return fmt.Errorf("part %q of %v", kind, item["role"])
				}
			}
		case "reasoning":
			if item["summary"] == nil && item["encrypted_content"] == nil {
				return fmt.Errorf("reasoning %v", item)
			}
		case "function_call":
			if word(item["name"]) == "" || !json.Valid([]byte(word(item["arguments"]))) {
				return fmt.Errorf("call %v", item)
			}
			if id := word(item["id"]); id != "" && !strings.HasPrefix(id, "fc_") {
				return fmt.Errorf("the item id %q", id)
			}
			if err := p.call(word(item["call_id"]), `^.{1,64}$`); err != nil {
				return err
			}
		case "function_call_output":
			if out := item["output"]; !isString(out) && len(list(out)) == 0 {
				return fmt.Errorf("output %v", out)
			}
			if err := p.result(word(item["call_id"])); err != nil {
				return err
			}
		default:
			return fmt.Errorf("item %q", kind)
		}
	}
	return p.settled("the end")
}

func googleShape(body object) error {
	var names []string // of calls without results
	for i, turn := range list(body["contents"]) {
		role, parts := word(member(turn)["role"]), list(member(turn)["parts"])
		if role != "user" && role != "model" || len(parts) == 0 || i == 0 && role != "user" {
			return fmt.Errorf("turn %d of %q has %d parts", i, role, len(parts))
		}
		answered := 0
		for _, part := range parts {
			part := member(part)
			call, result := member(part["functionCall"]), member(part["functionResponse"])
			switch {
			case call != nil && role == "model":
				if word(call["name"]) == "" || member(call["args"]) == nil {
					return fmt.Errorf("call %v", call)
				}
				names = append(names, word(call["name"]))
			case result != nil && role == "user":
				if len(names) == 0 || !slices.Contains(names, word(result["name"])) || member(result["response"]) == nil {
					return fmt.Errorf("result %v of calls %q", result, names)
				}
				at := slices.Index(names, word(result["name"]))
				names = slices.Delete(names, at, at+1)
				answered++
			case isString(part["text"]), member(part["inlineData"]) != nil && role == "user":
			default:
				return fmt.Errorf("part %v of %s", part, role)
			}
		}
		if role == "user" && len(names) > 0 {
			return fmt.Errorf("the calls %q have no results in the next turn", names)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("the calls %q have no results", names)
	}
	return nil
}

func bedrockShape(body object) error {
	var p pending
	last := ""
	for i, m := range list(body["messages"]) {
		role, content := word(member(m)["role"]), list(member(m)["content"])
		if role == last || i == 0 && role != "user" || len(content) == 0 {
			return fmt.Errorf("message %d of %q behind %q has %d blocks", i, role, last, len(content))
		}
		last = role
		for _, b := range content {
			b := member(b)
			call, result, reasoning := member(b["toolUse"]), member(b["toolResult"]), member(b["reasoningContent"])
			switch {
			case isString(b["text"]):
				if blankText(word(b["text"])) {
					return fmt.Errorf("blank text of %s", role)
				}
			case call != nil && role == "assistant":
				if word(call["name"]) == "" || member(call["input"]) == nil {
					return fmt.Errorf("call %v", call)
				}
				if err := p.call(word(call["toolUseId"]), `^[a-zA-Z0-9_-]{1,64}$`); err != nil {
					return err
				}
			case result != nil && role == "user":
				if len(list(result["content"])) == 0 {
					return fmt.Errorf("result without content")
				}
				if err := p.result(word(result["toolUseId"])); err != nil {
					return err
				}
			case reasoning != nil && role == "assistant":
			case b["cachePoint"] != nil && role == "user":
			case member(b["image"]) != nil && role == "user":
			default:
				return fmt.Errorf("block %v of %s", b, role)
			}
		}
		if role == "user" {
			if err := p.settled("the end of the message"); err != nil {
				return err
			}
		}
	}
	return p.settled("the end")
}

func shapeOf(p protocol) shape {
	switch p.mock {
	case mockllm.Anthropic:
		return anthropicShape
	case mockllm.Completions:
		return chatShape(`^.+$`)
	case mockllm.Mistral:
		return chatShape(`^[a-zA-Z0-9]{9}$`)
	case mockllm.Responses:
		return responsesShape
	case mockllm.Google:
		return googleShape
	case mockllm.Bedrock:
		return bedrockShape
	}
	return func(object) error { return nil } // a gateway takes what is stored
}

// nonsense is any history: orphans, calls twice, blanks, other vendors' answers,
// failures in the middle.
func nonsense(t *rapid.T, models []*ai.Model) []ai.Message {
	text := rapid.SampledFrom([]string{"", " ", "\n", "hello", "東京 🧭", "a\x00b", "\xff\xfe", "</s>"})
	id := rapid.SampledFrom([]string{"", "c1", "c1", "c2", "call|fc_9", "x y/ü", strings.Repeat("z", 90), "abc123DEF"})
	name := rapid.SampledFrom([]string{"read", "status", "gone"})
	image := func(label string) ai.Block {
		return &ai.Image{Data: "aGk=", MIMEType: rapid.SampledFrom([]string{"image/png", "image/jpeg"}).Draw(t, label)}
	}
	var out []ai.Message
	for i := range rapid.IntRange(0, 14).Draw(t, "messages") {
		switch rapid.IntRange(0, 9).Draw(t, "role") {
		case 0:
			s := &ai.SystemMessage{Content: text.Draw(t, "rules")}
			if rapid.Bool().Draw(t, "adds") {
				s.ToolsAdded = []ai.Tool{{Name: "late"}}
			}
			if rapid.Bool().Draw(t, "removes") {
				s.ToolsRemoved = []string{"status"}
			}
			out = append(out, s)
		case 1, 2, 3:
			u := &ai.UserMessage{}
			for range rapid.IntRange(0, 2).Draw(t, "parts") {
				if rapid.IntRange(0, 3).Draw(t, "image") == 0 {
					u.Content = append(u.Content, image("type"))
				} else {
					u.Content = append(u.Content, &ai.Text{Text: text.Draw(t, "said")})
				}
			}
			out = append(out, u)
		case 4, 5, 6:
			from := models[rapid.IntRange(0, len(models)-1).Draw(t, "from")]
			a := &ai.AssistantMessage{API: from.API, Provider: from.Provider, Model: from.ID, Timestamp: int64(i)}
			a.StopReason = rapid.SampledFrom([]ai.StopReason{ai.StopEnd, ai.StopToolUse, ai.StopError, ai.StopAborted, ai.StopLength}).Draw(t, "stop")
			for range rapid.IntRange(0, 3).Draw(t, "blocks") {
				switch rapid.IntRange(0, 3).Draw(t, "block") {
				case 0:
					a.Content = append(a.Content, &ai.Thinking{Text: text.Draw(t, "thought"), Signature: rapid.SampledFrom([]string{"", "c2ln", "reasoning", `{"type":"reasoning","id":"rs_1","summary":[]}`, "[]", "{"}).Draw(t, "signature"), Redacted: rapid.IntRange(0, 4).Draw(t, "redacted") == 0})
				case 1:
					a.Content = append(a.Content, &ai.Text{Text: text.Draw(t, "answer"), Signature: rapid.SampledFrom([]string{"", "msg_1", `{"v":1,"id":"msg_2"}`}).Draw(t, "mark")})
				default:
					a.Content = append(a.Content, &ai.ToolCall{ID: id.Draw(t, "id"), Name: name.Draw(t, "tool"), Arguments: json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"path":"a"}`, ``, `null`, `[1]`, `{"a":`}).Draw(t, "arguments")), ThoughtSignature: rapid.SampledFrom([]string{"", "c2ln"}).Draw(t, "thought of")})
				}
			}
			out = append(out, a)
		default:
			r := &ai.ToolResultMessage{ToolCallID: id.Draw(t, "result of"), ToolName: name.Draw(t, "result from"), IsError: rapid.Bool().Draw(t, "error")}
			for range rapid.IntRange(0, 2).Draw(t, "outputs") {
				if rapid.IntRange(0, 3).Draw(t, "picture") == 0 {
					r.Content = append(r.Content, image("type"))
				} else {
					r.Content = append(r.Content, &ai.Text{Text: text.Draw(t, "output")})
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// asked keeps the body of the last request.
type asked struct{ body []byte }

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if a.body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	if r.Header.Get("Content-Encoding") == "zstd" {
		z, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		if a.body, err = z.DecodeAll(a.body, nil); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: 400, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// accepted checks that whatever the history holds, each vendor gets a body that its
// published schema takes, and that the history stays as it was.
func accepted(t *rapid.T) {
	list := protocols()
	var models []*ai.Model
	for _, p := range list {
		models = append(models, p.ai())
	}
	history := nonsense(t, models)
	before := stored(history)
	for _, p := range list {
		to := new(asked)
		m := p.ai()
		if rapid.Bool().Draw(t, "text only") {
			m.Input = []string{"text"}
		}
		l := &line{p: p, model: m, models: ai.ModelsConfig{HTTPClient: &http.Client{Transport: to}, Env: func(string) string { return "" }}.New(
			ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{p.api}}))}
		opts := l.options()
		opts.Cache = rapid.SampledFrom([]ai.CacheRetention{ai.CacheNone, ai.CacheShort, ai.CacheLong}).Draw(t, "cache")
		// The last word is a person's, as vendors want it.
		messages := append(slices.Clone(history), ai.UserText("And now?"))
		answer := l.models.Stream(t.Context(), m, ai.Request{System: "Be brief.", Tools: tools(), Messages: messages}, opts).Result()
		if to.body == nil {
			t.Fatalf("%s: nothing was sent: %s", p.api.ID(), answer.ErrorMessage)
		}
		var body object
		if err := json.Unmarshal(to.body, &body); err != nil {
			t.Fatalf("%s: %v in %s", p.api.ID(), err, to.body)
		}
		if err := shapeOf(p)(body); err != nil {
			t.Fatalf("%s: %v in\n%s", p.api.ID(), err, to.body)
		}
	}
	if after := stored(history); after != before {
		t.Fatalf("the history was changed from\n%s\nto\n%s", before, after)
	}
}

func TestBodiesAreAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, accepted)
}

// Reasoning that can not be sent back leaves no gap between two turns of a person.
func TestReasoningThatIsLeftOutLeavesNoGap(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		to := new(asked)
		m := p.ai()
		l := &line{p: p, model: m, models: ai.ModelsConfig{HTTPClient: &http.Client{Transport: to}, Env: func(string) string { return "" }}.New(
			ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{p.api}}))}
		empty := &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopEnd, Content: []ai.Block{&ai.Thinking{Redacted: true, Signature: "reasoning"}}}
		l.ask(t, ai.UserText("One."), empty, ai.UserText("Two.")).Result()
		var body object
		if err := json.Unmarshal(to.body, &body); err != nil {
			t.Fatalf("%s: %v in %s", p.api.ID(), err, to.body)
		}
		if p.mock == mockllm.Anthropic {
			continue // takes two turns of a person, and its own signatures as they are
		}
		if err := shapeOf(p)(body); err != nil {
			t.Errorf("%s: %v in %s", p.api.ID(), err, to.body)
		}
	}
}

// The same property for the fuzzer, which draws the history from bytes.
func FuzzBodiesAreAccepted(f *testing.F) {
	for _, seed := range []string{"", "\x05", strings.Repeat("\x07\x01\x02", 300), strings.Repeat("\xff\x00\x10\x80", 300), strings.Repeat("a history ", 200)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(rapid.MakeFuzz(accepted))
}
