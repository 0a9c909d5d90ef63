package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
)

// getTree nests the entries, without recursion: sessions can be deep.
func getTree(ctx context.Context, s *Server, c command) (any, error) {
	ses := s.Runtime.Session().Session()
	switch c.Format {
	case "flat":
		return flatTree(ctx, ses)
	case "", "nested":
	default:
		return nil, fmt.Errorf("field \"format\": %q is neither nested nor flat", c.Format)
	}
	roots, err := ses.Tree(ctx)
	if err != nil {
		return nil, err
	}
	b := []byte(`{"tree":`)
	if b, err = appendNodes(ctx, b, ses, roots); err != nil {
		return nil, err
	}
	leaf, err := json.Marshal(leafID(ses))
	if err != nil {
		return nil, err
	}
	b = append(append(b, `,"leafId":`...), leaf...)
	return json.RawMessage(append(b, '}')), nil
}

// appendNodes writes nodes and all below them with a stack of its own.
func appendNodes(ctx context.Context, b []byte, ses *session.Session, roots []*session.Node) ([]byte, error) {
	type frame struct {
		nodes []*session.Node
		at    int
		tail  string // what closes the node these are the children of
	}
	stack := []frame{{nodes: roots}}
	b = append(b, '[')
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.at == len(f.nodes) {
			b = append(append(b, ']'), f.tail...)
			stack = stack[:len(stack)-1]
			continue
		}
		n := f.nodes[f.at]
		if f.at > 0 {
			b = append(b, ',')
		}
		f.at++
		raw, err := ses.Raw(ctx, n.ID)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `{"entry":`...), raw...)
		tail := "}"
		if n.Label != "" {
			label, err := marshal(n.Label)
			if err != nil {
				return nil, err
			}
			tail = `,"label":` + string(label) + `,"labelTimestamp":"` + n.LabelTime.UTC().Format(time.RFC3339Nano) + `"}`
		}
		b = append(b, `,"children":[`...)
		stack = append(stack, frame{nodes: n.Children, tail: tail})
	}
	return b, nil
}

// flatTree lists the entries, each with the id of the one before it: a long
// conversation is too deep a nest for many JSON readers.
func flatTree(ctx context.Context, ses *session.Session) (any, error) {
	type node struct {
		Entry     json.RawMessage `json:"entry"`
		ParentID  *string         `json:"parentId"`
		Label     string          `json:"label,omitempty"`
		LabelTime string          `json:"labelTimestamp,omitempty"`
	}
	roots, err := ses.Tree(ctx)
	if err != nil {
		return nil, err
	}
	type waiting struct {
		node   *session.Node
		parent *string
	}
	var stack []waiting
	for _, n := range slices.Backward(roots) {
		stack = append(stack, waiting{node: n})
	}
	nodes := []node{}
	for len(stack) > 0 {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		raw, err := ses.Raw(ctx, w.node.ID)
		if err != nil {
			return nil, err
		}
		n := node{Entry: raw, ParentID: w.parent, Label: w.node.Label}
		if n.Label != "" {
			n.LabelTime = w.node.LabelTime.UTC().Format(time.RFC3339Nano)
		}
		nodes = append(nodes, n)
		for _, child := range slices.Backward(w.node.Children) {
			stack = append(stack, waiting{child, &w.node.ID})
		}
	}
	return map[string]any{"nodes": nodes, "leafId": leafID(ses)}, nil
}

// navigateTree goes on from another entry. Like get_tree it is for clients
// that show the tree; the reference has no such command.
func navigateTree(ctx context.Context, s *Server, c command) (any, error) {
	id, err := need("entryId", c.EntryID)
	if err != nil {
		return nil, err
	}
	a := s.Runtime.Session()
	r, err := a.Navigate(ctx, id, harness.NavigateOptions{
		Summarize: c.Summarize, Instructions: c.Instructions, Replace: c.ReplaceInstructions, Label: c.Label,
	})
	switch {
	case errors.Is(err, harness.ErrCancelled):
		return map[string]any{"cancelled": true}, nil
	case errors.Is(err, harness.ErrBusy):
		return nil, errors.New("the agent is at work: send abort first")
	case err != nil:
		return nil, err
	}
	out := map[string]any{"cancelled": false, "leafId": leafID(a.Session())}
	if r.EditorText != "" {
		out["editorText"] = r.EditorText
	}
	if r.Summary != nil {
		out["summaryEntryId"] = r.Summary.ID
	}
	return out, nil
}

// setLabel names an entry; an empty label removes the name.
func setLabel(ctx context.Context, s *Server, c command) (any, error) {
	id, err := need("entryId", c.EntryID)
	if err != nil {
		return nil, err
	}
	return nil, s.Runtime.Session().Harness().SetLabel(ctx, id, c.Label)
}

// listSessions describes the sessions of the directory, the newest first.
func listSessions(ctx context.Context, s *Server, c command) (any, error) {
	list, err := s.Runtime.List(ctx, c.All)
	if err != nil {
		return nil, err
	}
	type item struct {
		Path     string `json:"path"`
		ID       string `json:"id"`
		Cwd      string `json:"cwd"`
		Name     string `json:"name,omitempty"`
		Parent   string `json:"parentSession,omitempty"`
		Created  string `json:"created"`
		Modified string `json:"modified"`
		Messages int    `json:"messageCount"`
		First    string `json:"firstMessage"`
	}
	out := []item{}
	for _, i := range list {
		out = append(out, item{
			Path: i.Ref, ID: i.ID, Cwd: i.Cwd, Name: i.Name, Parent: i.Parent, Messages: i.Messages, First: i.First,
			Created: i.Created.UTC().Format(time.RFC3339Nano), Modified: i.Modified.UTC().Format(time.RFC3339Nano),
		})
	}
	return map[string]any{"sessions": out}, nil
}
