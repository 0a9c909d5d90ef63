package ai

import (
	"encoding/json"
	"slices"
	"strings"
)

// Texts that stand for what a model can not be given.
const (
	// NoteImageOmitted replaces an image that a text-only model can not see.
	NoteImageOmitted = "(image omitted: model does not support images)"
	// NoteToolImageOmitted replaces such an image in a tool result.
	NoteToolImageOmitted = "(tool image omitted: model does not support images)"
	// NoteNoToolOutput is the text of a tool result that has no content.
	NoteNoToolOutput = "(no tool output)"
	// NoteSeeImage is the text of a tool result that has only images, for
	// protocols that send those apart.
	NoteSeeImage = "(see attached image)"
	// NoteNoResult is the text of the result that is made up for a tool call
	// whose own never came.
	NoteNoResult = "No result provided"
	// NoteBeginningOmitted is what a person is made to say at the start of a
	// conversation that begins with an answer.
	NoteBeginningOmitted = "(the beginning of the conversation is not shown)"
	// nameOfNamelessTool stands for the name of a tool call that has none;
	// vendors refuse a request with an empty name.
	nameOfNamelessTool = "unknown_tool"
)

// TransformOptions are a protocol's rules for [Transform]. The zero value
// leaves ids as they are and collapses system messages into one.
type TransformOptions struct {
	// ToolCallID gives the ids that go out; nil keeps them (but see IDRule on
	// repeated ids).
	ToolCallID IDRule
	// UniqueID gives the part of an outgoing id that no two calls may share, for
	// vendors whose ids have parts; nil means all of it.
	UniqueID func(id string) string
	// System says which system messages can be sent in the middle.
	System SystemMode
	// KeepSignedBlank keeps blank text of the same model that has a signature,
	// for vendors that want the signature back.
	KeepSignedBlank bool
	// UserFirst is for vendors that refuse a conversation which begins with an
	// answer.
	UserFirst bool
}

// Transform turns a conversation into one that a model accepts. It is pure:
// the messages are not changed, those that need no change are returned as they
// are (the same pointers), and applying it twice changes nothing.
//
//   - Answers of the same model (provider, API and id are equal) keep their
//     thinking and signatures. Answers of another model lose both.
//   - Answers that failed, were aborted or never ended are left out, together
//     with the results of their tool calls.
//   - Each tool call is followed, right after its turn and in the order of the
//     calls, by exactly one result: its own, wherever that stood, or a made-up
//     error result, under the name of the call. Results that answer no call are
//     left out.
//   - Ids of tool calls follow opts.ToolCallID and are unique.
//   - Images become a note for a model that takes text only.
//   - Blank texts are left out, and messages that have nothing else; a result
//     without content says so. Blocks of unknown kind are left out.
//   - System messages follow opts.System.
//   - With opts.UserFirst a conversation that begins with an answer is led by a
//     note in the person's name.
func Transform(model *Model, messages []Message, opts TransformOptions) []Message {
	t := transformer{model: model, opts: opts, images: model.Accepts("image"), used: make(map[string]bool, len(messages)/2)}
	messages = opts.System.arrange(messages)
	var answers map[*AssistantMessage][]*ToolResultMessage
	inPlace := resultsInPlace(messages)
	if !inPlace {
		answers = pairResults(messages)
	}
	out := make([]Message, 0, len(messages)+1)
	for i, m := range messages {
		switch m := m.(type) {
		case *SystemMessage:
			if !blank(m.Content) || len(m.Sections)+len(m.ToolsAdded)+len(m.ToolsRemoved) > 0 {
				out = append(out, m)
			}
		case *UserMessage:
			if content := t.input(m.Content, NoteImageOmitted); len(content) > 0 {
				out = append(out, withUserContent(m, content))
			}
		case *AssistantMessage:
			if inPlace {
				out = t.turn(out, m, messages[i+1:], nil)
			} else {
				out = t.turn(out, m, nil, answers[m])
			}
		case *ToolResultMessage:
			// Sent right after the call it answers.
		}
	}
	if opts.UserFirst {
		if at := slices.IndexFunc(out, func(m Message) bool { return !isSystem(m) }); at >= 0 && out[at].Role() == RoleAssistant {
			out = slices.Insert(out, at, Message(UserText(NoteBeginningOmitted)))
		}
	}
	return out
}

