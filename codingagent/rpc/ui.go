package rpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
)

// clientUI lets extensions talk to the person in front of the client. Questions
// are requests that the client answers with extension_ui_response; everything
// else needs no answer.
type clientUI struct {
	s *Server

	mu      sync.Mutex
	waiting map[string]chan reply // questions by id
}

// reply is what a client answers.
type reply struct {
	ID        string  `json:"id"`
	Value     *string `json:"value"`
	Confirmed *bool   `json:"confirmed"`
	Cancelled bool    `json:"cancelled"`
	withdrawn bool    // by us
}

// request is one line to the client; fields that mean nothing to a method are
// left out.
type request struct {
	Type        string    `json:"type"`
	ID          string    `json:"id"`
	Method      string    `json:"method,omitempty"`
	Title       string    `json:"title,omitempty"`
	Message     string    `json:"message,omitempty"`
	Options     *[]string `json:"options,omitempty"`
	Placeholder string    `json:"placeholder,omitempty"`
	Prefill     string    `json:"prefill,omitempty"`
	Timeout     int64     `json:"timeout,omitempty"` // ms
	NotifyType  string    `json:"notifyType,omitempty"`
	StatusKey   string    `json:"statusKey,omitempty"`
	StatusText  string    `json:"statusText,omitempty"`
	WidgetKey   string    `json:"widgetKey,omitempty"`
	WidgetLines []string  `json:"widgetLines,omitempty"`
	Placement   string    `json:"widgetPlacement,omitempty"`
	Text        *string   `json:"text,omitempty"`
}

// send writes a request.
func (u *clientUI) send(r request) {
	if r.Type == "" {
		r.Type = "extension_ui_request"
	}
	if r.ID == "" {
		r.ID = rand.Text()
	}
	// A write that fails is noticed by the next event, and ends the server.
	_ = u.s.out.Write(func(dst []byte) ([]byte, bool, error) {
		body, err := marshal(r)
		return append(dst, body...), true, err
	})
}

// ask sends a question and waits for its answer; ok is false when none came.
func (u *clientUI) ask(ctx context.Context, r request, o extension.DialogOptions) (answer reply, ok bool) {
	if ctx.Err() != nil || u.s.ctx.Err() != nil {
		return reply{}, false
	}
	r.ID = rand.Text()
	r.Timeout = o.Timeout.Milliseconds()
	answered := make(chan reply, 1)
	u.mu.Lock()
	if u.waiting == nil {
		u.waiting = make(map[string]chan reply)
	}
	u.waiting[r.ID] = answered
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		delete(u.waiting, r.ID)
		u.mu.Unlock()
	}()
	u.s.release() // commands must be heard while a person thinks
	u.send(r)
	var timeout <-chan time.Time
	if o.Timeout > 0 {
		timer := time.NewTimer(o.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case answer = <-answered:
		if !answer.withdrawn {
			return answer, !answer.Cancelled
		}
	case <-timeout:
	case <-ctx.Done():
	case <-u.s.ctx.Done():
	case <-u.s.noAnswers:
	}
	// The client may take its question away.
	u.send(request{Type: "extension_ui_dismissed", ID: r.ID})
	return reply{}, false
}

// clear takes all questions back: the session they are about is over.
func (u *clientUI) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, to := range u.waiting {
		delete(u.waiting, id)
		to <- reply{ID: id, withdrawn: true}
	}
}

// answer hands an answer to its question; one that nobody waits for is dropped.
func (u *clientUI) answer(line []byte) {
	var r reply
	if json.Unmarshal(line, &r) != nil {
		r = reply{ID: idOf(line), Cancelled: true} // a malformed answer is none
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if to := u.waiting[r.ID]; to != nil {
		delete(u.waiting, r.ID)
		to <- r
	}
}

func idOf(line []byte) string {
	var head struct{ ID json.RawMessage }
	var id string
	if json.Unmarshal(line, &head) == nil {
		_ = json.Unmarshal(head.ID, &id)
	}
	return id
}

// isAnswer reports whether a line answers a question, without decoding others.
func isAnswer(line []byte) bool {
	if !bytes.Contains(line, []byte(`"extension_ui_response"`)) {
		return false
	}
	var head struct{ Type string }
	return json.Unmarshal(line, &head) == nil && head.Type == "extension_ui_response"
}

// Select asks for one of some options.
func (u *clientUI) Select(ctx context.Context, title string, options []string, o extension.DialogOptions) (string, bool) {
	return u.text(ctx, request{Method: "select", Title: title, Options: &options}, o)
}

// Input asks for a line.
func (u *clientUI) Input(ctx context.Context, title, placeholder string, o extension.DialogOptions) (string, bool) {
	return u.text(ctx, request{Method: "input", Title: title, Placeholder: placeholder}, o)
}

// Editor asks for a text.
func (u *clientUI) Editor(ctx context.Context, title, prefill string) (string, bool) {
	return u.text(ctx, request{Method: "editor", Title: title, Prefill: prefill}, extension.DialogOptions{})
}

func (u *clientUI) text(ctx context.Context, r request, o extension.DialogOptions) (string, bool) {
	answer, ok := u.ask(ctx, r, o)
	if !ok || answer.Value == nil {
		return "", false
	}
	return *answer.Value, true
}

// Confirm asks for yes or no.
func (u *clientUI) Confirm(ctx context.Context, title, message string, o extension.DialogOptions) bool {
	answer, ok := u.ask(ctx, request{Method: "confirm", Title: title, Message: message}, o)
	return ok && answer.Confirmed != nil && *answer.Confirmed
}

// Notify shows a message.
func (u *clientUI) Notify(message string, level extension.Level) {
	u.send(request{Method: "notify", Message: message, NotifyType: string(level)})
}

// SetStatus shows a text under a key.
func (u *clientUI) SetStatus(key, text string) {
	u.send(request{Method: "setStatus", StatusKey: key, StatusText: text})
}

// SetWidget shows lines under a key; components can not be sent.
func (u *clientUI) SetWidget(key string, w extension.Widget) {
	if len(w.Lines) == 0 && w.Component != nil {
		return
	}
	u.send(request{Method: "setWidget", WidgetKey: key, WidgetLines: w.Lines, Placement: string(w.Placement)})
}

// SetTitle names the window.
func (u *clientUI) SetTitle(title string) { u.send(request{Method: "setTitle", Title: title}) }

// SetEditorText replaces what is typed.
func (u *clientUI) SetEditorText(text string) {
	u.send(request{Method: "set_editor_text", Text: &text})
}

// PasteToEditor is the same here: what is typed is not known.
func (u *clientUI) PasteToEditor(text string) { u.SetEditorText(text) }

// EditorText is not known here.
func (u *clientUI) EditorText() string { return "" }

// Screen is nil: the client's is out of reach.
func (u *clientUI) Screen() extension.Screen { return nil }
