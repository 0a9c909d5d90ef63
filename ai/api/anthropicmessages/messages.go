package anthropicmessages

import (
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/jsonobj"
)

// messageEncoder writes a transformed conversation.
type messageEncoder struct {
	model       *ai.Model
	traits      *traits
	tools       toolEncoder
	toolChanges bool // system messages carry changes of tools
	effort      bool // answers are led by the effort that made them
	err         error
}

// units cuts a conversation: an answer is a unit, and so is what stands between
// two answers. A leading system message is left out, it is sent apart.
func units(messages []ai.Message) []history.Unit {
	var list []history.Unit
	start := 0
	flush := func(end int) {
		if start < end {
			list = append(list, history.Unit{At: start, Messages: messages[start:end]})
		}
	}
	for i, m := range messages {
		switch m.(type) {
		case *ai.SystemMessage:
			if i == 0 {
				start = 1
			}
		case *ai.AssistantMessage:
			flush(i)
			list = append(list, history.Unit{At: i, Messages: messages[i : i+1]})
			start = i + 1
		}
	}
	flush(len(messages))
	return list
}

// unit appends the messages of a unit.
func (e *messageEncoder) unit(dst []byte, u history.Unit) []byte {
	return e.marked(dst, u, "")
}

// marked is unit with a cache mark on the last block, unless that is an answer.
func (e *messageEncoder) marked(dst []byte, u history.Unit, cache string) []byte {
	w := elements{dst: dst, first: true}
	if a, ok := u.Messages[0].(*ai.AssistantMessage); ok {
		e.answer(&w, a)
		return w.dst
	}
	last, systems := e.lastPlace(u.Messages)
	for i := 0; i < len(u.Messages); i++ {
		mark := ""
		if i == last {
			mark = cache
		}
		switch m := u.Messages[i].(type) {
		case *ai.UserMessage:
			e.user(&w, m, mark)
		case *ai.ToolResultMessage:
			n := i
			for n+1 < len(u.Messages) && isResult(u.Messages[n+1]) {
				n++
			}
			if last >= i && last <= n {
				mark = cache
			}
			e.results(&w, u.Messages[i:n+1], mark)
			i = n
		}
	}
	// Instructions go right before the answer that they are for.
	for i, m := range u.Messages {
		if s, ok := m.(*ai.SystemMessage); ok {
			mark := ""
			if systems && i == last {
				mark = cache
			}
			e.system(&w, s, mark)
		}
	}
	return w.dst
}

// lastPlace gives the message that goes out last, and whether it is a system
// message.
func (e *messageEncoder) lastPlace(messages []ai.Message) (at int, system bool) {
	at = -1
	for i, m := range messages {
		s, isSystem := m.(*ai.SystemMessage)
		switch {
		case isSystem && !e.empty(s):
			at, system = i, true
		case !isSystem && !system:
			at = i
		}
	}
	return at, system
}

func isResult(m ai.Message) bool { _, ok := m.(*ai.ToolResultMessage); return ok }

// elements writes elements of an array with commas between them.
type elements struct {
	dst   []byte
	first bool
}

func (w *elements) next() {
	if !w.first {
		w.dst = append(w.dst, ',')
	}
	w.first = false
}

func (w *elements) raw(text string) { w.dst = append(w.dst, text...) }

func (w *elements) str(text string) { w.dst = jsonobj.AppendString(w.dst, text) }

// endBlock closes a block, with a cache mark if there is one.
func (w *elements) endBlock(cache string) {
	if cache != "" {
		w.raw(`,"cache_control":`)
		w.raw(cache)
	}
	w.raw("}")
}

// inner starts an array inside an element.
func (w *elements) inner() *elements { return &elements{dst: w.dst, first: true} }

func (e *messageEncoder) user(w *elements, m *ai.UserMessage, cache string) {
	w.next()
	w.raw(`{"role":"user","content":[`)
	in := w.inner()
	for i, b := range m.Content {
		mark := ""
		if i == len(m.Content)-1 {
			mark = cache
		}
		in.input(b, mark)
	}
	w.dst = in.dst
	w.raw("]}")
}