type transformer struct {
	model  *Model
	opts   TransformOptions
	images bool
	used   map[string]bool // ids that were given out
	calls  int
}

// unfit reports whether an answer can not be sent again.
func unfit(m *AssistantMessage) bool {
	switch m.StopReason {
	case StopError, StopAborted, StopPending:
		return true
	}
	return false
}

// resultsInPlace reports whether every result stands where it belongs already,
// as in a conversation that went well: then no bookkeeping is needed.
func resultsInPlace(messages []Message) bool {
	for i := 0; i < len(messages); i++ {
		switch m := messages[i].(type) {
		case *ToolResultMessage:
			return false // those that belong to a turn are stepped over below
		case *AssistantMessage:
			for _, b := range m.Content {
				c, ok := b.(*ToolCall)
				if !ok {
					continue
				}
				if i++; i >= len(messages) || unfit(m) {
					return false
				}
				if r, ok := messages[i].(*ToolResultMessage); !ok || r.ToolCallID != c.ID {
					return false
				}
			}
		}
	}
	return true
}

// callSlot is a tool call that waits for its result.
type callSlot struct {
	turn *AssistantMessage
	at   int // among the calls of the turn
}

// pairResults finds the result of each tool call: for each turn, a slice with
// one element per call, nil where there is none. A result belongs to the
// nearest earlier turn that waits for its id; when that turn is not sent,
// neither is the result. The same message twice in a conversation counts once.
func pairResults(messages []Message) map[*AssistantMessage][]*ToolResultMessage {
	answers := make(map[*AssistantMessage][]*ToolResultMessage)
	waiting := make(map[string][]callSlot) // the latest turn is last, its calls in order
	for _, m := range messages {
		switch m := m.(type) {
		case *AssistantMessage:
			if _, again := answers[m]; again {
				continue
			}
			calls := 0
			for _, b := range m.Content {
				if c, ok := b.(*ToolCall); ok {
					waiting[c.ID] = append(waiting[c.ID], callSlot{m, calls})
					calls++
				}
			}
			if calls > 0 {
				answers[m] = make([]*ToolResultMessage, calls)
			}
		case *ToolResultMessage:
			slots := waiting[m.ToolCallID]
			if len(slots) == 0 {
				continue
			}
			// The first call of the latest turn among those that wait.
			turn := slots[len(slots)-1].turn
			at := slices.IndexFunc(slots, func(s callSlot) bool { return s.turn == turn })
			answers[turn][slots[at].at] = m
			waiting[m.ToolCallID] = slices.Delete(slots, at, at+1)
		}
	}
	return answers
}

// turn appends an answer and the results of its tool calls: the next messages if
// there are any, else the results that were found.
func (t *transformer) turn(out []Message, m *AssistantMessage, next []Message, found []*ToolResultMessage) []Message {
	if unfit(m) {
		return out
	}
	same := m.Provider == t.model.Provider && m.API == t.model.API && m.Model == t.model.ID
	content, changed := t.answer(m.Content, same)
	if len(content) == 0 {
		return out
	}
	sent := m
	if changed {
		c := *m
		c.Content = content
		sent = &c
	}
	out = append(out, sent)
	n := 0
	for _, b := range content {
		c, ok := b.(*ToolCall)
		if !ok {
			continue
		}
		var r *ToolResultMessage
		switch {
		case n < len(next):
			r = next[n].(*ToolResultMessage)
		case n < len(found):
			r = found[n]
		}
		n++
		out = append(out, t.result(r, c, m.Timestamp))
	}
	return out
}

// answer transforms the content of an answer. The second result is false when
// content was right as it was.
func (t *transformer) answer(content []Block, same bool) ([]Block, bool) {
	out, changed := content, false
	for i, b := range content {
		d := t.answerBlock(b, same)
		if d == b && !changed {
			continue
		}
		if !changed {
			out, changed = slices.Clone(content[:i]), true
		}
		if d != nil {
			out = append(out, d)
		}
	}
	return out, changed
}

