package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Scope says whose file a value is from.
type Scope string

// The scopes, the weaker first.
const (
	Default Scope = "default"
	User    Scope = "user"
	Project Scope = "project"
)

// Source is a settings file.
type Source struct {
	Scope Scope
	Path  string
}

// Value is a value of a key, as one file says it.
type Value struct {
	Source
	// Key is the whole name, such as "retry.maxRetries".
	Key  string
	JSON json.RawMessage
	// Used says that it took effect; a value of the wrong kind does not.
	Used bool
}

// Loaded is what files say, put together.
type Loaded struct {
	Settings
	// User and Project are the resource lists of each file by itself.
	UserResources, ProjectResources Resources
	// Values are all values in the files, those of unknown keys included, in
	// the order of the files.
	Values []Value
	Notes  []Diagnostic
}

// LoadAll reads settings files, a later one over an earlier one: objects are
// merged, anything else is replaced. Files that are not there are empty. Give
// the file of a project only if the project is trusted.
func LoadAll(ctx context.Context, files execenv.ConfigReader, sources ...Source) *Loaded {
	l := &Loaded{Settings: Defaults()}
	for _, src := range sources {
		doc := l.read(ctx, files, src)
		if doc == nil {
			continue
		}
		before := l.Settings
		l.Settings.DefaultTools, l.Settings.ModelThinkingLevels, l.Settings.Compaction.Models = nil, nil, nil
		l.Settings.Resources = Resources{}
		r := reader{path: src.Path, project: src.Scope == Project}
		r.object("", doc.Bytes(), l.Settings.fields(&r))
		for _, v := range r.values {
			l.Values = append(l.Values, Value{Source: src, Key: v.key, JSON: v.json, Used: v.used})
		}
		l.Notes = append(l.Notes, r.notes...)
		s := &l.Settings
		if src.Scope == Project {
			l.ProjectResources, s.ProjectThinkingLevels = s.Resources, s.ModelThinkingLevels
		} else {
			l.UserResources, s.UserThinkingLevels = s.Resources, s.ModelThinkingLevels
		}
		s.DefaultTools = mergeTools(before.DefaultTools, s.DefaultTools)
		s.ModelThinkingLevels = mergeMaps(before.ModelThinkingLevels, s.ModelThinkingLevels)
		s.Compaction.Models = mergeMaps(before.Compaction.Models, s.Compaction.Models)
	}
	return l
}

// OwnThinking replaces the levels of models in the user's file; those of a project still
// come first.
func (s *Settings) OwnThinking(levels map[string]ai.ThinkingLevel) {
	s.UserThinkingLevels = levels
	s.ModelThinkingLevels = mergeMaps(levels, s.ProjectThinkingLevels)
}

// read opens one file, brought up to date; nil if there is nothing in it.
func (l *Loaded) read(ctx context.Context, files execenv.ConfigReader, src Source) *jsonobj.Document {
	note := func(format string, args ...any) {
		l.Notes = append(l.Notes, Diagnostic{src.Path, fmt.Sprintf(format, args...)})
	}
	data, err := execenv.ReadConfig(ctx, files, src.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		note("can not be read, so it does not count: %v", err)
		return nil
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if err := check(text); err != nil {
		note("%v; defaults are used, and the file is left as it is", err)
		return nil
	}
	doc, err := jsonobj.Open(src.Path, []byte(text), jsonobj.Strict)
	if err == nil {
		err = migrate(doc)
	}
	if err != nil {
		note("%v; defaults are used, and the file is left as it is", err)
		return nil
	}
	return doc
}

// migrate renames what older versions wrote.
func migrate(doc *jsonobj.Document) error {
	move := func(from, to []string, convert func(json.RawMessage) any) error {
		v, ok := doc.Get(from...)
		if !ok {
			return nil
		}
		if _, have := doc.Get(to...); !have {
			if value := convert(v); value != nil {
				if err := doc.Set(value, to...); err != nil {
					return err
				}
			}
		}
		_, err := doc.Delete(from...)
		return err
	}
	same := func(v json.RawMessage) any { return v }
	if err := move([]string{"queueMode"}, []string{"steeringMode"}, same); err != nil {
		return err
	}
	err := move([]string{"websockets"}, []string{"transport"}, func(v json.RawMessage) any {
		switch string(v) {
		case "true":
			return "websocket"
		case "false":
			return "sse"
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r, ok := doc.Get("retry"); ok && len(r) > 0 && r[0] == '{' {
		if err := move([]string{"retry", "maxDelayMs"}, []string{"retry", "provider", "maxRetryDelayMs"}, same); err != nil {
			return err
		}
	}
	return migrateSkills(doc)
}

// migrateSkills turns the object that "skills" once was into a list.
func migrateSkills(doc *jsonobj.Document) error {
	raw, ok := doc.Get("skills")
	if !ok || len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var old struct {
		Enable *bool    `json:"enableSkillCommands"`
		Dirs   []string `json:"customDirectories"`
	}
	if json.Unmarshal(raw, &old) != nil {
		return nil // the reader says what is wrong with it
	}
	if _, have := doc.Get("enableSkillCommands"); !have && old.Enable != nil {
		if err := doc.Set(*old.Enable, "enableSkillCommands"); err != nil {
			return err
		}
	}
	if len(old.Dirs) == 0 {
		_, err := doc.Delete("skills")
		return err
	}
	return doc.Set(old.Dirs, "skills")
}