// input writes a text or image block.
func (w *elements) input(b ai.Block, cache string) {
	switch b := b.(type) {
	case *ai.Text:
		w.next()
		w.raw(`{"type":"text","text":`)
		w.str(b.Text)
		w.endBlock(cache)
	case *ai.Image:
		w.next()
		w.raw(`{"type":"image","source":{"type":"base64","media_type":`)
		w.str(b.MIMEType)
		w.raw(`,"data":`)
		w.str(b.Data)
		w.raw("}")
		w.endBlock(cache)
	}
}

func hasImages(content []ai.Block) bool {
	for _, b := range content {
		if b.Type() == ai.BlockImage {
			return true
		}
	}
	return false
}

func hasText(content []ai.Block) bool {
	for _, b := range content {
		if b.Type() == ai.BlockText {
			return true
		}
	}
	return false
}

// results writes a run of tool results as one user message. The vendor takes no
// images in a result that is an error: they follow the results, named.
func (e *messageEncoder) results(w *elements, run []ai.Message, cache string) {
	w.next()
	w.raw(`{"role":"user","content":[`)
	in := w.inner()
	var apart []*ai.ToolResultMessage
	for _, m := range run {
		if r := m.(*ai.ToolResultMessage); r.IsError && hasImages(r.Content) {
			apart = append(apart, r)
		}
	}
	for i, m := range run {
		r := m.(*ai.ToolResultMessage)
		in.next()
		in.raw(`{"type":"tool_result","tool_use_id":`)
		in.str(r.ToolCallID)
		in.raw(`,"content":`)
		in.result(r)
		if r.IsError {
			in.raw(`,"is_error":true`)
		}
		mark := ""
		if i == len(run)-1 && len(apart) == 0 {
			mark = cache
		}
		in.endBlock(mark)
	}
	for i, r := range apart {
		in.input(&ai.Text{Text: "Images from the failed call of " + r.ToolName + " (" + r.ToolCallID + "):"}, "")
		var images []ai.Block
		for _, b := range r.Content {
			if b.Type() == ai.BlockImage {
				images = append(images, b)
			}
		}
		for j, b := range images {
			mark := ""
			if i == len(apart)-1 && j == len(images)-1 {
				mark = cache
			}
			in.input(b, mark)
		}
	}
	w.dst = in.dst
	w.raw("]}")
}

// result writes the content of one tool result.
func (w *elements) result(r *ai.ToolResultMessage) {
	if r.IsError || !hasImages(r.Content) {
		text := ai.TextOf(r.Content, "\n")
		if text == "" {
			text = ai.NoteNoToolOutput
			if hasImages(r.Content) {
				text = ai.NoteSeeImage
			}
		}
		w.str(text)
		return
	}
	w.raw("[")
	in := w.inner()
	if !hasText(r.Content) {
		in.input(&ai.Text{Text: ai.NoteSeeImage}, "")
	}
	for _, b := range r.Content {
		in.input(b, "")
	}
	w.dst = in.dst
	w.raw("]")
}

// answer writes an answer, led by its effort.
func (e *messageEncoder) answer(w *elements, m *ai.AssistantMessage) {
	if !e.sendable(m) {
		return
	}
	if e.effort && e.validEffort(m.ProviderThinkingLevel) && m.Provider == e.model.Provider && m.API == e.model.API {
		effortMessage(w, m.ProviderThinkingLevel)
	}
	w.next()
	w.raw(`{"role":"assistant","content":[`)
	in := w.inner()
	for _, b := range m.Content {
		e.answerBlock(in, b)
	}
	w.dst = in.dst
	w.raw("]}")
}

// validEffort reports whether a stored effort is one that the vendor knows.
func (e *messageEncoder) validEffort(effort string) bool {
	switch effort {
	case "":
		return false
	case "low", "medium", "high", "xhigh", "max":
		return true
	}
	for _, word := range e.model.ThinkingLevels {
		if word != nil && *word == effort {
			return true
		}
	}
	return false
}

