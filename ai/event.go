package ai

// EventType is the wire name of a kind of stream event.
type EventType string

// The events of a stream. Each block is bracketed by its start and end with
// its index; exactly one of EventDone and EventError comes last.
const (
	EventStart         EventType = "start"
	EventTextStart     EventType = "text_start"
	EventTextDelta     EventType = "text_delta"
	EventTextEnd       EventType = "text_end"
	EventThinkingStart EventType = "thinking_start"
	EventThinkingDelta EventType = "thinking_delta"
	EventThinkingEnd   EventType = "thinking_end"
	EventToolCallStart EventType = "toolcall_start"
	EventToolCallDelta EventType = "toolcall_delta"
	EventToolCallEnd   EventType = "toolcall_end"
	EventDone          EventType = "done"
	EventError         EventType = "error"
)

// Event is one step of a streamed answer.
type Event struct {
	Type EventType
	// Index is the place of the event's block in Message.Content.
	Index int
	// Delta is the text that arrived; for tool calls, raw JSON text.
	Delta string
	// Message is the answer so far. It changes with the next event: strings
	// taken from it stay valid, the structs do not. Use Snapshot to keep it.
	Message *AssistantMessage
}

// Block gives the block the event is about, nil for start, done and error.
func (e Event) Block() Block {
	switch e.Type {
	case EventStart, EventDone, EventError:
		return nil
	}
	if e.Index < 0 || e.Index >= len(e.Message.Content) {
		return nil
	}
	return e.Message.Content[e.Index]
}

// Terminal reports whether the event is the last one of its stream.
func (e Event) Terminal() bool { return e.Type == EventDone || e.Type == EventError }

// Snapshot copies the message so far; the copy may be kept and shared between
// goroutines. The text itself is not copied.
func (e Event) Snapshot() *AssistantMessage { return e.Message.Clone() }
