// Package settings reads the settings of a user.
//
// A settings file is shared with other programs and other versions of this
// one, so reading is forgiving: unknown keys are skipped, a value of the wrong
// type falls back to the default and is reported, and a file that can not be
// read at all counts as empty, is reported, and is never written over.
package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Settings are the effective values; a key that is not set has its default.
type Settings struct {
	DefaultProvider      string
	DefaultModel         string
	DefaultThinkingLevel ai.ThinkingLevel            // medium
	ThinkingChosen       bool                        // DefaultThinkingLevel was set in a file
	ModelThinkingLevels  map[string]ai.ThinkingLevel // by "provider/id"
	ThinkingBudgets      ai.ThinkingBudgets
	SteeringMode         agentcore.QueueMode // one-at-a-time
	FollowUpMode         agentcore.QueueMode // one-at-a-time
	// ProjectThinkingLevels are those of ModelThinkingLevels that the file of a project
	// sets, UserThinkingLevels those of the user's file, which the first may hide.
	ProjectThinkingLevels, UserThinkingLevels map[string]ai.ThinkingLevel
	// DefaultTools is the list of tools as set, nil when it is not.
	DefaultTools       []string
	SessionDir         string
	ShellPath          string
	ShellCommandPrefix string
	HTTPIdleTimeout    time.Duration // 5 min; negative is off
	Retry              Retry
	Compaction         Compaction
	Images             Images
	Terminal           Terminal
	Network            Network
	CodeMode           CodeMode
	BranchSummary      BranchSummary
	Markdown           Markdown
	Resources          Resources // of the last file; see [Loaded] for each
	// EnabledModels are patterns of the models to cycle through; nil means all.
	EnabledModels        []string
	CacheMissNotices     bool
	DefaultProjectTrust  string   // "ask", "always" or "never"; ask; only from the user's file
	TreeFilter           string   // "default", "no-tools", "user-only", "labeled-only" or "all"; default
	ShareDestination     string   // "auto", "gist" or "radius"; auto
	NPMCommand           []string // nil: packages are fetched without npm
	SelfUpdateCommand    []string
	SkillCommands        bool // true: /skill: is offered in completion
	CollapseChangelog    bool
	InstallTelemetry     bool // true
	Analytics            bool
	WarnExtraUsage       bool // true
	LastChangelogVersion string
	DeviceID             string
}

// Retry says how failed answers are tried again.
type Retry struct {
	Enabled    bool          // true
	MaxRetries int           // 3, after the first attempt
	BaseDelay  time.Duration // 2 s, doubled each time
	MaxDelay   time.Duration // 60 s
	Provider   ProviderRetry
}

// ProviderRetry says how a request is sent again before its answer has begun.
type ProviderRetry struct {
	Timeout    time.Duration // 0 is HTTPIdleTimeout
	MaxRetries int           // 0
	MaxDelay   time.Duration // 60 s; negative is no limit
}

// Compaction says when long conversations are summed up; sizes are in tokens.
type Compaction struct {
	Enabled    bool  // true
	Reserve    int64 // 16384: what stays free in the context window
	KeepRecent int64 // 20000: what stays word for word
	// Models override the sizes by "provider/id"; nil fields do not.
	Models map[string]CompactionOverride
}

// CompactionOverride is for one model.
type CompactionOverride struct {
	Reserve    *int64 `json:"reserveTokens"`
	KeepRecent *int64 `json:"keepRecentTokens"`
}

// For gives the sizes for a model, by "provider/id".
func (c Compaction) For(model string) (reserve, keepRecent int64) {
	reserve, keepRecent = c.Reserve, c.KeepRecent
	o := c.Models[model]
	if o.Reserve != nil {
		reserve = *o.Reserve
	}
	if o.KeepRecent != nil {
		keepRecent = *o.KeepRecent
	}
	return reserve, keepRecent
}

// Images says what is done to images before a model gets them.
type Images struct {
	AutoResize  bool // true
	BlockImages bool // false
}

// Diagnostic is a fault of a settings file that was worked around.
type Diagnostic struct {
	Path    string
	Message string
}

// String gives both parts.
func (d Diagnostic) String() string { return d.Path + ": " + d.Message }