// sendable reports whether an answer has more than thinking, which the vendor
// does not take as the whole of one.
func (e *messageEncoder) sendable(m *ai.AssistantMessage) bool {
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text, *ai.ToolCall:
			return true
		case *ai.Thinking:
			if e.thinkingAsText(b) {
				return true
			}
		}
	}
	return false
}

func (e *messageEncoder) thinkingAsText(b *ai.Thinking) bool {
	return !b.Redacted && b.Signature == "" && !e.traits.emptySignature && strings.TrimSpace(b.Text) != ""
}

func (e *messageEncoder) answerBlock(w *elements, b ai.Block) {
	switch b := b.(type) {
	case *ai.Text:
		w.input(b, "")
	case *ai.Thinking:
		switch {
		case b.Redacted:
			if b.Signature == "" {
				return // its payload is lost, and without it the block is none
			}
			w.next()
			w.raw(`{"type":"redacted_thinking","data":`)
			w.str(b.Signature)
			w.raw("}")
		case e.thinkingAsText(b):
			w.input(&ai.Text{Text: b.Text}, "")
		case b.Signature != "" || e.traits.emptySignature:
			w.next()
			w.raw(`{"type":"thinking","thinking":`)
			w.str(b.Text)
			w.raw(`,"signature":`)
			w.str(b.Signature)
			w.raw("}")
		}
	case *ai.ToolCall:
		w.next()
		w.raw(`{"type":"tool_use","id":`)
		w.str(b.ID)
		w.raw(`,"name":`)
		w.str(b.Name)
		w.raw(`,"input":`)
		if args := b.Arguments; len(args) > 0 && args[0] == '{' && json.Valid(args) {
			w.dst = append(w.dst, args...)
		} else {
			w.raw("{}")
		}
		w.raw("}")
	}
}

// effortMessage tells the effort from here on.
func effortMessage(w *elements, effort string) {
	w.next()
	w.raw(`{"role":"system","content":[],"output_config":{"effort":`)
	w.str(effort)
	w.raw("}}")
}

// empty reports whether a later system message says nothing that goes out.
func (e *messageEncoder) empty(m *ai.SystemMessage) bool {
	return strings.TrimSpace(m.UpdateText()) == "" && (!e.toolChanges || len(m.ToolsAdded)+len(m.ToolsRemoved) == 0)
}

// system writes a later system message.
func (e *messageEncoder) system(w *elements, m *ai.SystemMessage, cache string) {
	if e.empty(m) {
		return
	}
	var blocks [][]byte
	if text := m.UpdateText(); strings.TrimSpace(text) != "" {
		b := append([]byte(`{"type":"text","text":`), jsonobj.AppendString(nil, text)...)
		blocks = append(blocks, b)
	}
	if e.toolChanges {
		blocks = append(blocks, e.changes(m)...)
	}
	w.next()
	w.raw(`{"role":"system","content":[`)
	in := w.inner()
	for i, b := range blocks {
		in.next()
		in.dst = append(in.dst, b...)
		mark := ""
		if i == len(blocks)-1 {
			mark = cache
		}
		in.endBlock(mark)
	}
	w.dst = in.dst
	w.raw("]}")
}

// changes gives the blocks, without their closing bracket, that remove and add
// tools. A tool that is declared anew is not removed first.
func (e *messageEncoder) changes(m *ai.SystemMessage) [][]byte {
	var blocks [][]byte
	again := make(map[string]bool)
	for i := range m.ToolsAdded {
		again[m.ToolsAdded[i].Name] = true
	}
	for _, name := range m.ToolsRemoved {
		if again[name] {
			continue
		}
		b := append([]byte(`{"type":"tool_removal","tool":{"type":"tool_reference","name":`), jsonobj.AppendString(nil, name)...)
		blocks = append(blocks, append(b, '}'))
	}
	for i := range m.ToolsAdded {
		definition, err := e.tools.append(nil, &m.ToolsAdded[i], "")
		if err != nil {
			if e.err == nil {
				e.err = err
			}
			continue
		}
		b := append([]byte(`{"type":"tool_addition","tool":{"type":"tool_definition","definition":`), definition...)
		blocks = append(blocks, append(b, '}'))
	}
	return blocks
}
