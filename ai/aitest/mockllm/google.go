package mockllm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// parseGoogle fills in what the body and the path of a Gemini request say.
func (r *Request) parseGoogle() error {
	var body struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionResponse json.RawMessage
			}
		}
		Tools []struct {
			FunctionDeclarations []struct {
				Name                 string
				ParametersJSONSchema struct {
					Properties map[string]json.RawMessage
				}
			}
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	path, _, _ := strings.Cut(r.URL, "?")
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	r.Model, r.Stream, r.Messages = name, strings.HasSuffix(path, ":streamGenerateContent"), len(body.Contents)
	for _, t := range body.Tools {
		for _, d := range t.FunctionDeclarations {
			r.Tools = append(r.Tools, Tool{d.Name, d.ParametersJSONSchema.Properties})
		}
	}
	for _, c := range body.Contents {
		text, results := "", 0
		for _, p := range c.Parts {
			text += p.Text
			if len(p.FunctionResponse) > 0 {
				results++
			}
		}
		r.see(c.Role, text, results)
	}
	return nil
}

// google renders an answer as chunks of Gemini. Tool calls come whole, without
// ids when they have none.
func google(r *Request, a Answer) []Frame {
	var frames []Frame
	tail := ""
	if model := a.name(r); model != "" {
		tail += `,"modelVersion":` + quote(model)
	}
	if id := a.id(fmt.Sprintf("resp_%d", r.N)); id != "" {
		tail += `,"responseId":` + quote(id)
	}
	u := a.usage()
	usage := fmt.Sprintf(`,"usageMetadata":{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"totalTokenCount":%d}`,
		u.Input+u.CacheRead, u.CacheRead, u.Output-u.Reasoning, u.Reasoning, u.Input+u.CacheRead+u.Output)
	chunk := func(part, finish, usage string) {
		content := ""
		if part != "" {
			content = `"content":{"parts":[` + part + `],"role":"model"},`
		}
		if finish != "" {
			finish = `"finishReason":` + quote(finish) + `,`
		}
		frames = append(frames, Frame{Data: `{"candidates":[{` + content + finish + `"index":0}]` + usage + tail + `}`})
	}
	between := ""
	if a.UsageAt == UsageUsual {
		between = usage
	}
	if a.UsageAt == UsageEarly {
		chunk("", "", usage)
	}
	for _, b := range a.Content {
		switch b.Kind {
		case "tool":
			args := strings.Join(b.Deltas, "")
			if args == "" {
				args = "{}"
			}
			if !json.Valid([]byte(args)) {
				args = quote(args)
			}
			id := ""
			if b.ID != "" {
				id = `,"id":` + quote(b.ID)
			}
			signature := ""
			if b.Signature != "" {
				signature = `,"thoughtSignature":` + quote(b.Signature)
			}
			chunk(`{"functionCall":{"name":`+quote(b.Name)+`,"args":`+args+id+`}`+signature+`}`, "", between)
		case "redacted":
		default:
			thought := ""
			if b.Kind == "thinking" {
				thought = `,"thought":true`
			}
			for i, d := range b.Deltas {
				signature := ""
				if i == len(b.Deltas)-1 && b.Signature != "" {
					signature = `,"thoughtSignature":` + quote(b.Signature)
				}
				chunk(`{"text":`+quote(d)+thought+signature+`}`, "", between)
			}
		}
	}
	if a.Error != nil {
		return append(frames, Frame{Data: googleError(a.Error)})
	}
	stop := a.Stop
	if stop == "" {
		stop = "STOP"
	}
	if stop != "-" {
		if a.UsageAt == UsageNone || a.UsageAt == UsageEarly {
			usage = ""
		}
		chunk("", stop, usage)
	}
	return frames
}

func googleError(e *Error) string {
	code, err := json.Marshal(e.Code)
	if err != nil || e.Code == nil {
		code = []byte("503")
	}
	return `{"error":{"code":` + string(code) + `,"message":` + quote(e.Message) + `,"status":` + quote(e.Type) + `}}`
}

func googleWhole(r *Request, a Answer) string {
	u := a.usage()
	return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d},"modelVersion":%s}`,
		quote(allText(a)), u.Input, u.Output, u.Input+u.Output, quote(r.Model))
}
