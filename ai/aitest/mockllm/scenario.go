package mockllm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Scenario is an answer that a request asks for by name or directive.
//
// By model name (what stands after the last slash):
//
//	text-N      N pieces of text
//	think-N     N pieces of thinking, then 20 of text
//	loop-K      K turns that each call the read tool, then 20 pieces of text
//	args-N      one write call with N bytes of content, then 20 pieces of text
//	cut-N       N pieces of text, then the connection breaks
//	fail-S      the HTTP status S
//	hang        nothing until the client leaves
//	…-pU        paced: U microseconds between pieces
//
// By a directive in the last user message, [[mock {…}]], with the fields
// below; a later user message without one ends it.
type Scenario struct {
	Deltas    int             `json:"deltas"`     // pieces of text of the last answer; default 20
	Text      string          `json:"text"`       // the text of the last answer itself
	Thinking  int             `json:"thinking"`   // pieces of thinking before the text
	PaceUS    int             `json:"pace_us"`    // microseconds between pieces
	Tool      string          `json:"tool"`       // the tool to call
	Args      json.RawMessage `json:"args"`       // its arguments; none are made up from its schema
	Calls     []ScenarioCall  `json:"calls"`      // several calls in one turn, instead of Tool
	Repeat    int             `json:"repeat"`     // turns that call tools before the last answer; default 1
	ArgsBytes int             `json:"args_bytes"` // size of made-up content
	Chunk     int             `json:"chunk"`      // bytes of one piece of arguments; default 16
	Cut       bool            `json:"cut"`        // break the connection after the text
	Hang      bool            `json:"hang"`       // send nothing
	Status    int             `json:"status"`     // fail with this status
}

// ScenarioCall is one of several tool calls.
type ScenarioCall struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// ScenarioOptions fill in what scenarios leave open.
type ScenarioOptions struct {
	// Default is the scenario of a request that names none; empty means
	// "text-50".
	Default string
	// ReadPath and WritePath are what made-up calls name; empty means
	// "bench.txt" and "out.txt".
	ReadPath, WritePath string
	// Vary gives each made-up read call a different limit, for agents that
	// stop when calls repeat.
	Vary bool
	// Batch is how many bytes are written at a time when there is no pace; 0
	// means 16 KiB, negative one event at a time.
	Batch int
}

// ParseScenario reads a scenario from a model name.
func ParseScenario(name string) (Scenario, bool) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	fields := strings.Split(name, "-")
	s := Scenario{Deltas: 20}
	if fields[0] == "hang" {
		return Scenario{Hang: true}, true
	}
	if len(fields) < 2 {
		return s, false
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil || n < 0 {
		return s, false
	}
	switch fields[0] {
	case "text":
		s.Deltas = n
	case "think":
		s.Thinking = n
	case "loop":
		s.Tool, s.Repeat = "read", n
	case "args":
		s.Tool, s.Repeat, s.ArgsBytes = "write", 1, n
	case "cut":
		s.Deltas, s.Cut = n, true
	case "fail":
		s.Status = n
	default:
		return s, false
	}
	for _, f := range fields[2:] {
		if us, ok := strings.CutPrefix(f, "p"); ok {
			if s.PaceUS, err = strconv.Atoi(us); err != nil {
				return s, false
			}
		}
	}
	return s, true
}

// Answer chooses the answer to a request.
func (o ScenarioOptions) Answer(r *Request) Answer {
	if o.Default == "" {
		o.Default = "text-50"
	}
	s, ok := ParseScenario(r.Model)
	if !ok {
		s, _ = ParseScenario(o.Default)
	}
	if r.directive != "" {
		d := Scenario{Deltas: 20, Repeat: 1}
		if err := json.NewDecoder(strings.NewReader(r.directive)).Decode(&d); err != nil {
			return Say("the mock directive is not JSON: " + err.Error())
		}
		s = d
	}
	return o.answer(r, s)
}

