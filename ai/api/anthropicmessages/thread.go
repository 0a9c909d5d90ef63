package anthropicmessages

import (
	"crypto/sha256"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/jsonobj"
)

// state is what a conversation keeps for this protocol and one model.
type state struct {
	prefix     history.Prefix
	strictOff  bool // the vendor refused the strict tools as too many or too large
	threadsOff bool // the vendor can not keep this conversation
	thread     thread
}

// thread is a conversation that the vendor keeps.
type thread struct {
	id    string // of the last answer; "" means none
	units int    // that the vendor has, the last answer included
	sum   [sha256.Size]byte
}

// threads reports whether the vendor may keep this conversation.
func (r *request) threads() bool {
	return r.traits.threads && r.cache != "" && r.call.SessionID != "" && r.call.Options.Conversation != nil &&
		!r.opts.DisableThreads && !r.state.threadsOff
}

// sum depends on everything that the vendor has of n units, cache marks aside.
func (r *request) sum(units []history.Unit) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range []string{
		r.call.Model.Provider, r.call.BaseURL, r.settings, r.shared(), strings.Join(r.betas(true), ","),
	} {
		h.Write(jsonobj.AppendString(nil, part))
	}
	h.Write(r.system)
	h.Write(r.tools)
	h.Write(r.state.prefix.Encode(r.settings, units, r.encoder.unit))
	return [sha256.Size]byte(h.Sum(nil))
}

// continued gives the value of "thread" and the first unit to send, if the
// vendor has everything before it. The thread is used up by that.
func (r *request) continued() (value string, from int) {
	t := r.state.thread
	r.state.thread = thread{}
	if t.id == "" || len(r.units) <= t.units || r.sum(r.units[:t.units]) != t.sum {
		return `{"type":"create"}`, 0
	}
	id := jsonobj.AppendString(nil, t.id)
	return `{"type":"continue","previous_message_id":` + string(id) + `}`, t.units
}

// remember notes the thread after a clean answer.
func (r *request) remember(m *ai.AssistantMessage) {
	if m.ResponseID == "" || m.ResponseModel != "" || m.StopReason == ai.StopError {
		return
	}
	// The answer as the next request will send it; the results that Transform
	// makes up for its calls are not part of it.
	sent := ai.Transform(r.call.Model, []ai.Message{m}, ai.TransformOptions{ToolCallID: ai.PlainIDs(maxIDLength)})
	if len(sent) == 0 {
		return
	}
	all := append(r.units[:len(r.units):len(r.units)], history.Unit{At: r.next(), Messages: sent[:1]})
	r.state.thread = thread{id: m.ResponseID, units: len(all), sum: r.sum(all)}
}

// next is the index that the next message of the conversation will have.
func (r *request) next() int {
	last := r.units[len(r.units)-1]
	return last.At + len(last.Messages)
}

// threadProblem says what to do after a failed request of a thread.
type threadProblem int

const (
	threadFine  threadProblem = iota // it was not the thread's fault
	threadLost                       // send everything as a new thread
	threadNever                      // send everything without a thread, always
)

func problemOf(e *ai.APIError) threadProblem {
	if e.Status != 400 && e.Status != 404 && e.Status != 409 {
		return threadFine
	}
	switch code := errorCode(e); code {
	case "thread_not_found", "thread_already_continued", "thread_continue_in_flight", "thread_fingerprint_mismatch":
		return threadLost
	case "thread_unsupported_request":
		return threadNever
	case "":
		if e.Status == 400 && strings.Contains(strings.ToLower(e.Message+" "+e.Body), "thread") {
			return threadNever
		}
	}
	return threadFine
}
