package client

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pi-go/pi/ai"
)

// Disposition says what became of a message.
type Disposition string

// The dispositions.
const (
	Started Disposition = "started" // the agent works on it
	Queued  Disposition = "queued"  // it waits for the work that is under way
	Handled Disposition = "handled" // a command took it; the model will not see it
)

// PromptOptions tune a prompt.
type PromptOptions struct {
	Images []*ai.Image
	// WhenBusy is "steer" or "followUp": what becomes of the message while
	// the agent works. "" refuses it then.
	WhenBusy string
}

// Prompt sends a message. It returns when the agent has taken it, not when it
// has answered; see [Client.Ask].
func (c *Client) Prompt(ctx context.Context, text string, o PromptOptions) (Disposition, error) {
	fields := map[string]any{"message": text}
	if o.WhenBusy != "" {
		fields["streamingBehavior"] = o.WhenBusy
	}
	return c.message(ctx, "prompt", fields, o.Images)
}

// Steer queues a message for the next request of the work under way.
func (c *Client) Steer(ctx context.Context, text string, images ...*ai.Image) (Disposition, error) {
	return c.message(ctx, "steer", map[string]any{"message": text}, images)
}

// FollowUp queues a message for when the agent is done.
func (c *Client) FollowUp(ctx context.Context, text string, images ...*ai.Image) (Disposition, error) {
	return c.message(ctx, "follow_up", map[string]any{"message": text}, images)
}

func (c *Client) message(ctx context.Context, command string, fields map[string]any, images []*ai.Image) (Disposition, error) {
	if len(images) > 0 {
		fields["images"] = images
	}
	var out struct{ Disposition Disposition }
	err := c.Do(ctx, command, fields, &out)
	return out.Disposition, err
}

// ErrNoAnswer says that a prompt ended without an answer of the model.
var ErrNoAnswer = errors.New("there is no answer")

// Ask sends a message and waits until the agent has settled. It gives the last
// answer of the model; one that failed, or was cut off by an abort, comes with
// an error. When ctx ends, the work is aborted.
func (c *Client) Ask(ctx context.Context, text string, o PromptOptions) (*ai.AssistantMessage, error) {
	settled := make(chan struct{}, 1)
	var answer *ai.AssistantMessage
	defer c.Subscribe(func(ev Event) {
		if a, ok := ev.Message().(*ai.AssistantMessage); ok {
			answer = a
		}
		if ok, _ := ev.Settled(); ok {
			select {
			case settled <- struct{}{}:
			default:
			}
		}
	})()
	d, err := c.Prompt(ctx, text, o)
	if err != nil {
		return nil, err
	}
	if d == Handled {
		return nil, nil
	}
	select {
	case <-settled:
	case <-c.ended:
		return nil, ErrClosed
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if err := c.Abort(context.WithoutCancel(ctx)); err != nil {
			return nil, errors.Join(cause, err)
		}
		<-settled
		return answer, cause
	}
	if answer == nil {
		return nil, ErrNoAnswer
	}
	return answer, answer.Err()
}

// Abort stops what is under way and returns when it has settled. Queued
// messages stay queued.
func (c *Client) Abort(ctx context.Context) error { return c.Do(ctx, "abort", nil, nil) }

// AbortRetry stops waiting for the next try of a failed request.
func (c *Client) AbortRetry(ctx context.Context) error { return c.Do(ctx, "abort_retry", nil, nil) }

// AbortBash stops all commands of [Client.Bash].
func (c *Client) AbortBash(ctx context.Context) error { return c.Do(ctx, "abort_bash", nil, nil) }

// Queue lists the texts of queued messages.
type Queue struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

// ClearQueue takes back what is queued.
func (c *Client) ClearQueue(ctx context.Context) (Queue, error) {
	return get[Queue](ctx, c, "clear_queue", nil)
}

func get[T any](ctx context.Context, c *Client, command string, fields any) (T, error) {
	var out T
	err := c.Do(ctx, command, fields, &out)
	return out, err
}

// State says how the agent is.
type State struct {
	// Model is nil when none was chosen.
	Model                 *ai.Model
	ThinkingLevel         ai.ThinkingLevel
	IsStreaming           bool
	IsCompacting          bool
	SteeringMode          string
	FollowUpMode          string
	SessionFile           string // "" when the session is not kept; it may not be there yet
	SessionID             string
	SessionName           string
	AutoCompactionEnabled bool
	MessageCount          int
	PendingMessageCount   int
}

// unknown marks the model that the reference implementation makes up when
// none was chosen.
const unknown = "unknown"

// State asks how the agent is.
func (c *Client) State(ctx context.Context) (State, error) {
	s, err := get[State](ctx, c, "get_state", nil)
	if s.Model != nil && s.Model.ID == unknown && s.Model.Provider == unknown {
		s.Model = nil
	}
	return s, err
}

// Messages gives the messages that the model sees, as stored.
func (c *Client) Messages(ctx context.Context) ([]json.RawMessage, error) {
	out, err := get[struct{ Messages []json.RawMessage }](ctx, c, "get_messages", nil)
	return out.Messages, err
}

// LastText gives the text of the last answer, "" if there is none.
func (c *Client) LastText(ctx context.Context) (string, error) {
	out, err := get[struct{ Text string }](ctx, c, "get_last_assistant_text", nil)
	return out.Text, err
}

// Models lists the models that can be chosen.
func (c *Client) Models(ctx context.Context) ([]*ai.Model, error) {
	out, err := get[struct{ Models []*ai.Model }](ctx, c, "get_available_models", nil)
	return out.Models, err
}