func (o ScenarioOptions) answer(r *Request, s Scenario) Answer {
	switch {
	case s.Hang:
		return Answer{Delivery: Hanging(nil)}
	case s.Status != 0 && s.Status != 200:
		return Failure(s.Status, "mock_error", fmt.Sprintf("the scenario asks for status %d", s.Status))
	}
	a := Answer{Delivery: Delivery{Chunk: o.Batch, Pace: time.Duration(s.PaceUS) * time.Microsecond}}
	switch {
	case s.PaceUS > 0 || o.Batch < 0:
		a.Delivery.Chunk = 0
	case o.Batch == 0:
		a.Delivery.Chunk = 16 << 10
	}
	if r.Results < s.Repeat*max(1, len(s.Calls)) {
		if content := o.calls(r, s); len(content) > 0 {
			a.Content = content
			return a
		}
	}
	if s.Thinking > 0 {
		a.Content = append(a.Content, Thinking("mock-signature", pieces(s.Thinking)...))
	}
	if s.Text != "" {
		a.Content = append(a.Content, Text(cut(s.Text, 8)...))
	} else {
		a.Content = append(a.Content, Text(pieces(s.Deltas)...))
	}
	if s.Cut {
		a.Delivery.CutAt = -1
	}
	a.scenario = &s
	return a
}

// calls are the tool calls of one turn, none when the request does not
// declare the tools.
func (o ScenarioOptions) calls(r *Request, s Scenario) []Block {
	wanted := s.Calls
	if len(wanted) == 0 && s.Tool != "" {
		wanted = []ScenarioCall{{s.Tool, s.Args}}
	}
	var content []Block
	for i, w := range wanted {
		t, args := o.call(r, s, w)
		if t == "" {
			continue
		}
		content = append(content, ToolCall(fmt.Sprintf("call_%06d", r.Results+i+1), t, cut(args, max(s.Chunk, 0))...))
	}
	return content
}

// names are other programs' names for the tools that scenarios speak of.
func names(tool string) []string {
	switch tool {
	case "read":
		return []string{"read", "read_file", "view"}
	case "write":
		return []string{"write", "write_file", "create"}
	case "bash":
		return []string{"bash", "shell", "run_shell_command", "exec_command"}
	case "grep":
		return []string{"grep", "grep_search", "search_file_content"}
	case "find":
		return []string{"find", "glob"}
	}
	return []string{tool}
}

func (o ScenarioOptions) call(r *Request, s Scenario, w ScenarioCall) (name, args string) {
	for _, name := range names(w.Tool) {
		for _, t := range r.Tools {
			if strings.EqualFold(t.Name, name) {
				if len(w.Args) > 0 {
					return t.Name, string(w.Args)
				}
				return t.Name, o.arguments(r, s, w.Tool, t)
			}
		}
	}
	if w.Tool == "read" { // read with the shell where there is no read tool
		return o.call(r, s, ScenarioCall{Tool: "bash"})
	}
	return "", ""
}

// arguments makes up arguments under the names that the tool's schema has.
func (o ScenarioOptions) arguments(r *Request, s Scenario, tool string, t Tool) string {
	read, write := o.ReadPath, o.WritePath
	if read == "" {
		read = "bench.txt"
	}
	if write == "" {
		write = "out.txt"
	}
	limit := 1 + r.Results%20
	args := make(map[string]any)
	for name, def := range t.Properties {
		switch strings.ToLower(name) {
		case "path", "file_path", "filepath", "absolute_path":
			args[name] = read
			if tool == "write" {
				args[name] = write
			}
		case "content", "file_text":
			args[name] = source(s.ArgsBytes)
		case "command", "cmd":
			c := "cat " + read
			if o.Vary {
				c = fmt.Sprintf("head -n %d %s", limit, read)
			}
			args[name] = c
			if bytes.Contains(def, []byte(`"array"`)) {
				args[name] = []string{"sh", "-c", c}
			}
		case "limit":
			if o.Vary && tool == "read" {
				args[name] = limit
			}
		case "description", "justification":
			args[name] = "benchmark"
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		return "{}"
	}
	return strings.TrimSpace(b.String())
}

// source is n bytes of program text with the characters that JSON escapes.
func source(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "func g%d(x, y int) string {\n\treturn fmt.Sprintf(\"%%d and %%d\", x, y*%d)\n}\n", i, i)
	}
	return b.String()[:n]
}

// pieces is n words, with a paragraph break every 80.
func pieces(n int) []string {
	const text = "a model writes its answer one word after the other and the client shows each of them at once"
	words := strings.Fields(text)
	list := make([]string, n)
	for i := range list {
		list[i] = words[i%len(words)] + " "
		if i%80 == 79 {
			list[i] = words[i%len(words)] + ".\n\n"
		}
	}
	return list
}

// cut splits text into pieces of n bytes (16 when n is 0), characters kept
// whole.
func cut(text string, n int) []string {
	if n <= 0 {
		n = 16
	}
	var list []string
	for len(text) > n {
		end := n
		for end < len(text) && text[end]&0xC0 == 0x80 {
			end++
		}
		list, text = append(list, text[:end]), text[end:]
	}
	return append(list, text)
}
