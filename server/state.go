package server

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/rpc"
)

// Info describes an open session.
type Info struct {
	ID  string `json:"id"`
	Dir string `json:"dir"`
	// Name is the one given by people, "" if none.
	Name string `json:"name,omitempty"`
	// File is where the conversation is kept, "" if only in memory.
	File string `json:"file,omitempty"`
	// Model is PROVIDER/ID of the next request's model.
	Model         string           `json:"model"`
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
	// Busy says that a prompt is being worked on.
	Busy bool `json:"busy"`
	// Created is when the session was opened here.
	Created time.Time `json:"created"`
	// LastEvent is the id of the newest event that this takes into account.
	LastEvent string `json:"lastEvent"`
	// Notes say what was wrong with files that shape the session and was
	// worked around.
	Notes []string `json:"notes,omitempty"`
}

// State is a session with its messages, as a client would know it that has
// followed all events up to LastEvent.
type State struct {
	Info
	// Messages are those of the context, in their stored form.
	Messages []json.RawMessage `json:"messages"`
	// Streaming is the answer in the making, nil if there is none.
	Streaming json.RawMessage `json:"streaming,omitempty"`
	// Steering and FollowUp are the texts of queued messages.
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

// info describes the session at the newest event.
func (h *hosted) info() Info {
	var i Info
	n := h.log.look(func() { i = h.described() })
	i.LastEvent = h.log.id(n)
	return i
}

// described is called with the log locked.
func (h *hosted) described() Info {
	i := Info{
		ID: h.id, Dir: h.dir, Name: h.name, File: h.session.File(), ThinkingLevel: h.session.Thinking(),
		Busy: h.busy, Created: h.created,
	}
	if m := h.session.Model(); m != nil {
		i.Model = m.Ref()
	}
	for _, d := range h.session.Diagnostics() {
		i.Notes = append(i.Notes, d.Path+" "+d.Message)
	}
	return i
}

// state gives the state, and the number of the newest event it takes into
// account.
func (h *hosted) state() (State, uint64, error) {
	var s State
	var messages []agentcore.Message
	var streaming *ai.AssistantMessage
	n := h.log.look(func() {
		s.Info, messages, streaming = h.described(), h.messages, h.streaming
		s.Steering, s.FollowUp = orEmpty(h.steering), orEmpty(h.followUp)
	})
	s.LastEvent = h.log.id(n)
	s.Messages = make([]json.RawMessage, len(messages))
	for i, m := range messages {
		var err error
		if s.Messages[i], err = rpc.AppendMessage(nil, m); err != nil {
			return State{}, 0, fmt.Errorf("encode message %d of session %s: %w", i, h.id, err)
		}
	}
	if streaming != nil {
		s.Streaming = streaming.AppendJSON(nil)
	}
	return s, n, nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