// Defaults gives the settings of an empty file.
func Defaults() Settings {
	return Settings{
		DefaultThinkingLevel: ai.ThinkingMedium,
		SteeringMode:         agentcore.QueueOneAtATime, FollowUpMode: agentcore.QueueOneAtATime,
		HTTPIdleTimeout: 5 * time.Minute,
		Retry: Retry{
			Enabled: true, MaxRetries: 3, BaseDelay: 2 * time.Second, MaxDelay: time.Minute,
			Provider: ProviderRetry{MaxDelay: time.Minute},
		},
		Compaction: Compaction{Enabled: true, Reserve: 16384, KeepRecent: 20000},
		Images:     Images{AutoResize: true},
		Terminal:   defaultTerminal(),
		Network:    Network{Transport: "auto", WebSocketTimeout: 15 * time.Second, CacheWarming: "idle"},
		CodeMode:   CodeMode{InlineBudget: 3000}, BranchSummary: BranchSummary{Reserve: 16384},
		Markdown:            Markdown{CodeBlockIndent: "  ", Mermaid: "streaming"},
		DefaultProjectTrust: "ask", TreeFilter: "default", ShareDestination: "auto",
		SkillCommands: true, InstallTelemetry: true, WarnExtraUsage: true,
	}
}

// Load reads a user's settings file. A file that is not there is an empty one.
func Load(ctx context.Context, files execenv.ConfigReader, path string) (Settings, []Diagnostic) {
	l := LoadAll(ctx, files, Source{User, path})
	return l.Settings, l.Notes
}

// check says where the text stops being JSON.
func check(text string) error {
	var v map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		before := text[:min(int(syntax.Offset), len(text))]
		line := strings.Count(before, "\n") + 1
		column := len(before) - strings.LastIndexByte(before, '\n') - 1
		return fmt.Errorf("line %d, column %d is not JSON: %v", line, max(column, 1), err)
	case err != nil:
		return errors.New("the file must hold one JSON object")
	}
	return nil
}

// reader decodes values and notes those of the wrong type.
type reader struct {
	path    string
	project bool // keys of the user alone do not count
	notes   []Diagnostic
	values  []readValue

	nested  bool             // the value just read was an object of further keys
	probing bool             // only the names of keys are wanted
	inner   map[string]field // of the object that was probed
}

// readValue is the value of one key.
type readValue struct {
	key  string
	json json.RawMessage
	used bool
}

// field stores the value of one key; an error says what was expected.
type field func(key string, v json.RawMessage) error

func (r *reader) object(prefix string, v json.RawMessage, known map[string]field) {
	if r.probing {
		r.inner = known
		return
	}
	err := jsonobj.Walk(v, func(key string, v json.RawMessage) error {
		name := prefix + key
		f, ok := known[key]
		switch {
		case !ok || string(v) == "null":
			r.values = append(r.values, readValue{name, v, false})
			return nil
		case r.project && userOnly(name):
			r.notes = append(r.notes, Diagnostic{r.path, name + ": counts in the user's settings only, not in a project's"})
			r.values = append(r.values, readValue{name, v, false})
			return nil
		}
		r.nested = false
		err := f(name, v)
		if err != nil {
			r.notes = append(r.notes, Diagnostic{r.path, fmt.Sprintf("%s: %v; it is not used", name, err)})
		}
		if !r.nested {
			r.values = append(r.values, readValue{name, v, err == nil})
		}
		return nil
	})
	r.nested = true
	if err != nil {
		r.notes = append(r.notes, Diagnostic{r.path, fmt.Sprintf("%s: expected an object", strings.TrimSuffix(prefix, "."))})
	}
}

func (s *Settings) fields(r *reader) map[string]field {
	known := s.Terminal.fields(r)
	maps.Copy(known, s.productFields(r))
	maps.Copy(known, map[string]field{
		"defaultProvider": text(&s.DefaultProvider),
		"defaultModel":    text(&s.DefaultModel),
		"defaultThinkingLevel": func(key string, v json.RawMessage) error {
			err := level(&s.DefaultThinkingLevel)(key, v)
			s.ThinkingChosen = s.ThinkingChosen || err == nil
			return err
		},
		"modelThinkingLevels": levels(&s.ModelThinkingLevels),
		"thinkingBudgets":     merged("an object of numbers", &s.ThinkingBudgets),
		"steeringMode":        queueMode(&s.SteeringMode),
		"followUpMode":        queueMode(&s.FollowUpMode),
		"defaultTools":        as("a list of tool names", &s.DefaultTools),
		"sessionDir":          text(&s.SessionDir),
		"shellPath":           text(&s.ShellPath),
		"shellCommandPrefix":  text(&s.ShellCommandPrefix),
		"httpIdleTimeoutMs":   timeout(&s.HTTPIdleTimeout),
		"retry": func(key string, v json.RawMessage) error {
			r.object(key+".", v, map[string]field{
				"enabled": as("true or false", &s.Retry.Enabled), "maxRetries": count(&s.Retry.MaxRetries),
				"baseDelayMs": millis(&s.Retry.BaseDelay), "maxAgentDelayMs": millis(&s.Retry.MaxDelay),
				"provider": func(key string, v json.RawMessage) error {
					p := &s.Retry.Provider
					r.object(key+".", v, map[string]field{
						"timeoutMs": millis(&p.Timeout), "maxRetries": count(&p.MaxRetries),
						"maxRetryDelayMs": func(key string, v json.RawMessage) error {
							err := millis(&p.MaxDelay)(key, v)
							if err == nil && p.MaxDelay == 0 {
								p.MaxDelay = -1
							}
							return err
						},
					})
					return nil
				},
			})
			return nil
		},
		"compaction": func(key string, v json.RawMessage) error {
			r.object(key+".", v, map[string]field{
				"enabled":          as("true or false", &s.Compaction.Enabled),
				"reserveTokens":    tokens(&s.Compaction.Reserve),
				"keepRecentTokens": tokens(&s.Compaction.KeepRecent),
				"modelOverrides":   as("an object of sizes by model", &s.Compaction.Models),
			})
			return nil
		},
		"images": func(key string, v json.RawMessage) error {
			r.object(key+".", v, map[string]field{
				"autoResize": as("true or false", &s.Images.AutoResize), "blockImages": as("true or false", &s.Images.BlockImages),
			})
			return nil
		},
	})
	return known
}

