package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Network says how models are reached.
type Network struct {
	Transport        string        // "auto", "sse", "websocket" or "websocket-cached"; auto
	Proxy            string        // URL; only from the user's file
	WebSocketTimeout time.Duration // 15 s; negative is off
	CacheWarming     string        // "off", "streaming" or "idle"; idle; only from the user's file
}

// CodeMode says how tools are offered to scripts.
type CodeMode struct {
	Only         bool  // the model gets them through scripts only
	InlineBudget int64 // 3000: tokens of declarations in the prompt
}

// BranchSummary says how a branch that is left is summed up.
type BranchSummary struct {
	Reserve    int64 // 16384 tokens
	SkipPrompt bool  // do not ask, and make none
}

// Resources lists what is loaded besides what is found. Entries are paths,
// globs behind "!", and paths behind "+" or "-". The lists of the two files
// are not merged: each is relative to where it is written.
type Resources struct {
	Packages                            []Package
	Extensions, Skills, Prompts, Themes []string
}

// Package is a package of resources. A nil list loads what the package offers
// of a kind.
type Package struct {
	Source                              string    `json:"source"`
	AutoLoad                            *bool     `json:"autoload,omitempty"`
	Extensions, Skills, Prompts, Themes *[]string `json:"-"`
}

// UnmarshalJSON reads a text, or an object with filters.
func (p *Package) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &p.Source)
	}
	var v struct {
		Source                              string
		AutoLoad                            *bool
		Extensions, Skills, Prompts, Themes *[]string
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if v.Source == "" {
		return fmt.Errorf("a package needs a source")
	}
	*p = Package{v.Source, v.AutoLoad, v.Extensions, v.Skills, v.Prompts, v.Themes}
	return nil
}

// Markdown says how answers look.
type Markdown struct {
	CodeBlockIndent string // two spaces
	Mermaid         string // "off", "final" or "streaming"; streaming
}

// productFields are the keys of what is neither the terminal's nor a run's.
func (s *Settings) productFields(r *reader) map[string]field {
	group := func(known map[string]field) field {
		return func(key string, v json.RawMessage) error { r.object(key+".", v, known); return nil }
	}
	yes := func(p *bool) field { return as("true or false", p) }
	list := func(p *[]string) field { return as("a list of texts", p) }
	kept := func(expected string, p any) field {
		return func(_ string, v json.RawMessage) error {
			if json.Unmarshal(v, p) != nil {
				return fmt.Errorf("expected %s, found %s", expected, shown(v))
			}
			return nil
		}
	}
	return map[string]field{
		"transport":                 oneOf(&s.Network.Transport, "auto", "sse", "websocket", "websocket-cached"),
		"httpProxy":                 text(&s.Network.Proxy),
		"websocketConnectTimeoutMs": timeout(&s.Network.WebSocketTimeout),
		"cacheWarming":              oneOf(&s.Network.CacheWarming, "off", "streaming", "idle"),
		"enabledModels":             list(&s.EnabledModels),
		"showCacheMissNotices":      yes(&s.CacheMissNotices),
		"defaultProjectTrust":       oneOf(&s.DefaultProjectTrust, "ask", "always", "never"),
		"treeFilterMode":            oneOf(&s.TreeFilter, "default", "no-tools", "user-only", "labeled-only", "all"),
		"sessionShareDestination":   oneOf(&s.ShareDestination, "auto", "gist", "radius"),
		"codemode": group(map[string]field{
			"mode": choice(&s.CodeMode.Only, map[string]bool{"on": false, "only": true}, "on or only"), "inlineBudget": tokens(&s.CodeMode.InlineBudget),
		}),
		"branchSummary": group(map[string]field{
			"reserveTokens": tokens(&s.BranchSummary.Reserve), "skipPrompt": yes(&s.BranchSummary.SkipPrompt),
		}),
		"markdown": group(map[string]field{
			"codeBlockIndent": text(&s.Markdown.CodeBlockIndent), "mermaid": oneOf(&s.Markdown.Mermaid, "off", "final", "streaming"),
		}),
		"npmCommand":                 list(&s.NPMCommand),
		"selfUpdateCommand":          list(&s.SelfUpdateCommand),
		"packages":                   as(`a list of sources, or of objects with a "source"`, &s.Resources.Packages),
		"extensions":                 list(&s.Resources.Extensions),
		"skills":                     list(&s.Resources.Skills),
		"prompts":                    list(&s.Resources.Prompts),
		"themes":                     list(&s.Resources.Themes),
		"enableSkillCommands":        yes(&s.SkillCommands),
		"collapseChangelog":          yes(&s.CollapseChangelog),
		"enableInstallTelemetry":     yes(&s.InstallTelemetry),
		"enableAnalytics":            yes(&s.Analytics),
		"warnings":                   group(map[string]field{"anthropicExtraUsage": yes(&s.WarnExtraUsage)}),
		"lastChangelogVersion":       text(&s.LastChangelogVersion),
		"extensionChangelogVersions": kept("an object of versions", new(map[string]string)),
		"trackingId":                 kept("a text", new(string)),
		"deviceId":                   text(&s.DeviceID),
	}
}

// userOnly are the keys that count in the user's file alone: a project must
// not trust itself, reroute requests, or say what is run to update pi.
func userOnly(key string) bool {
	switch key {
	case "cacheWarming", "defaultProjectTrust", "httpProxy", "selfUpdateCommand", "deviceId":
		return true
	}
	return false
}

// mergeTools joins the lists of tools of two files: a list of changes only
// (+name, -name) goes on from the one before it, any other replaces it.
func mergeTools(user, project []string) []string {
	for _, t := range project {
		if !strings.HasPrefix(t, "+") && !strings.HasPrefix(t, "-") {
			return project
		}
	}
	switch {
	case project == nil:
		return user
	case len(project) == 0:
		return project
	case user != nil && len(user) == 0:
		// Changes of nothing, not of the default tools.
		chosen := map[string]bool{}
		out := []string{}
		for _, t := range project {
			chosen[t[1:]] = t[0] == '+'
		}
		for _, t := range project {
			if name := t[1:]; t[0] == '+' && chosen[name] {
				out = append(out, name)
				delete(chosen, name)
			}
		}
		return out
	}
	return append(append([]string{}, user...), project...)
}

// mergeMaps puts the entries of a project's map over the user's.
func mergeMaps[V any](user, project map[string]V) map[string]V {
	if user == nil {
		return project
	}
	out := maps.Clone(user)
	maps.Copy(out, project)
	return out
}
