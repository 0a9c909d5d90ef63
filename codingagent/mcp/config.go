package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/tools"
)

// Server is an entry of mcp.json.
type Server struct {
	Name string
	// File is the file it is in, "" for one that an extension registered.
	File string
	// Override is the project's file that changes some of it, "" if none does.
	Override string

	// Command with Args is a program to talk to over its input and output; URL is
	// one to talk to over HTTP. Exactly one is set.
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string // "" is the session's directory
	URL     string
	Headers map[string]string
	OAuth   OAuth

	// Disabled servers are listed and not connected.
	Disabled bool
	// Timeout limits a request; 0 means [DefaultTimeout].
	Timeout time.Duration
	// Exposure says how its tools reach the model; ToolExposure says so for some of
	// them, by name or by a pattern with *.
	Exposure     extension.Exposure
	ToolExposure map[string]extension.Exposure
	Description  string
}

// OAuth is how to sign in to a server. The zero value finds everything out.
type OAuth struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	ClientName   string `json:"clientName"`
	CallbackPort int    `json:"callbackPort"`
	CallbackURL  string `json:"callbackUrl"`
	Scope        string `json:"scope"`
	Registration string `json:"clientRegistration"` // "auto", "cimd" or "dcr"
	MetadataURL  string `json:"authServerMetadataUrl"`
}

// DefaultTimeout limits a request to a server that says nothing else.
const DefaultTimeout = time.Minute

// entry is what may stand in the file.
type entry struct {
	Type         string                        `json:"type"`
	Command      string                        `json:"command"`
	Args         []string                      `json:"args"`
	Env          map[string]string             `json:"env"`
	Cwd          string                        `json:"cwd"`
	URL          string                        `json:"url"`
	Headers      map[string]string             `json:"headers"`
	OAuth        OAuth                         `json:"oauth"`
	Enabled      *bool                         `json:"enabled"`
	Timeout      float64                       `json:"timeout"`
	Exposure     extension.Exposure            `json:"exposure"`
	ToolExposure map[string]extension.Exposure `json:"toolExposure"`
	Description  string                        `json:"description"`
}

// Parse reads the configuration of a server, an entry of mcp.json.
func Parse(name string, config json.RawMessage) (Server, error) {
	var e entry
	if err := extension.CheckMCPName(name); err != nil {
		return Server{}, err
	}
	if err := json.Unmarshal(config, &e); err != nil {
		return Server{}, fmt.Errorf("server %s: %w", name, wrongType(err))
	}
	s := Server{Name: name}
	return s, e.apply(&s)
}

func wrongType(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%q is a %s, and should be a %s", t.Field, t.Value, t.Type)
	}
	return err
}

// apply puts an entry into a server, and checks it.
func (e *entry) apply(s *Server) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("server %s: "+format, append([]any{s.Name}, args...)...)
	}
	switch e.Type {
	case "", "stdio", "http", "streamable-http":
	case "sse":
		return wrong(`the transport "sse" is not supported; many servers have another address for "http", often ending in /mcp`)
	default:
		return wrong("%q is no transport; there are stdio and http", e.Type)
	}
	switch {
	case e.Command != "" && e.URL != "":
		return wrong("it has a command and a url; one of them must go")
	case e.Command == "" && e.URL == "":
		return wrong("it has neither a command nor a url")
	case e.Type == "stdio" && e.Command == "", e.Type != "" && e.Type != "stdio" && e.URL == "":
		return wrong("its type is %s, which the rest does not fit", e.Type)
	case e.URL != "" && !strings.HasPrefix(e.URL, "https://") && !strings.HasPrefix(e.URL, "http://"):
		return wrong("%q is no address of a web server", e.URL)
	case e.Timeout < 0:
		return wrong("the timeout %v is negative", e.Timeout)
	}
	s.Command, s.Args, s.Env, s.Cwd, s.URL, s.Headers, s.OAuth = e.Command, e.Args, e.Env, e.Cwd, e.URL, e.Headers, e.OAuth
	s.Timeout, s.Description = time.Duration(e.Timeout*float64(time.Second)), e.Description
	return e.expose(s)
}

