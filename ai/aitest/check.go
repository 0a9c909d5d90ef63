package aitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

// Check reads a stream to its end, verifies its events against the contract,
// and gives the result. Violations are reported as errors of the test.
func Check(t testing.TB, s *ai.Stream) *ai.AssistantMessage {
	t.Helper()
	m, _ := Collect(t, s)
	return m
}

// Collect is [Check] that also gives the events in short form, such as
// "text_start 0", "text_delta 0 Hello", "done stop".
func Collect(t testing.TB, s *ai.Stream) (*ai.AssistantMessage, []string) {
	t.Helper()
	var c Checker
	var list []string
	for ev := range s.Events() {
		if err := c.Event(ev); err != nil {
			t.Errorf("event %d: %v", c.n, err)
		}
		list = append(list, Short(ev))
	}
	m := s.Result()
	if err := c.End(m); err != nil {
		t.Errorf("after %d events: %v", c.n, err)
	}
	for range s.Events() {
		t.Error("a second range over the events yields some")
		break
	}
	return m, list
}

// Short writes an event in a line.
func Short(ev ai.Event) string {
	switch {
	case ev.Terminal():
		return fmt.Sprintf("%s %s", ev.Type, ev.Message.StopReason)
	case ev.Type == ai.EventStart:
		return string(ev.Type)
	case ev.Delta != "":
		return fmt.Sprintf("%s %d %s", ev.Type, ev.Index, ev.Delta)
	}
	return fmt.Sprintf("%s %d", ev.Type, ev.Index)
}

// Checker verifies the events of one stream. The zero value is ready.
type Checker struct {
	n        int
	started  bool
	terminal *ai.Event
	blocks   []*checked
	kept     []keptSnapshot
}

// checked is what has been seen of one block.
type checked struct {
	kind   ai.BlockType
	text   strings.Builder
	closed bool
}

// keptSnapshot proves later that a snapshot does not change.
type keptSnapshot struct {
	m    *ai.AssistantMessage
	json string
}

// Event verifies the next event.
func (c *Checker) Event(ev ai.Event) error {
	c.n++
	if ev.Message == nil {
		return fmt.Errorf("%s has no message", ev.Type)
	}
	if c.terminal != nil {
		return fmt.Errorf("%s after %s", ev.Type, c.terminal.Type)
	}
	if c.n&(c.n-1) == 0 { // the first few, then ever fewer
		snap := ev.Snapshot()
		c.kept = append(c.kept, keptSnapshot{snap, string(snap.AppendJSON(nil))})
	}
	if ev.Terminal() {
		c.terminal = &ev
		return c.end(ev)
	}
	if ev.Message.StopReason != ai.StopPending {
		// Adapters may know the reason before the end, but it must be a real one.
		if err := knownStop(ev.Message.StopReason); err != nil {
			return fmt.Errorf("%s: %w", ev.Type, err)
		}
	}
	if ev.Type == ai.EventStart {
		if c.started {
			return fmt.Errorf("a second start")
		}
		c.started = true
		return nil
	}
	if !c.started {
		return fmt.Errorf("%s before start", ev.Type)
	}
	return c.block(ev)
}

func (c *Checker) block(ev ai.Event) error {
	kind, step := split(ev.Type)
	if step == "start" {
		if ev.Index != len(c.blocks) {
			return fmt.Errorf("%s has index %d, want %d", ev.Type, ev.Index, len(c.blocks))
		}
		c.blocks = append(c.blocks, &checked{kind: kind})
	}
	if ev.Index < 0 || ev.Index >= len(c.blocks) {
		return fmt.Errorf("%s of block %d, which never started", ev.Type, ev.Index)
	}
	if len(ev.Message.Content) != len(c.blocks) {
		return fmt.Errorf("%s: the message has %d blocks, %d have started", ev.Type, len(ev.Message.Content), len(c.blocks))
	}
	b := c.blocks[ev.Index]
	switch {
	case b.kind != kind || ev.Block().Type() != kind:
		return fmt.Errorf("%s of block %d, which is %s", ev.Type, ev.Index, b.kind)
	case b.closed:
		return fmt.Errorf("%s of block %d after its end", ev.Type, ev.Index)
	case step == "delta" && ev.Delta == "":
		return fmt.Errorf("%s without text", ev.Type)
	case step != "delta" && ev.Delta != "":
		return fmt.Errorf("%s with text %q", ev.Type, ev.Delta)
	}
	b.text.WriteString(ev.Delta)
	b.closed = step == "end"
	return b.verify(ev.Block(), step)
}

