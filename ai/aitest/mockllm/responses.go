package mockllm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// responses renders an answer as OpenAI's Responses events. The stop words are
// the protocol's: "max_output_tokens" (or "length") and others make the response
// incomplete.
func responses(r *Request, a Answer) []Frame {
	var frames []Frame
	event := func(name, rest string) {
		frames = append(frames, Frame{Event: name, Data: fmt.Sprintf(`{"type":%s,"sequence_number":%d%s}`, quote(name), len(frames), rest)})
	}
	u := a.usage()
	usage := fmt.Sprintf(`,"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		u.Input+u.CacheRead+u.CacheWrite, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning, u.Input+u.CacheRead+u.CacheWrite+u.Output)
	head := ""
	if id := a.id(fmt.Sprintf("resp_%d", r.N)); id != "" {
		head += `"id":` + quote(id) + `,`
	}
	if model := a.name(r); model != "" {
		head += `"model":` + quote(model) + `,`
	}
	response := func(status, rest string) string {
		return `,"response":{` + head + `"object":"response","status":` + quote(status) + rest + `}`
	}
	early := `,"usage":null`
	if a.UsageAt == UsageEarly {
		early = usage
	}
	event("response.created", response("in_progress", early))
	stop := a.Stop
	if stop == "length" {
		stop = "max_output_tokens"
	}
	itemStatus := "completed"
	if stop != "" && stop != "-" {
		itemStatus = "incomplete"
	}
	var output []string
	for i, b := range a.Content {
		item := responsesItem(i, b, itemStatus)
		at := fmt.Sprintf(`,"output_index":%d`, i)
		event("response.output_item.added", at+`,"item":`+responsesItem(i, Block{Kind: b.Kind, ID: b.ID, Name: b.Name}, "in_progress"))
		of := at + `,"item_id":` + quote(responsesID(i, b))
		switch b.Kind {
		case "tool":
			for _, d := range b.Deltas {
				event("response.function_call_arguments.delta", of+`,"delta":`+quote(d)+`,"obfuscation":"x7"`)
			}
			event("response.function_call_arguments.done", of+`,"arguments":`+quote(strings.Join(b.Deltas, "")))
		case "thinking":
			event("response.reasoning_summary_part.added", of+`,"summary_index":0,"part":{"type":"summary_text","text":""}`)
			for _, d := range b.Deltas {
				event("response.reasoning_summary_text.delta", of+`,"summary_index":0,"delta":`+quote(d))
			}
			event("response.reasoning_summary_part.done", of+`,"summary_index":0,"part":{"type":"summary_text","text":`+quote(strings.Join(b.Deltas, ""))+`}`)
		case "redacted":
		default:
			event("response.content_part.added", of+`,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`)
			for _, d := range b.Deltas {
				event("response.output_text.delta", of+`,"content_index":0,"delta":`+quote(d)+`,"logprobs":[]`)
			}
			if a.Error != nil && i == len(a.Content)-1 {
				continue // it fails in the middle
			}
			event("response.output_text.done", of+`,"content_index":0,"text":`+quote(strings.Join(b.Deltas, "")))
		}
		event("response.output_item.done", at+`,"item":`+item)
		output = append(output, item)
	}
	if a.Error != nil {
		event("response.failed", response("failed", `,"error":`+responsesErrorObject(a.Error)))
		return frames
	}
	rest := `,"output":[` + strings.Join(output, ",") + `]`
	if a.UsageAt != UsageNone && a.UsageAt != UsageEarly {
		rest += usage
	}
	switch stop {
	case "-":
	case "":
		event("response.completed", response("completed", rest))
	default:
		event("response.incomplete", response("incomplete", `,"incomplete_details":{"reason":`+quote(stop)+`}`+rest))
	}
	return frames
}

func responsesID(i int, b Block) string {
	switch b.Kind {
	case "tool":
		return fmt.Sprintf("fc_%d", i)
	case "thinking", "redacted":
		return fmt.Sprintf("rs_%d", i)
	}
	return fmt.Sprintf("msg_%d", i)
}

// responsesItem is an output item; without deltas it is the one that announces.
func responsesItem(i int, b Block, status string) string {
	text := strings.Join(b.Deltas, "")
	id := quote(responsesID(i, b))
	switch b.Kind {
	case "tool":
		return fmt.Sprintf(`{"id":%s,"type":"function_call","status":%s,"arguments":%s,"call_id":%s,"name":%s}`, id, quote(status), quote(text), quote(b.ID), quote(b.Name))
	case "thinking", "redacted":
		summary, encrypted := "", ""
		if len(b.Deltas) > 0 {
			summary = `{"type":"summary_text","text":` + quote(text) + `}`
		}
		if b.Signature != "" {
			encrypted = `,"encrypted_content":` + quote(b.Signature)
		}
		return fmt.Sprintf(`{"id":%s,"type":"reasoning","summary":[%s]%s}`, id, summary, encrypted)
	}
	content := ""
	if len(b.Deltas) > 0 {
		content = `{"type":"output_text","text":` + quote(text) + `,"annotations":[]}`
	}
	return fmt.Sprintf(`{"id":%s,"type":"message","status":%s,"role":"assistant","content":[%s]}`, id, quote(status), content)
}

func responsesErrorObject(e *Error) string {
	code := e.Code
	if code == nil {
		code = e.Type
	}
	b, err := json.Marshal(code)
	if err != nil {
		b = []byte("null")
	}
	return fmt.Sprintf(`{"code":%s,"message":%s}`, b, quote(e.Message))
}

func responsesError(e *Error) string {
	return fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":null,"code":null}}`, quote(e.Message), quote(e.Type))
}

// responsesWhole is the answer to a request that wants no stream.
func responsesWhole(r *Request, a Answer) string {
	u := a.usage()
	var output []string
	for i, b := range a.Content {
		output = append(output, responsesItem(i, b, "completed"))
	}
	return fmt.Sprintf(`{"id":"resp_%d","object":"response","status":"completed","model":%s,"output":[%s],"usage":{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}}`,
		r.N, quote(r.Model), strings.Join(output, ","), u.Input, u.Output, u.Input+u.Output)
}

// parseResponses fills in what the body of a Responses request says.
func (r *Request) parseResponses() error {
	var body struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Input  []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"input"`
		Tools []struct {
			Name       string `json:"name"`
			Parameters struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream, r.Messages = body.Model, body.Stream, len(body.Input)
	for _, t := range body.Tools {
		r.Tools = append(r.Tools, Tool{t.Name, t.Parameters.Properties})
	}
	for _, m := range body.Input {
		results := 0
		if strings.HasSuffix(m.Type, "_call_output") {
			results = 1
		}
		text, _ := contentOf(m.Content)
		r.Results += results
		if m.Role != "user" || text == "" {
			continue
		}
		r.Prompt = text
		if at := strings.LastIndex(text, "[[mock "); at >= 0 {
			r.directive, r.Results = text[at+len("[[mock "):], 0
		} else {
			r.directive, r.Results = "", 0
		}
	}
	return nil
}