// expose puts what decides over the exposure into a server.
func (e *entry) expose(s *Server) error {
	if e.Enabled != nil {
		s.Disabled = !*e.Enabled
	}
	var err error
	if e.Exposure != "" {
		if s.Exposure, err = exposure(e.Exposure); err != nil {
			return fmt.Errorf("server %s: %w", s.Name, err)
		}
	}
	if len(e.ToolExposure) > 0 {
		s.ToolExposure = make(map[string]extension.Exposure, len(e.ToolExposure))
	}
	for pattern, x := range e.ToolExposure {
		if s.ToolExposure[pattern], err = exposure(x); err != nil {
			return fmt.Errorf("server %s, tool %s: %w", s.Name, pattern, err)
		}
	}
	return nil
}

func exposure(x extension.Exposure) (extension.Exposure, error) {
	switch x {
	case "codemode-deferred":
		return extension.ExposeScript, nil
	case extension.ExposeScript, extension.ExposeDeferred, extension.ExposeDirect, extension.ExposeHidden:
		return x, nil
	}
	return "", fmt.Errorf("%q is no exposure; there are codemode, deferred, direct and hidden", x)
}

// ExposureOf says how a tool of the server reaches the model: the name counts
// more than a pattern, a longer pattern more than a shorter one.
func (s *Server) ExposureOf(tool string) extension.Exposure {
	if x, ok := s.ToolExposure[tool]; ok {
		return x
	}
	patterns := slices.SortedFunc(maps.Keys(s.ToolExposure), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	for _, p := range patterns {
		if strings.Contains(p, "*") && tools.MatchName(p, tool) {
			return s.ToolExposure[p]
		}
	}
	return s.Exposure
}

// Set is what mcp.json says.
type Set struct {
	Servers []Server // sorted by name
}

// Load reads mcp.json of the user and of the project; "" is none. What is wrong
// is reported and left out. An entry of the project takes the place of the
// user's, or, without a command and a url, changes whether and how it is used.
func Load(ctx context.Context, files execenv.ConfigReader, user, project string) (Set, []error) {
	var set Set
	var faults []error
	for _, file := range []string{user, project} {
		if file == "" {
			continue
		}
		entries, err := read(ctx, files, file)
		if err != nil {
			faults = append(faults, err)
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if err := set.add(file, name, entries[name], file == project); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w; it is left out", file, err))
			}
		}
	}
	slices.SortFunc(set.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return set, faults
}

func read(ctx context.Context, files execenv.ConfigReader, file string) (map[string]json.RawMessage, error) {
	data, err := execenv.ReadConfig(ctx, files, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read MCP servers: %w", err)
	}
	var doc struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	return doc.Servers, jsonobj.Decode(file, data, jsonobj.Strict, &doc)
}

// Has reports whether a file has an entry of a name, be it right or wrong.
func Has(ctx context.Context, files execenv.ConfigReader, file, name string) (bool, error) {
	entries, err := read(ctx, files, file)
	return entries[name] != nil, err
}

// add puts an entry into the set.
func (set *Set) add(file, name string, config json.RawMessage, project bool) error {
	var e entry
	if err := json.Unmarshal(config, &e); err != nil {
		return fmt.Errorf("server %s: %w", name, wrongType(err))
	}
	at := slices.IndexFunc(set.Servers, func(s Server) bool { return extension.SameMCPName(s.Name, name) })
	if project && at >= 0 && e.Command == "" && e.URL == "" && e.Type == "" {
		set.Servers[at].Override = file
		return e.expose(&set.Servers[at])
	}
	if at >= 0 && set.Servers[at].File == file {
		return fmt.Errorf("server %s: there is one called %s, which is the same", name, set.Servers[at].Name)
	}
	if err := extension.CheckMCPName(name); err != nil {
		return err
	}
	s := Server{Name: name, File: file}
	if err := e.apply(&s); err != nil {
		return err
	}
	if at >= 0 {
		set.Servers[at] = s
	} else {
		set.Servers = append(set.Servers, s)
	}
	return nil
}

// Change changes the entry of a server in a file, under its lock; all else in it
// stays as it is. nil removes the entry.
func Change(ctx context.Context, file, name string, entry any) error {
	return ChangeField(ctx, file, name, "", entry)
}

// ChangeField changes one field of the entry of a server, or for "" all of it.
func ChangeField(ctx context.Context, file, name, field string, value any) error {
	at := []string{"mcpServers", name}
	if field != "" {
		at = append(at, field)
	}
	return lockfile.Update(ctx, file, lockfile.Options{}, func(old []byte) ([]byte, error) {
		doc, err := jsonobj.Open(file, old, jsonobj.Strict)
		if err != nil {
			return nil, err
		}
		if value == nil {
			_, err = doc.Delete(at...)
		} else {
			err = doc.Set(value, at...)
		}
		if err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
}
