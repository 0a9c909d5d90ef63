package agentcore

import (
	"slices"

	"github.com/pi-go/pi/ai"
)

// State is what an agent was at one moment. It does not change afterwards and
// may be passed between goroutines. The slices are shared with the agent: do
// not write to their elements.
type State struct {
	// Messages is the transcript, without the answer in the making.
	Messages []Message
	Tools    []*Tool
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	// Running says that a run is active, listeners of AgentEnd included.
	Running bool
	// Streaming is the answer in the making as far as it has come, nil when
	// none is. Arguments of calls in it are raw text (Partial).
	Streaming *ai.AssistantMessage
	// Calls are the tool calls that are running.
	Calls []ai.ToolCall
	// Steering and FollowUp are the queued messages.
	Steering, FollowUp         []Message
	SteeringMode, FollowUpMode QueueMode
	// Err is why the last run did not end well, nil if it did or none has
	// ended yet.
	Err error
}

// State gives the state of now.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{
		Messages: slices.Clip(a.messages), Tools: slices.Clip(a.tools), Model: a.model, Thinking: a.thinking,
		Running: a.idle != nil, Calls: slices.Clone(a.calls),
		Steering: slices.Clone(a.steering.list), FollowUp: slices.Clone(a.followUp.list),
		SteeringMode: effective(a.steering.mode), FollowUpMode: effective(a.followUp.mode),
		Err: a.lastErr,
	}
	if a.stream != nil {
		s.Streaming = a.stream.Clone()
	}
	return s
}

func effective(m QueueMode) QueueMode {
	if m == "" {
		return QueueOneAtATime
	}
	return m
}

// Running reports whether a run is active.
func (a *Agent) Running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.idle != nil
}

// reduce brings the state up to an event.
func (a *Agent) reduce(ev Event) {
	switch ev := ev.(type) {
	case *AgentStart:
		a.lastErr = nil
	case *MessageStart:
		if m, ok := ev.Message.(*ai.AssistantMessage); ok {
			a.stream = m.Clone()
		}
	case *MessageUpdate:
		follow(a.stream, ev.Message, ev.Stream.Index)
	case *MessageEnd:
		if _, ok := ev.Message.(*ai.AssistantMessage); ok {
			a.stream = nil
		}
		a.messages = append(a.messages, ev.Message)
	case *ToolStart:
		a.calls = append(a.calls, ai.ToolCall{ID: ev.CallID, Name: ev.Name, Arguments: ev.Arguments})
	case *ToolEnd:
		if at := slices.IndexFunc(a.calls, func(c ai.ToolCall) bool { return c.ID == ev.CallID }); at >= 0 {
			a.calls = slices.Delete(a.calls, at, at+1)
		}
	case *AgentEnd:
		a.stream, a.calls, a.lastErr = nil, nil, ev.Err
	}
}

// follow copies into our answer what an update changed in the stream's. The
// stream writes to its message between events without our lock, so State must
// not look at it; texts are immutable, so a copy costs the same however long
// they are. Maps may be written to in place and are left out.
func follow(ours, theirs *ai.AssistantMessage, index int) {
	if ours == nil {
		return
	}
	ours.Usage, ours.ResponseID, ours.ResponseModel = theirs.Usage, theirs.ResponseID, theirs.ResponseModel
	ours.Usage.Extra = nil
	for i := len(ours.Content); i < len(theirs.Content); i++ {
		switch theirs.Content[i].(type) {
		case *ai.Text:
			ours.Content = append(ours.Content, new(ai.Text))
		case *ai.Thinking:
			ours.Content = append(ours.Content, new(ai.Thinking))
		case *ai.ToolCall:
			ours.Content = append(ours.Content, new(ai.ToolCall))
		default: // an answer has no other blocks
			ours.Content = append(ours.Content, theirs.Content[i])
		}
	}
	if index < 0 || index >= len(theirs.Content) {
		return
	}
	switch b := theirs.Content[index].(type) {
	case *ai.Text:
		if o, ok := ours.Content[index].(*ai.Text); ok {
			*o = *b
			o.Extra = nil
		}
	case *ai.Thinking:
		if o, ok := ours.Content[index].(*ai.Thinking); ok {
			*o = *b
			o.Extra = nil
		}
	case *ai.ToolCall:
		if o, ok := ours.Content[index].(*ai.ToolCall); ok {
			*o = *b
			o.Extra = nil
		}
	}
}
