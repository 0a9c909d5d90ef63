package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrCancelled says that an extension stopped a change of the session.
var ErrCancelled = errors.New("an extension stopped it")

func (c *Client) change(ctx context.Context, command string, fields any) (text string, err error) {
	out, err := get[struct {
		Text      string
		Cancelled bool
	}](ctx, c, command, fields)
	if err == nil && out.Cancelled {
		err = fmt.Errorf("%s: %w", command, ErrCancelled)
	}
	return out.Text, err
}

// NewSession begins a new conversation. parent, if not empty, is recorded as
// where it came from.
func (c *Client) NewSession(ctx context.Context, parent string) error {
	fields := map[string]string{}
	if parent != "" {
		fields["parentSession"] = parent
	}
	_, err := c.change(ctx, "new_session", fields)
	return err
}

// SwitchSession goes to the conversation in a file; one that is not there
// begins as a new one.
func (c *Client) SwitchSession(ctx context.Context, path string) error {
	_, err := c.change(ctx, "switch_session", map[string]string{"sessionPath": path})
	return err
}

// Fork goes to a copy of the conversation up to, but without, a message of
// the user. It gives the text of that message.
func (c *Client) Fork(ctx context.Context, entry string) (string, error) {
	return c.change(ctx, "fork", map[string]string{"entryId": entry})
}

// Clone goes to a copy of the conversation.
func (c *Client) Clone(ctx context.Context) error {
	_, err := c.change(ctx, "clone", nil)
	return err
}

// ForkMessage is a message that can be forked from.
type ForkMessage struct {
	EntryID string
	Text    string
}

// ForkMessages lists the messages of the user, on all branches.
func (c *Client) ForkMessages(ctx context.Context) ([]ForkMessage, error) {
	out, err := get[struct{ Messages []ForkMessage }](ctx, c, "get_fork_messages", nil)
	return out.Messages, err
}

// Entries are entries of a session as stored.
type Entries struct {
	Entries []json.RawMessage
	LeafID  string // "" when there is none
}

// Entries gives what was stored after the entry since, or everything if that
// is "".
func (c *Client) Entries(ctx context.Context, since string) (Entries, error) {
	fields := map[string]string{}
	if since != "" {
		fields["since"] = since
	}
	return get[Entries](ctx, c, "get_entries", fields)
}

// Node is an entry and what follows it.
type Node struct {
	Entry          json.RawMessage
	Children       []Node
	Label          string
	LabelTimestamp time.Time
}

// Tree is a session with all its branches.
type Tree struct {
	Tree   []Node
	LeafID string
}

// Tree gives the session with all its branches.
func (c *Client) Tree(ctx context.Context) (Tree, error) { return get[Tree](ctx, c, "get_tree", nil) }

// SetSessionName names the session.
func (c *Client) SetSessionName(ctx context.Context, name string) error {
	return c.Do(ctx, "set_session_name", map[string]string{"name": name}, nil)
}

// Further commands that the reference implementation does not have.

// AbortCompaction stops a compaction, and nothing else.
func (c *Client) AbortCompaction(ctx context.Context) error {
	return c.Do(ctx, "abort_compaction", nil, nil)
}

// SetLabel names an entry; "" removes the name.
func (c *Client) SetLabel(ctx context.Context, entry, label string) error {
	return c.Do(ctx, "set_label", map[string]string{"entryId": entry, "label": label}, nil)
}

// NavigateOptions say how to go to another branch.
type NavigateOptions struct {
	// Summarize leaves a summary of the branch that is left.
	Summarize bool `json:"summarize,omitempty"`
	// Instructions are added to what the model is asked for the summary, or,
	// with Replace, are all that it is asked.
	Instructions string `json:"customInstructions,omitempty"`
	Replace      bool   `json:"replaceInstructions,omitempty"`
	// Label names where it goes on.
	Label string `json:"label,omitempty"`
}

// Navigated says where the session is after [Client.Navigate].
type Navigated struct {
	LeafID string
	// EditorText is the text of the user's message that was gone back behind.
	EditorText     string
	SummaryEntryID string
	Cancelled      bool
}

// Navigate goes on from another entry of the session.
func (c *Client) Navigate(ctx context.Context, entry string, o NavigateOptions) (Navigated, error) {
	out, err := get[Navigated](ctx, c, "navigate_tree", struct {
		Entry string `json:"entryId"`
		NavigateOptions
	}{entry, o})
	if err == nil && out.Cancelled {
		err = fmt.Errorf("navigate_tree: %w", ErrCancelled)
	}
	return out, err
}

// FlatNode is an entry and where it hangs.
type FlatNode struct {
	Entry          json.RawMessage
	ParentID       string // "" for a root
	Label          string
	LabelTimestamp time.Time
}

// FlatTree is [Client.Tree] without nesting, parents before children.
func (c *Client) FlatTree(ctx context.Context) (nodes []FlatNode, leafID string, err error) {
	out, err := get[struct {
		Nodes  []FlatNode
		LeafID string
	}](ctx, c, "get_tree", map[string]string{"format": "flat"})
	return out.Nodes, out.LeafID, err
}

// SessionInfo describes a session.
type SessionInfo struct {
	Path, ID, Cwd, Name, ParentSession string
	Created, Modified                  time.Time
	MessageCount                       int
	FirstMessage                       string
}

// Sessions lists the sessions of the agent's directory, the newest first.
func (c *Client) Sessions(ctx context.Context) ([]SessionInfo, error) {
	out, err := get[struct{ Sessions []SessionInfo }](ctx, c, "list_sessions", nil)
	return out.Sessions, err
}