// SetModel chooses the model of the next request.
func (c *Client) SetModel(ctx context.Context, provider, id string) (*ai.Model, error) {
	return get[*ai.Model](ctx, c, "set_model", map[string]string{"provider": provider, "modelId": id})
}

// ModelChange is the outcome of [Client.CycleModel].
type ModelChange struct {
	Model         *ai.Model
	ThinkingLevel ai.ThinkingLevel
	IsScoped      bool
}

// CycleModel chooses the next model; nil when there is no other.
func (c *Client) CycleModel(ctx context.Context) (*ModelChange, error) {
	return get[*ModelChange](ctx, c, "cycle_model", nil)
}

// SetThinking chooses the thinking level; it is clamped to what the model has.
func (c *Client) SetThinking(ctx context.Context, level ai.ThinkingLevel) error {
	return c.Do(ctx, "set_thinking_level", map[string]any{"level": level}, nil)
}

// CycleThinking chooses the next thinking level; "" when the model has no
// other.
func (c *Client) CycleThinking(ctx context.Context) (ai.ThinkingLevel, error) {
	out, err := get[struct{ Level ai.ThinkingLevel }](ctx, c, "cycle_thinking_level", nil)
	return out.Level, err
}

// ThinkingLevels lists the levels of the model.
func (c *Client) ThinkingLevels(ctx context.Context) ([]ai.ThinkingLevel, error) {
	out, err := get[struct{ Levels []ai.ThinkingLevel }](ctx, c, "get_available_thinking_levels", nil)
	return out.Levels, err
}

// SetSteeringMode says how many steering messages are delivered at a time:
// "all" or "one-at-a-time".
func (c *Client) SetSteeringMode(ctx context.Context, mode string) error {
	return c.Do(ctx, "set_steering_mode", map[string]string{"mode": mode}, nil)
}

// SetFollowUpMode is SetSteeringMode for messages that wait for the end.
func (c *Client) SetFollowUpMode(ctx context.Context, mode string) error {
	return c.Do(ctx, "set_follow_up_mode", map[string]string{"mode": mode}, nil)
}

// SetAutoCompaction says whether long conversations are summed up without
// being asked.
func (c *Client) SetAutoCompaction(ctx context.Context, on bool) error {
	return c.Do(ctx, "set_auto_compaction", map[string]bool{"enabled": on}, nil)
}

// SetAutoRetry says whether failed requests are tried again.
func (c *Client) SetAutoRetry(ctx context.Context, on bool) error {
	return c.Do(ctx, "set_auto_retry", map[string]bool{"enabled": on}, nil)
}

// Compaction says what a compaction did; sizes are estimates, in tokens.
type Compaction struct {
	Summary              string
	FirstKeptEntryID     string
	TokensBefore         int64
	EstimatedTokensAfter int64
	Usage                *ai.Usage
	Details              json.RawMessage
}

// Compact sums up the older part of the conversation; focus, if not empty,
// says what matters above all. It aborts what is under way.
func (c *Client) Compact(ctx context.Context, focus string) (Compaction, error) {
	fields := map[string]string{}
	if focus != "" {
		fields["customInstructions"] = focus
	}
	return get[Compaction](ctx, c, "compact", fields)
}

// BashResult says how a shell command ended.
type BashResult struct {
	Output         string
	ExitCode       *int // nil when it was stopped
	Cancelled      bool
	Truncated      bool
	FullOutputPath string
}

// BashOptions tune a shell command.
type BashOptions struct {
	// Hidden keeps command and output from the model.
	Hidden bool
	// Output gets what the command prints, as it comes.
	Output func(text string)
}

// Bash runs a shell command in the agent's directory.
func (c *Client) Bash(ctx context.Context, command string, o BashOptions) (BashResult, error) {
	var out BashResult
	err := c.do(ctx, "bash", map[string]any{"command": command, "excludeFromContext": o.Hidden}, &out, o.Output)
	return out, err
}

// Stats counts what a session holds, over all its branches.
type Stats struct {
	SessionFile, SessionID          string
	UserMessages, AssistantMessages int
	ToolCalls, ToolResults          int
	TotalMessages                   int
	Tokens                          struct{ Input, Output, CacheRead, CacheWrite, Total int64 }
	Cost                            float64 // USD
	ContextUsage                    *struct {
		Tokens        *int64 // nil when unknown
		ContextWindow int64
		Percent       *float64
	}
}

// Stats counts what the session holds.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	return get[Stats](ctx, c, "get_session_stats", nil)
}

// ExportHTML writes the session as a page; path "" leaves the name to the
// agent. It gives the path of the page.
func (c *Client) ExportHTML(ctx context.Context, path string) (string, error) {
	fields := map[string]string{}
	if path != "" {
		fields["outputPath"] = path
	}
	out, err := get[struct{ Path string }](ctx, c, "export_html", fields)
	return out.Path, err
}

// SlashCommand is something that can be said with a slash before it.
type SlashCommand struct {
	Name, Description string
	Source            string // "extension", "prompt" or "skill"
	SourceInfo        struct{ Path, Source, Scope, Origin, BaseDir string }
}

// Commands lists what can be said with a slash before it.
func (c *Client) Commands(ctx context.Context) ([]SlashCommand, error) {
	out, err := get[struct{ Commands []SlashCommand }](ctx, c, "get_commands", nil)
	return out.Commands, err
}