// verify compares the block in the message with the deltas so far.
func (b *checked) verify(block ai.Block, step string) error {
	got := ""
	switch block := block.(type) {
	case *ai.Text:
		got = block.Text
	case *ai.Thinking:
		if block.Redacted {
			return nil
		}
		got = block.Text
	case *ai.ToolCall:
		got = block.Partial
		if step == "end" {
			return callAgrees(block, b.text.String())
		}
		if string(block.Arguments) != "{}" {
			return fmt.Errorf("an open call has the arguments %s", block.Arguments)
		}
	}
	if step == "delta" && got != b.text.String() {
		return fmt.Errorf("the deltas say %q, the message %q", b.text.String(), got)
	}
	return nil
}

// callAgrees verifies a closed call against its argument text.
func callAgrees(c *ai.ToolCall, text string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(c.Arguments, &object); err != nil || object == nil {
		return fmt.Errorf("a closed call has the arguments %s", c.Arguments)
	}
	if c.ArgumentsError != "" {
		if string(c.Arguments) != "{}" {
			return fmt.Errorf("a call that can not be run has the arguments %s", c.Arguments)
		}
		return nil
	}
	if trimmed := strings.TrimSpace(text); trimmed != "" && trimmed != string(c.Arguments) && json.Valid([]byte(trimmed)) {
		return fmt.Errorf("the deltas say %q, the arguments are %s", text, c.Arguments)
	}
	return nil
}

func (c *Checker) end(ev ai.Event) error {
	for i := range c.blocks {
		if !c.blocks[i].closed {
			return fmt.Errorf("%s while block %d is open", ev.Type, i)
		}
	}
	switch {
	case ev.Type == ai.EventDone && !c.started:
		return fmt.Errorf("done without a start")
	case ev.Type == ai.EventDone && (ev.Message.StopReason == ai.StopError || ev.Message.StopReason == ai.StopAborted || ev.Message.StopReason == ai.StopPending):
		return fmt.Errorf("done with stop reason %q", ev.Message.StopReason)
	case ev.Type == ai.EventError && ev.Message.StopReason != ai.StopError && ev.Message.StopReason != ai.StopAborted:
		return fmt.Errorf("error with stop reason %q", ev.Message.StopReason)
	}
	return nil
}

// End verifies the result against the events. A stream whose consumer left
// early has no terminal event; its result must be aborted.
func (c *Checker) End(m *ai.AssistantMessage) error {
	for _, k := range c.kept {
		if now := string(k.m.AppendJSON(nil)); now != k.json {
			return fmt.Errorf("a snapshot changed from %s to %s", k.json, now)
		}
	}
	switch {
	case m == nil:
		return fmt.Errorf("the result is nil")
	case c.terminal == nil && m.StopReason != ai.StopAborted:
		return fmt.Errorf("no terminal event, and the result says %q", m.StopReason)
	case c.terminal != nil && c.terminal.Message != m:
		return fmt.Errorf("the result is not the message of the terminal event")
	}
	if err := knownStop(m.StopReason); err != nil {
		return err
	}
	failed := m.StopReason == ai.StopError || m.StopReason == ai.StopAborted
	if failed != (m.Err() != nil) || failed != (m.Failure != nil) {
		return fmt.Errorf("stop reason %q with failure %v", m.StopReason, m.Failure)
	}
	if failed && m.ErrorMessage == "" {
		return fmt.Errorf("stop reason %q without an error message", m.StopReason)
	}
	if m.Timestamp == 0 || m.DurationMS == nil {
		return fmt.Errorf("the result has no timestamp or duration")
	}
	return storable(m)
}

// storable verifies that the result survives being written and read.
func storable(m *ai.AssistantMessage) error {
	text := m.AppendJSON(nil)
	if !json.Valid(text) {
		return fmt.Errorf("the result is not JSON when stored: %s", text)
	}
	back, err := ai.DecodeMessage(text)
	if err != nil {
		return fmt.Errorf("read the stored result: %w", err)
	}
	if again := back.AppendJSON(nil); string(again) != string(text) {
		return fmt.Errorf("the stored result changes from %s to %s", text, again)
	}
	return nil
}

func knownStop(r ai.StopReason) error {
	switch r {
	case ai.StopEnd, ai.StopLength, ai.StopToolUse, ai.StopDeferred, ai.StopError, ai.StopAborted:
		return nil
	}
	return fmt.Errorf("stop reason %q", r)
}

// split takes an event type of a block apart.
func split(t ai.EventType) (kind ai.BlockType, step string) {
	prefix, step, _ := strings.Cut(string(t), "_")
	switch prefix {
	case "text":
		return ai.BlockText, step
	case "thinking":
		return ai.BlockThinking, step
	case "toolcall":
		return ai.BlockToolCall, step
	}
	return ai.BlockType(prefix), step
}
