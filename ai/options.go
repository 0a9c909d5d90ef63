package ai

import (
	"encoding/json"
	"net/http"
	"time"
)

// Request is what a model is asked: the conversation, and optionally the
// prompt and tools that lead it.
type Request struct {
	// System and Tools lead the conversation. They are a convenience: the
	// same can be said by a *SystemMessage at the start of Messages, and both
	// together add up.
	System   string
	Tools    []Tool
	Messages []Message
}

// CacheRetention says how long the vendor should keep the prompt cached.
type CacheRetention string

// The cache retentions. The zero value means CacheShort.
const (
	CacheShort CacheRetention = "short"
	CacheLong  CacheRetention = "long"
	CacheNone  CacheRetention = "none"
)

// ToolChoice says whether the model may, must or must not call tools. Any
// other non-empty string is the name of the tool it must call.
type ToolChoice string

// The tool choices. The zero value leaves it to the vendor (auto).
const (
	ToolChoiceAuto     ToolChoice = "auto"
	ToolChoiceNone     ToolChoice = "none"
	ToolChoiceRequired ToolChoice = "required"
)

// Options tune one call. The zero value is right for most.
type Options struct {
	// Thinking is the level asked for; it is clamped to what the model has.
	Thinking        ThinkingLevel
	ThinkingBudgets ThinkingBudgets
	// MaxTokens caps the answer; 0 means the model's own cap. Either way it
	// is fitted to what the context window leaves free.
	MaxTokens   int64
	Temperature *float64
	ToolChoice  ToolChoice
	// Deferral lets the vendor answer later; nil means now. See
	// [Models.AwaitDeferred].
	Deferral *Deferral
	// SamplingParams goes into the body last, for OpenAI-style protocols.
	SamplingParams map[string]json.RawMessage
	// Cache says how long the vendor should keep the prompt cached.
	Cache CacheRetention
	// SessionID is the cache and affinity key. Empty means the ID of
	// Conversation, if there is one.
	SessionID string
	// Conversation keeps encoded history, sockets and server threads between
	// calls; nil keeps nothing.
	Conversation *Conversation
	// Metadata is passed to vendors that take it (Anthropic: user_id).
	Metadata map[string]string

	// APIKey wins over all configured credentials.
	APIKey string
	// Env holds provider-scoped variables that win over the environment.
	Env map[string]string
	// Headers are set last but for TransformHeaders; RemoveHeaders deletes
	// headers that a lower layer set.
	Headers          map[string]string
	RemoveHeaders    []string
	TransformHeaders func(http.Header)
	// HTTPClient replaces the collection's client for this call.
	HTTPClient *http.Client

	// MaxRetries is how often a request is sent again before its answer has
	// begun. 0 means none.
	MaxRetries int
	// MaxRetryDelay caps the wait a vendor may ask for; a longer one fails at
	// once and says so. 0 means 60 s, negative no cap.
	MaxRetryDelay time.Duration
	Timeouts      Timeouts
	// Limits caps what a hostile or broken server can make us hold.
	Limits Limits

	// OnPayload sees the body before it is sent and may return another; nil
	// keeps it.
	OnPayload func(body json.RawMessage, m *Model) json.RawMessage
	// OnResponse is called with status and headers before the body is read.
	OnResponse func(status int, header http.Header, m *Model)
	// OnRetry is called before each wait.
	OnRetry func(Retry)
	// OnWireEvent sees each parsed event of the vendor's stream, read-only.
	OnWireEvent func(data json.RawMessage, m *Model)

	// Protocol holds options of one protocol, of the type its package names;
	// other protocols ignore it.
	Protocol any
}

// Timeouts bound the parts of a request. A zero field means its default, a
// negative one no limit.
type Timeouts struct {
	Connect time.Duration // until the connection stands; default 30 s
	Header  time.Duration // from then until the status line; default 10 min
	Idle    time.Duration // between two reads of the answer; default 5 min
	Total   time.Duration // the whole request; default no limit
	// Progress bounds the wait between two events of the stream. It ends a server
	// that keeps the line alive for ever and says nothing. Default 1 h, above what the
	// slowest models think without a word, or Idle if that is longer, and none if
	// Idle has no limit.
	Progress time.Duration
}

// Limits cap what one answer may make this client hold, in bytes. A zero
// field means its default.
type Limits struct {
	Event  int64 // one event of the stream; default 64 MiB
	Answer int64 // all content of the answer; default 256 MiB
}

// Retry describes a wait before a request is sent again.
type Retry struct {
	Attempt int // of the coming try, from 1
	Max     int
	Delay   time.Duration
	Err     error // why the last try failed
}

// Identity is how requests name the program that makes them.
type Identity struct {
	// UserAgent is sent with each request. Empty means "pi-go/<version>".
	UserAgent string
	// Name, URL and Categories attribute requests where a vendor lists the
	// programs that use it. All empty sends no attribution.
	Name       string
	URL        string
	Categories []string
}

// sessionID gives the cache key of a call.
func (o *Options) sessionID() string {
	if o.SessionID == "" && o.Conversation != nil {
		return o.Conversation.ID()
	}
	return o.SessionID
}
