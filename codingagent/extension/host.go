package extension

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
)

// Host is a session as extensions see it. The product implements it; programs
// that test an extension may too. Methods may be called from any goroutine.
type Host interface {
	Mode() Mode
	UI() UI
	Env() execenv.Env
	ProjectTrusted() bool
	Session() *session.Session
	Models() *ai.Models
	Model() *ai.Model
	ScopedModels() []ScopedModel
	Thinking() ai.ThinkingLevel
	Settings() settings.Settings
	// SystemPrompt is the text of the prompt in force.
	SystemPrompt() string
	PromptParts() PromptParts
	ContextUsage() (ContextUsage, bool)

	Idle() bool
	Pending() bool
	Abort()
	// Shutdown asks the program to end once it is idle.
	Shutdown()
	// Compact begins a compaction and returns at once.
	Compact(o CompactOptions)

	Send(ctx context.Context, m *session.CustomMessage, o SendOptions) error
	SendUser(ctx context.Context, content []ai.Block, o UserOptions) error
	Append(ctx context.Context, e session.Entry) (id string, err error)
	SetName(ctx context.Context, name string) error
	SetLabel(ctx context.Context, entry, label string) error
	Tools() []ToolInfo
	SetActiveTools(names []string)
	// Commands are those of extensions, then templates and skills.
	Commands() []CommandSummary
	SetModel(ctx context.Context, m *ai.Model) error
	SetThinking(ctx context.Context, level ai.ThinkingLevel) error

	// Refresh tells that something was registered, or unregistered, late.
	Refresh()
	// SetProvider and RemoveProvider change the models of the session; what was
	// set is undone when the session ends.
	SetProvider(p ai.Provider)
	RemoveProvider(id string)
	SetVirtualModel(v models.VirtualModel) error
	RemoveVirtualModel(provider, id string)

	WaitIdle(ctx context.Context) error
	NewSession(ctx context.Context, o NewSessionOptions) (cancelled bool, err error)
	Fork(ctx context.Context, entry string, o ForkOptions) (cancelled bool, err error)
	Switch(ctx context.Context, file string, o SwitchOptions) (cancelled bool, err error)
	Navigate(ctx context.Context, entry string, o harness.NavigateOptions) (harness.NavigateResult, error)
	Reload(ctx context.Context) error
}

// ErrNoControl is the error of replacing a session whose program can not.
var ErrNoControl = errors.New("this program has one session and can not replace it")

// ScopedModel is a model a person cycles through.
type ScopedModel struct {
	Model    *ai.Model
	Thinking ai.ThinkingLevel // "" leaves it
}

// ContextUsage is how full the model's window is.
type ContextUsage struct {
	// Tokens estimates the context; Known is false just after a compaction, when
	// nothing has counted it.
	Tokens int64
	Known  bool
	Window int64
}

// CompactOptions tune a compaction.
type CompactOptions struct {
	Focus string
	// Done, if not nil, gets the result.
	Done func(r harness.CompactionResult, err error)
}

// Delivery says when a message reaches the model.
type Delivery string

// The deliveries. The zero value means DeliverSteer for [API.Send], and refuses
// while a run is under way for [API.SendUser].
const (
	DeliverSteer    Delivery = "steer"    // before the next request
	DeliverFollowUp Delivery = "followUp" // when nothing is left to do
	DeliverNextTurn Delivery = "nextTurn" // with what is said next
)

// SendOptions say what becomes of a message of an extension.
type SendOptions struct {
	Delivery Delivery
	// Trigger says whether a run begins when none is under way. nil begins none,
	// and queues the message during a run. false never queues: during a run the
	// message is stored behind the turn.
	Trigger *bool
}

// UserOptions say what becomes of what an extension says in the person's name.
type UserOptions struct {
	Delivery Delivery
	// Expand puts in commands, skills and templates, as for a person.
	Expand bool
}

// CommandSummary describes a command of any kind.
type CommandSummary struct {
	Name, Description string
	Source            string // "extension", "prompt" or "skill"
	Origin            Origin
}

// NewSessionOptions describe a new session. Setup, if not nil, may put entries
// into it before it begins; Then gets its context at the end.
type NewSessionOptions struct {
	Parent string
	Setup  func(ctx context.Context, s *session.Session) error
	Then   func(ctx context.Context, x *CommandContext) error
}

// ForkOptions describe a copy. It ends before the entry, or with At with it.
type ForkOptions struct {
	At   bool
	Then func(ctx context.Context, x *CommandContext) error
}

// SwitchOptions describe another session.
type SwitchOptions struct {
	Then func(ctx context.Context, x *CommandContext) error
}

// entryData encodes the data of an entry.
func entryData(data any) (json.RawMessage, error) {
	if data == nil {
		return nil, nil
	}
	return json.Marshal(data)
}
