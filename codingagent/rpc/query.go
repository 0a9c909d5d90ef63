package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/resource"
)

func exportHTML(ctx context.Context, s *Server, c command) (any, error) {
	if s.Export == nil {
		return nil, errors.New("this program can not export HTML")
	}
	path, err := s.Export(ctx, s.Runtime.Session(), c.OutputPath)
	return map[string]string{"path": path}, err
}

func sessionStats(ctx context.Context, s *Server, _ command) (any, error) {
	a := s.Runtime.Session()
	st, err := a.Session().Stats(ctx)
	if err != nil {
		return nil, err
	}
	u := st.Usage
	out := map[string]any{
		"sessionId": a.ID(), "userMessages": st.UserMessages, "assistantMessages": st.AssistantMessages,
		"toolCalls": st.ToolCalls, "toolResults": st.ToolResults, "totalMessages": st.Messages,
		"tokens": map[string]int64{
			"input": u.Input, "output": u.Output, "cacheRead": u.CacheRead, "cacheWrite": u.CacheWrite,
			"total": u.Input + u.Output + u.CacheRead + u.CacheWrite,
		},
		"cost": u.Cost.Total,
	}
	if f := a.File(); f != "" {
		out["sessionFile"] = f
	}
	if m := a.LimitsModel(); m != nil && m.ContextWindow > 0 {
		usage := map[string]any{"tokens": nil, "contextWindow": m.ContextWindow, "percent": nil}
		if tokens, known := a.Harness().ContextTokens(); known {
			usage["tokens"], usage["percent"] = tokens, 100*float64(tokens)/float64(m.ContextWindow)
		}
		out["contextUsage"] = usage
	}
	return out, nil
}

func forkMessages(ctx context.Context, s *Server, _ command) (any, error) {
	type item struct {
		EntryID string `json:"entryId"`
		Text    string `json:"text"`
	}
	list := []item{}
	for e, err := range s.Runtime.Session().Session().Entries(ctx) {
		if err != nil {
			return nil, err
		}
		m, ok := e.(*session.MessageEntry)
		if !ok {
			continue
		}
		if u, ok := m.Message.(*ai.UserMessage); ok {
			if text := ai.TextOf(u.Content, "\n"); strings.TrimSpace(text) != "" {
				list = append(list, item{m.ID, text})
			}
		}
	}
	return map[string]any{"messages": list}, nil
}

func getEntries(ctx context.Context, s *Server, c command) (any, error) {
	ses := s.Runtime.Session().Session()
	found := c.Since == ""
	list := []json.RawMessage{}
	for _, st := range ses.Stubs() {
		if !found {
			found = st.ID == c.Since
			continue
		}
		raw, err := ses.Raw(ctx, st.ID)
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	if !found {
		return nil, fmt.Errorf("there is no entry %q", c.Since)
	}
	return map[string]any{"entries": list, "leafId": leafID(ses)}, nil
}

func leafID(s *session.Session) any {
	if id := s.Leaf(); id != "" {
		return id
	}
	return nil
}

func lastText(_ context.Context, s *Server, _ command) (any, error) {
	for _, m := range slices.Backward(s.Runtime.Session().State().Messages) {
		a, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		text := strings.TrimSpace(a.Text())
		if a.StopReason == ai.StopEnd || text != "" {
			if text == "" {
				break
			}
			return map[string]any{"text": text}, nil
		}
	}
	return map[string]any{"text": nil}, nil
}

func setName(ctx context.Context, s *Server, c command) (any, error) {
	name, err := need("name", c.Name)
	if err != nil {
		return nil, err
	}
	if name = session.CleanName(name); name == "" {
		return nil, errors.New("the name is empty")
	}
	return nil, s.Runtime.Session().Harness().SetName(ctx, name)
}

// getCommands lists what can be said with a leading slash.
func getCommands(_ context.Context, s *Server, _ command) (any, error) {
	type info struct {
		Path   string         `json:"path"`
		Source string         `json:"source"`
		Scope  resource.Scope `json:"scope"`
		Origin string         `json:"origin"`
		Base   string         `json:"baseDir,omitempty"`
	}
	type item struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Source      string `json:"source"`
		SourceInfo  info   `json:"sourceInfo"`
	}
	list := []item{}
	for _, c := range s.Runtime.Session().Commands() {
		from := info{c.Path, "local", c.Scope, "top-level", c.Base}
		if c.Package != "" {
			from.Source, from.Origin = c.Package, "package"
		}
		list = append(list, item{c.Name, c.Description, c.Source, from})
	}
	return map[string]any{"commands": list}, nil
}
