package ai

import (
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai/jsonobj"
)

// BlockType is the wire name of a kind of content block.
type BlockType string

// The block types this package understands. A block of any other type is kept
// as an [UnknownBlock].
const (
	BlockText     BlockType = "text"
	BlockThinking BlockType = "thinking"
	BlockImage    BlockType = "image"
	BlockToolCall BlockType = "toolCall"
)

// Block is one piece of message content: *[Text], *[Thinking], *[Image],
// *[ToolCall] or *[UnknownBlock]. The set is closed; switch on the type.
type Block interface {
	// Type gives the wire name of the block's kind.
	Type() BlockType
	// AppendJSON appends the block as JSON, unknown fields included.
	AppendJSON(dst []byte) []byte
	isBlock()
}

// Text is plain text, in Markdown when a model wrote it.
type Text struct {
	Text string
	// Signature is opaque data of the vendor that belongs to this text and is
	// sent back to the same model only.
	Signature string
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Thinking is a model's reasoning, or a summary of it.
type Thinking struct {
	Text string
	// Signature is opaque data of the vendor, sent back to the same model
	// only. For a redacted block it is the whole payload.
	Signature string
	// Redacted says that the vendor hides the reasoning; Text may be empty.
	Redacted bool
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Image is an image in base64, without a data-URL prefix.
type Image struct {
	Data     string
	MIMEType string
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// ToolCall is a model's wish to run a tool.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is always one valid JSON object once the call has ended, byte
	// for byte as the model wrote it where that was valid. While the call
	// streams it is {} and the text so far is in Partial.
	Arguments json.RawMessage
	// Partial is the raw argument text: what has arrived while the call
	// streams (close it for display with [CompleteJSON]); afterwards the text
	// that could not be parsed, or empty. It is not stored.
	Partial string
	// ArgumentsError says why Arguments is {} although the model sent
	// something else; such a call must not be run. Empty for a good call.
	ArgumentsError string
	// ThoughtSignature is opaque data of the vendor, sent back to the same
	// model only.
	ThoughtSignature string
	// Namespace groups tools for some vendors; usually empty.
	Namespace string
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// UnknownBlock is a block of a kind this package does not know. It is written
// back unchanged and never sent to a model.
type UnknownBlock struct {
	Kind BlockType
	Raw  json.RawMessage
}

// Type gives [BlockText].
func (*Text) Type() BlockType { return BlockText }

// Type gives [BlockThinking].
func (*Thinking) Type() BlockType { return BlockThinking }

// Type gives [BlockImage].
func (*Image) Type() BlockType { return BlockImage }

// Type gives [BlockToolCall].
func (*ToolCall) Type() BlockType { return BlockToolCall }

// Type gives the type named in the stored block.
func (b *UnknownBlock) Type() BlockType { return b.Kind }

func (*Text) isBlock()         {}
func (*Thinking) isBlock()     {}
func (*Image) isBlock()        {}
func (*ToolCall) isBlock()     {}
func (*UnknownBlock) isBlock() {}

// AppendJSON appends {"type":"text",…}.
func (b *Text) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	dst = jsonobj.AppendString(dst, b.Text)
	dst = appendOptional(dst, "textSignature", b.Signature)
	return appendExtra(dst, b.Extra)
}

// AppendJSON appends {"type":"thinking",…}.
func (b *Thinking) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"thinking","thinking":`...)
	dst = jsonobj.AppendString(dst, b.Text)
	dst = appendOptional(dst, "thinkingSignature", b.Signature)
	if b.Redacted {
		dst = append(dst, `,"redacted":true`...)
	}
	return appendExtra(dst, b.Extra)
}

// AppendJSON appends {"type":"image",…}.
func (b *Image) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"image","data":`...)
	dst = jsonobj.AppendString(dst, b.Data)
	dst = append(dst, `,"mimeType":`...)
	dst = jsonobj.AppendString(dst, b.MIMEType)
	return appendExtra(dst, b.Extra)
}

