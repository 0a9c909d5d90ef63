package anthropicmessages

import (
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/wire"
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

// unit appends the messages of a unit.
func (e *messageEncoder) unit(dst []byte, u history.Unit) []byte {
	return e.marked(dst, u, "")
}

// marked is unit with a cache mark on the last block, unless that is an answer.
func (e *messageEncoder) marked(dst []byte, u history.Unit, cache string) []byte {
	w := elements{wire.Elements{Dst: dst}}
	if a, ok := u.Messages[0].(*ai.AssistantMessage); ok {
		e.answer(&w, a)
		return w.Dst
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
	return w.Dst
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

// elements writes elements of an array, and blocks.
type elements struct{ wire.Elements }

// endBlock closes a block, with a cache mark if there is one.
func (w *elements) endBlock(cache string) {
	if cache != "" {
		w.Raw(`,"cache_control":`)
		w.Raw(cache)
	}
	w.Raw("}")
}

// inner starts an array inside an element.
func (w *elements) inner() *elements { return &elements{wire.Elements{Dst: w.Dst}} }

func (e *messageEncoder) user(w *elements, m *ai.UserMessage, cache string) {
	w.Next()
	w.Raw(`{"role":"user","content":[`)
	in := w.inner()
	for i, b := range m.Content {
		mark := ""
		if i == len(m.Content)-1 {
			mark = cache
		}
		in.input(b, mark)
	}
	w.Dst = in.Dst
	w.Raw("]}")
}

// input writes a text or image block.
func (w *elements) input(b ai.Block, cache string) {
	switch b := b.(type) {
	case *ai.Text:
		w.Next()
		w.Raw(`{"type":"text","text":`)
		w.Str(b.Text)
		w.endBlock(cache)
	case *ai.Image:
		w.Next()
		w.Raw(`{"type":"image","source":{"type":"base64","media_type":`)
		w.Str(b.MIMEType)
		w.Raw(`,"data":`)
		w.Str(b.Data)
		w.Raw("}")
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
	w.Next()
	w.Raw(`{"role":"user","content":[`)
	in := w.inner()
	var apart []*ai.ToolResultMessage
	for _, m := range run {
		if r := m.(*ai.ToolResultMessage); r.IsError && hasImages(r.Content) {
			apart = append(apart, r)
		}
	}
	for i, m := range run {
		r := m.(*ai.ToolResultMessage)
		in.Next()
		in.Raw(`{"type":"tool_result","tool_use_id":`)
		in.Str(r.ToolCallID)
		in.Raw(`,"content":`)
		in.result(r)
		if r.IsError {
			in.Raw(`,"is_error":true`)
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
	w.Dst = in.Dst
	w.Raw("]}")
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
		w.Str(text)
		return
	}
	w.Raw("[")
	in := w.inner()
	if !hasText(r.Content) {
		in.input(&ai.Text{Text: ai.NoteSeeImage}, "")
	}
	for _, b := range r.Content {
		in.input(b, "")
	}
	w.Dst = in.Dst
	w.Raw("]")
}

// answer writes an answer, led by its effort.
func (e *messageEncoder) answer(w *elements, m *ai.AssistantMessage) {
	if !e.sendable(m) {
		return
	}
	if e.effort && e.validEffort(m.ProviderThinkingLevel) && m.Provider == e.model.Provider && m.API == e.model.API {
		effortMessage(w, m.ProviderThinkingLevel)
	}
	w.Next()
	w.Raw(`{"role":"assistant","content":[`)
	in := w.inner()
	for _, b := range m.Content {
		e.answerBlock(in, b)
	}
	w.Dst = in.Dst
	w.Raw("]}")
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
			w.Next()
			w.Raw(`{"type":"redacted_thinking","data":`)
			w.Str(b.Signature)
			w.Raw("}")
		case e.thinkingAsText(b):
			w.input(&ai.Text{Text: b.Text}, "")
		case b.Signature != "" || e.traits.emptySignature:
			w.Next()
			w.Raw(`{"type":"thinking","thinking":`)
			w.Str(b.Text)
			w.Raw(`,"signature":`)
			w.Str(b.Signature)
			w.Raw("}")
		}
	case *ai.ToolCall:
		w.Next()
		w.Raw(`{"type":"tool_use","id":`)
		w.Str(b.ID)
		w.Raw(`,"name":`)
		w.Str(b.Name)
		w.Raw(`,"input":`)
		if args := b.Arguments; len(args) > 0 && args[0] == '{' && json.Valid(args) {
			w.Dst = append(w.Dst, args...)
		} else {
			w.Raw("{}")
		}
		w.Raw("}")
	}
}

// effortMessage tells the effort from here on.
func effortMessage(w *elements, effort string) {
	w.Next()
	w.Raw(`{"role":"system","content":[],"output_config":{"effort":`)
	w.Str(effort)
	w.Raw("}}")
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
	w.Next()
	w.Raw(`{"role":"system","content":[`)
	in := w.inner()
	for i, b := range blocks {
		in.Next()
		in.Dst = append(in.Dst, b...)
		mark := ""
		if i == len(blocks)-1 {
			mark = cache
		}
		in.endBlock(mark)
	}
	w.Dst = in.Dst
	w.Raw("]}")
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