// answerBlock gives the block to send, the same one if it is right, nil to
// leave it out.
func (t *transformer) answerBlock(b Block, same bool) Block {
	switch b := b.(type) {
	case *Text:
		signed := same && b.Signature != ""
		switch {
		case blank(b.Text) && !(signed && t.opts.KeepSignedBlank):
			return nil
		case b.Signature != "" && !same:
			return &Text{Text: b.Text}
		}
		return b
	case *Thinking:
		if !same || blank(b.Text) && b.Signature == "" && !b.Redacted {
			return nil
		}
		return b
	case *ToolCall:
		return t.call(b, same)
	}
	return nil // images and unknown blocks are nothing an answer can be made of
}

func (t *transformer) call(c *ToolCall, same bool) *ToolCall {
	t.calls++
	id := t.id(c.ID, same)
	name := c.Name
	if name == "" {
		name = nameOfNamelessTool
	}
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	foreign := !same && (c.ThoughtSignature != "" || c.Namespace != "")
	if id == c.ID && name == c.Name && len(c.Arguments) > 0 && !foreign {
		return c
	}
	d := *c
	d.ID, d.Name, d.Arguments = id, name, args
	if !same {
		d.ThoughtSignature, d.Namespace = "", ""
	}
	return &d
}

// id gives the id under which a call goes out, unlike all given out before.
func (t *transformer) id(id string, same bool) string {
	rule := t.opts.ToolCallID
	if rule == nil {
		rule = keepID
	}
	if id == "" {
		id = "call_" + itoa(t.calls)
		same = false
	}
	for attempt := 0; ; attempt++ {
		out := rule(id, same, attempt)
		if attempt > maxIDAttempts {
			out += "_" + itoa(attempt) // the rule gives the same again and again
		}
		part := out
		if t.opts.UniqueID != nil {
			part = t.opts.UniqueID(out)
		}
		if !t.used[part] {
			t.used[part] = true
			return out
		}
	}
}

// maxIDAttempts is how often a rule is asked for an id that is not taken.
const maxIDAttempts = 1000

// result gives the message that answers a call.
func (t *transformer) result(r *ToolResultMessage, c *ToolCall, at int64) *ToolResultMessage {
	if r == nil {
		return &ToolResultMessage{
			ToolCallID: c.ID, ToolName: c.Name, IsError: true, Timestamp: at,
			Content: []Block{&Text{Text: NoteNoResult}},
		}
	}
	content := t.input(r.Content, NoteToolImageOmitted)
	if len(content) == 0 {
		content = []Block{&Text{Text: NoteNoToolOutput}}
	}
	if r.ToolCallID == c.ID && r.ToolName == c.Name && sameBlocks(content, r.Content) {
		return r
	}
	d := *r
	d.ToolCallID, d.ToolName, d.Content = c.ID, c.Name, content
	return &d
}

// input transforms content that people or tools made. It returns content
// itself when that was right.
func (t *transformer) input(content []Block, note string) []Block {
	right := func(b Block) bool {
		switch b := b.(type) {
		case *Text:
			return !blank(b.Text)
		case *Image:
			return t.images
		}
		return false
	}
	at := slices.IndexFunc(content, func(b Block) bool { return !right(b) })
	if at < 0 {
		return content
	}
	out := slices.Clone(content[:at])
	noted := false // an image right before became a note
	for _, b := range content[at:] {
		switch {
		case right(b):
			noted = false
			out = append(out, b)
		case b.Type() == BlockImage:
			if !noted {
				out = append(out, &Text{Text: note})
			}
			noted = true
		}
	}
	return out
}

func withUserContent(m *UserMessage, content []Block) *UserMessage {
	if sameBlocks(content, m.Content) {
		return m
	}
	d := *m
	d.Content = content
	return &d
}

// sameBlocks reports whether both are the same slice.
func sameBlocks(a, b []Block) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// blank reports whether a text is empty or white space only; vendors refuse
// such text.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