// AppendJSON appends {"type":"toolCall",…}.
func (b *ToolCall) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"toolCall","id":`...)
	dst = jsonobj.AppendString(dst, b.ID)
	dst = append(dst, `,"name":`...)
	dst = jsonobj.AppendString(dst, b.Name)
	dst = append(dst, `,"arguments":`...)
	if len(b.Arguments) == 0 {
		dst = append(dst, "{}"...)
	} else {
		dst = append(dst, b.Arguments...)
	}
	dst = appendOptional(dst, "thoughtSignature", b.ThoughtSignature)
	dst = appendOptional(dst, "namespace", b.Namespace)
	dst = appendOptional(dst, "argumentsError", b.ArgumentsError)
	return appendExtra(dst, b.Extra)
}

// AppendJSON appends the block as it was read.
func (b *UnknownBlock) AppendJSON(dst []byte) []byte { return append(dst, b.Raw...) }

// MarshalJSON implements [json.Marshaler].
func (b *Text) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (b *Thinking) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (b *Image) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (b *ToolCall) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (b *UnknownBlock) MarshalJSON() ([]byte, error) { return b.Raw, nil }

// DecodeBlock reads one stored content block.
func DecodeBlock(data []byte) (Block, error) {
	kind, err := memberString(data, "type")
	if err != nil {
		return nil, fmt.Errorf("decode content block: %w", err)
	}
	var b Block
	switch BlockType(kind) {
	case BlockText:
		t := &Text{}
		err = decodeFields(data, &t.Extra, fields{
			"type": skip, "text": str(&t.Text), "textSignature": str(&t.Signature),
		})
		b = t
	case BlockThinking:
		t := &Thinking{}
		err = decodeFields(data, &t.Extra, fields{
			"type": skip, "thinking": str(&t.Text), "thinkingSignature": str(&t.Signature), "redacted": boolean(&t.Redacted),
		})
		b = t
	case BlockImage:
		t := &Image{}
		err = decodeFields(data, &t.Extra, fields{
			"type": skip, "data": str(&t.Data), "mimeType": str(&t.MIMEType),
		})
		b = t
	case BlockToolCall:
		t := &ToolCall{}
		err = decodeFields(data, &t.Extra, fields{
			"type": skip, "id": str(&t.ID), "name": str(&t.Name), "arguments": raw(&t.Arguments),
			"thoughtSignature": str(&t.ThoughtSignature), "namespace": str(&t.Namespace), "argumentsError": str(&t.ArgumentsError),
		})
		if len(t.Arguments) == 0 || t.Arguments[0] != '{' {
			t.Arguments = json.RawMessage("{}")
		}
		b = t
	default:
		if !json.Valid(data) {
			return nil, fmt.Errorf("decode %s block: not JSON", kind)
		}
		return &UnknownBlock{Kind: BlockType(kind), Raw: json.RawMessage(append([]byte(nil), data...))}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s block: %w", kind, err)
	}
	return b, nil
}

// decodeContent reads a content value: a string (one text block, none when
// empty), a list of blocks, or null.
func decodeContent(data []byte) ([]Block, error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	if data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		if s == "" {
			return nil, nil
		}
		return []Block{&Text{Text: s}}, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return nil, fmt.Errorf("content is neither text nor a list of blocks: %w", err)
	}
	blocks := make([]Block, 0, len(parts))
	for i, p := range parts {
		b, err := DecodeBlock(p)
		if err != nil {
			return nil, fmt.Errorf("content %d: %w", i, err)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// AppendBlocks appends blocks as a JSON array.
func AppendBlocks(dst []byte, blocks []Block) []byte {
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = b.AppendJSON(dst)
	}
	return append(dst, ']')
}

// DecodeBlocks reads a stored content value: a list of blocks, a string (one
// text block), or null (none).
func DecodeBlocks(data []byte) ([]Block, error) { return decodeContent(data) }