// as decodes into p; p keeps its value when that fails.
func as[T any](expected string, p *T) field {
	return func(_ string, v json.RawMessage) error {
		var got T
		if err := json.Unmarshal(v, &got); err != nil {
			return fmt.Errorf("expected %s, found %s", expected, shown(v))
		}
		*p = got
		return nil
	}
}

// merged decodes an object over what p holds already.
func merged[T any](expected string, p *T) field {
	return func(_ string, v json.RawMessage) error {
		got := *p
		if err := json.Unmarshal(v, &got); err != nil {
			return fmt.Errorf("expected %s, found %s", expected, shown(v))
		}
		*p = got
		return nil
	}
}

func text(p *string) field { return as("a text", p) }

func count(p *int) field {
	return func(key string, v json.RawMessage) error {
		var n int
		if err := as("a whole number", &n)(key, v); err != nil {
			return err
		}
		if n < 0 {
			return fmt.Errorf("expected a number of at least 0, found %d", n)
		}
		*p = n
		return nil
	}
}

func tokens(p *int64) field {
	return func(key string, v json.RawMessage) error {
		var n int64
		if err := as("a whole number of tokens", &n)(key, v); err != nil {
			return err
		}
		if n < 0 {
			return fmt.Errorf("expected a number of at least 0, found %d", n)
		}
		*p = n
		return nil
	}
}

func millis(p *time.Duration) field {
	return func(key string, v json.RawMessage) error {
		var n float64
		if err := as("a number of milliseconds", &n)(key, v); err != nil {
			return err
		}
		if n < 0 || n > 1e12 {
			return fmt.Errorf("expected a number of milliseconds of at least 0, found %s", shown(v))
		}
		*p = time.Duration(n * float64(time.Millisecond))
		return nil
	}
}

// timeout also takes "disabled", numbers in quotes, and 0 for off.
func timeout(p *time.Duration) field {
	return func(key string, v json.RawMessage) error {
		if string(v) == `"disabled"` {
			*p = -1
			return nil
		}
		if err := millis(p)(key, json.RawMessage(strings.Trim(string(v), `"`))); err != nil {
			return fmt.Errorf("expected milliseconds or \"disabled\", found %s", shown(v))
		}
		if *p == 0 {
			*p = -1
		}
		return nil
	}
}

func level(p *ai.ThinkingLevel) field {
	return func(key string, v json.RawMessage) error {
		var name string
		if err := text(&name)(key, v); err != nil {
			return err
		}
		for _, l := range ai.ThinkingLevels() {
			if string(l) == name {
				*p = l
				return nil
			}
		}
		return fmt.Errorf("expected a thinking level (off, minimal, low, medium, high, xhigh, max), found %s", shown(v))
	}
}

func levels(p *map[string]ai.ThinkingLevel) field {
	return func(key string, v json.RawMessage) error {
		var names map[string]json.RawMessage
		if err := as("an object of levels by model", &names)(key, v); err != nil {
			return err
		}
		*p = make(map[string]ai.ThinkingLevel, len(names))
		for ref, name := range names {
			var l ai.ThinkingLevel
			if err := level(&l)(key, name); err != nil {
				return fmt.Errorf("%s: %w", ref, err)
			}
			(*p)[ref] = l
		}
		return nil
	}
}

func queueMode(p *agentcore.QueueMode) field {
	return func(key string, v json.RawMessage) error {
		switch string(v) {
		case `"all"`:
			*p = agentcore.QueueAll
		case `"one-at-a-time"`:
			*p = agentcore.QueueOneAtATime
		default:
			return fmt.Errorf("expected \"all\" or \"one-at-a-time\", found %s", shown(v))
		}
		return nil
	}
}

// shown is a value in an error message, cut when it is long.
func shown(v json.RawMessage) string {
	const most = 60
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "…"
	}
	return string(v)
}
