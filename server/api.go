package server

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// routes says what is where.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for path, methods := range map[string]map[string]func(http.ResponseWriter, *http.Request) error{
		"/v1/sessions":             {"GET": s.listSessions, "POST": s.openSession},
		"/v1/sessions/{id}":        {"GET": s.showSession, "DELETE": s.closeSession},
		"/v1/sessions/{id}/prompt": {"POST": s.promptSession},
		"/v1/sessions/{id}/abort":  {"POST": s.abortSession},
		"/v1/sessions/{id}/events": {"GET": s.events},
	} {
		allowed := ""
		for _, m := range []string{"GET", "POST", "DELETE"} {
			f, ok := methods[m]
			if !ok {
				continue
			}
			mux.HandleFunc(m+" "+path, s.handle(f))
			if allowed != "" {
				allowed += ", "
			}
			allowed += m
		}
		mux.HandleFunc(path, s.handle(func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Allow", allowed)
			return &problem{http.StatusMethodNotAllowed, "wrong_method", "this path takes " + allowed + ", not " + r.Method}
		}))
	}
	mux.HandleFunc("/", s.handle(func(http.ResponseWriter, *http.Request) error {
		return &problem{http.StatusNotFound, "not_found", "there is nothing here; the paths begin with /v1/sessions"}
	}))
	return mux
}

func (s *Server) listSessions(w http.ResponseWriter, _ *http.Request) error {
	infos := []Info{}
	for _, h := range s.list() {
		infos = append(infos, h.info())
	}
	reply(w, http.StatusOK, map[string]any{"sessions": infos})
	return nil
}

func (s *Server) openSession(w http.ResponseWriter, r *http.Request) error {
	var req OpenRequest
	if err := s.read(w, r, &req); err != nil {
		return err
	}
	done, err := s.reserve()
	if err != nil {
		return err
	}
	defer done()
	opened, err := s.cfg.Open(r.Context(), req)
	if err != nil {
		return openProblem(err)
	}
	h, err := host(r.Context(), opened, s.cfg, time.Now())
	if err == nil {
		err = s.add(h)
	}
	if err != nil {
		return errors.Join(err, opened.Close(context.WithoutCancel(r.Context())))
	}
	s.cfg.Logger.Info("session opened", "session", h.id, "dir", h.dir)
	w.Header().Set("Location", "/v1/sessions/"+h.id)
	reply(w, http.StatusCreated, h.info())
	return nil
}

// openProblem says what kept a session from being opened.
func openProblem(err error) error {
	var p *problem
	switch {
	case errors.As(err, &p):
		return err
	case errors.Is(err, session.ErrNotFound):
		return &problem{http.StatusNotFound, "not_found", err.Error()}
	case errors.Is(err, session.ErrLocked):
		return &problem{http.StatusConflict, "locked", err.Error()}
	}
	return &problem{http.StatusBadRequest, "can_not_open", err.Error()}
}

func (s *Server) showSession(w http.ResponseWriter, r *http.Request) error {
	h, err := s.find(r)
	if err != nil {
		return err
	}
	state, _, err := h.state()
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, state)
	return nil
}

func (s *Server) closeSession(w http.ResponseWriter, r *http.Request) error {
	h, err := s.find(r)
	if err != nil {
		return err
	}
	if !s.remove(h) {
		return errClosed
	}
	// The session is to be closed although the client may leave.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.cfg.Grace)
	defer cancel()
	if err := h.close(ctx, "a client closed the session"); err != nil {
		return err
	}
	s.cfg.Logger.Info("session closed", "session", h.id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// PromptRequest is what a person says.
type PromptRequest struct {
	Message string         `json:"message"`
	Images  []ImageContent `json:"images,omitempty"`
	// StreamingBehavior says what to do while another prompt is being worked
	// on: "steer" delivers the message before the next request, "followUp"
	// when the agent is done. Without it the message is refused (409).
	StreamingBehavior harness.Delivery `json:"streamingBehavior,omitempty"`
}

// ImageContent is an image in a prompt.
type ImageContent struct {
	// Type is "image", or empty.
	Type string `json:"type,omitempty"`
	// Data is base64.
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
}

// PromptAnswer says that a prompt was accepted.
type PromptAnswer struct {
	// Disposition is "started" or "queued".
	Disposition string `json:"disposition"`
	// After is the id after which the events of the prompt come.
	After string `json:"after"`
}

// prompt checks a request.
func (p PromptRequest) prompt() (codingagent.Prompt, error) {
	out := codingagent.Prompt{Text: p.Message}
	switch p.StreamingBehavior {
	case "", harness.DeliverSteer, harness.DeliverFollowUp:
	default:
		return out, invalid("streamingBehavior is %.40q; it may be %q or %q", string(p.StreamingBehavior), harness.DeliverSteer, harness.DeliverFollowUp)
	}
	for i, img := range p.Images {
		switch {
		case img.Type != "" && img.Type != "image":
			return out, invalid("images[%d]: type is %.40q; it may be \"image\"", i, img.Type)
		case img.MIMEType == "":
			return out, invalid("images[%d]: mimeType is missing", i)
		}
		if _, err := base64.StdEncoding.DecodeString(img.Data); err != nil || img.Data == "" {
			return out, invalid("images[%d]: data is no base64", i)
		}
		out.Images = append(out.Images, &ai.Image{Data: img.Data, MIMEType: img.MIMEType})
	}
	if out.Empty() {
		return out, invalid("the message is empty")
	}
	return out, nil
}

func (s *Server) promptSession(w http.ResponseWriter, r *http.Request) error {
	h, err := s.find(r)
	if err != nil {
		return err
	}
	var req PromptRequest
	if err := s.read(w, r, &req); err != nil {
		return err
	}
	p, err := req.prompt()
	if err != nil {
		return err
	}
	queued, before, err := h.prompt(s.ctx, p, req.StreamingBehavior)
	switch {
	case errors.Is(err, harness.ErrBusy):
		return &problem{http.StatusConflict, "busy", `the agent is at work: send the message with "streamingBehavior": "steer" or "followUp", or abort first`}
	case err != nil:
		return err
	}
	answer := PromptAnswer{Disposition: "started", After: h.log.id(before)}
	if queued {
		answer.Disposition = "queued"
	}
	reply(w, http.StatusAccepted, answer)
	return nil
}

func (s *Server) abortSession(w http.ResponseWriter, r *http.Request) error {
	h, err := s.find(r)
	if err != nil {
		return err
	}
	if err := h.session.Abort(r.Context()); err != nil {
		return err
	}
	reply(w, http.StatusOK, h.info())
	return nil
}
