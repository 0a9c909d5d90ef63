package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/settings"
)

// Installed is what was installed or updated.
type Installed struct {
	Source Source
	Dir    string
	// From and To are versions or commits; From is "" if there was none, and both
	// are if they are not known.
	From, To string
	// Notes tell what a person may want to know: scripts that were not run.
	Notes []string
}

// Install fetches a package and names it in the settings of the scope. A source of
// the same package that is there is replaced and keeps its filters. A relative
// path is relative to the project's directory.
func (m *Manager) Install(ctx context.Context, scope settings.Scope, text string) (Installed, error) {
	s, err := Parse(text)
	if err != nil {
		return Installed{}, err
	}
	if err := m.allowed(scope); err != nil {
		return Installed{}, err
	}
	var done Installed
	stored := s
	if s.Kind == Local {
		if done, err = m.checkLocal(s); err == nil {
			stored, err = m.relative(scope, done.Dir)
		}
	} else {
		done, err = m.fetch(ctx, m.base(scope), s)
	}
	if err != nil {
		return Installed{}, fmt.Errorf("install %s: %w", s.Text, err)
	}
	if err := m.record(ctx, scope, stored); err != nil {
		return Installed{}, fmt.Errorf("%s is installed, but not named in the settings: %w", s.Text, err)
	}
	return done, nil
}

// checkLocal sees to it that a local source is there.
func (m *Manager) checkLocal(s Source) (Installed, error) {
	path := s.local(m.o.Dir, m.o.Home)
	if _, err := os.Stat(path); err != nil {
		if !strings.ContainsAny(s.Text, `/\.~`) || strings.HasPrefix(s.Text, "@") {
			return Installed{}, fmt.Errorf("there is no %s; a package of npm is written npm:%s", path, s.Text)
		}
		return Installed{}, fmt.Errorf("there is no %s", path)
	}
	return Installed{Source: s, Dir: path, To: installedVersion(path)}, nil
}

// relative gives the source of a path as it is stored: relative to the settings.
func (m *Manager) relative(scope settings.Scope, path string) (Source, error) {
	if rel, err := filepath.Rel(m.base(scope), path); err == nil {
		path = filepath.ToSlash(rel)
	}
	if s, err := Parse(path); err != nil || s.Kind != Local {
		path = "./" + path // what has a colon
	}
	return Parse(path)
}

// fetch installs a package below a base directory.
func (m *Manager) fetch(ctx context.Context, base string, s Source) (done Installed, err error) {
	done = Installed{Source: s, Dir: s.Dir(base, m.o.Home)}
	done.From = m.current(ctx, s, done.Dir)
	switch s.Kind {
	case NPM:
		done.Notes, err = m.fetchNPM(ctx, filepath.Join(base, "npm"), s)
	case Git:
		done.Notes, err = m.fetchGit(ctx, filepath.Join(base, "git"), s)
	}
	done.To = m.current(ctx, s, done.Dir)
	return done, err
}

// current tells which version or commit is installed, "" if none is.
func (m *Manager) current(ctx context.Context, s Source, dir string) string {
	switch {
	case !exists(dir):
		return ""
	case s.Kind == Git:
		return m.head(ctx, dir)
	}
	return installedVersion(dir)
}

// record names a source in the settings.
func (m *Manager) record(ctx context.Context, scope settings.Scope, s Source) error {
	base := m.base(scope)
	id := s.Identity(base, m.o.Home)
	return settings.UpdateList(ctx, m.settingsFile(scope), "packages", func(items []json.RawMessage) ([]json.RawMessage, error) {
		text, err := json.Marshal(s.Text)
		if err != nil {
			return nil, err
		}
		for i, raw := range items {
			if m.identity(raw, base) != id {
				continue
			}
			if items[i], err = withSource(raw, text); err != nil {
				return nil, err
			}
			return items, nil
		}
		return append(items, text), nil
	})
}

// identity gives the identity of an entry of the settings, "" if it names nothing.
func (m *Manager) identity(raw json.RawMessage, base string) string {
	var p settings.Package
	if json.Unmarshal(raw, &p) != nil {
		return ""
	}
	s, err := Parse(p.Source)
	if err != nil {
		return "text:" + p.Source
	}
	return s.Identity(base, m.o.Home)
}

// withSource changes the source of an entry and nothing else of it.
func withSource(raw, source json.RawMessage) (json.RawMessage, error) {
	if len(raw) > 0 && raw[0] == '"' {
		return source, nil
	}
	return setKey(raw, "source", source)
}

// Remove takes a package out of the settings of the scope and removes its files; a
// local package stays where it is. ErrNotConfigured says that the settings do not
// name it.
func (m *Manager) Remove(ctx context.Context, scope settings.Scope, text string) error {
	if err := m.allowed(scope); err != nil {
		return err
	}
	base := m.base(scope)
	ids := m.meant(text, base)
	var gone []Source
	err := settings.UpdateList(ctx, m.settingsFile(scope), "packages", func(items []json.RawMessage) ([]json.RawMessage, error) {
		var kept []json.RawMessage
		for _, raw := range items {
			id := m.identity(raw, base)
			if id == "" || !ids[id] {
				kept = append(kept, raw)
				continue
			}
			var p settings.Package
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, err
			}
			if s, err := Parse(p.Source); err == nil {
				gone = append(gone, s)
			}
		}
		if len(kept) == len(items) {
			return nil, m.notConfigured(text, m.Entries(scope, decodeAll(items)))
		}
		return kept, nil
	})
	if err != nil {
		return err
	}
	for _, s := range gone {
		switch s.Kind {
		case NPM:
			err = m.dropNPM(ctx, filepath.Join(base, "npm"), s)
		case Git:
			err = m.dropGit(ctx, filepath.Join(base, "git"), s)
		}
		if err != nil {
			return fmt.Errorf("%s is out of the settings, but its files are not removed: %w", s.Text, err)
		}
	}
	return nil
}

func decodeAll(items []json.RawMessage) []settings.Package {
	var out []settings.Package
	for _, raw := range items {
		var p settings.Package
		if json.Unmarshal(raw, &p) == nil {
			out = append(out, p)
		}
	}
	return out
}

// meant gives the identities that a text on the command line can stand for. A path
// is relative to the project, or as the settings have it.
func (m *Manager) meant(text, base string) map[string]bool {
	ids := map[string]bool{"text:" + text: true}
	if s, err := Parse(text); err == nil {
		ids[s.Identity(base, m.o.Home)] = true
		ids[s.Identity(m.o.Dir, m.o.Home)] = true
	}
	return ids
}

// notConfigured names a package that may have been meant.
func (m *Manager) notConfigured(text string, entries []Entry) error {
	var known []string
	for _, e := range entries {
		s := e.Source
		if text == s.Name || s.Kind == Git && (text == s.Path || text == s.Host+"/"+s.Path) {
			return fmt.Errorf("%w found for %s; did you mean %s?", ErrNotConfigured, text, s.Text)
		}
		known = append(known, e.Settings.Source)
	}
	if near := ai.Nearest(text, known, 1); len(near) > 0 {
		return fmt.Errorf("%w found for %s; did you mean %s?", ErrNotConfigured, text, near[0])
	}
	return fmt.Errorf("%w found for %s; pi list shows those that are configured", ErrNotConfigured, text)
}

// Update brings packages up to date, those of text, or all if that is "". What a
// source pins stays, but is installed if it is not there. A package that can not be
// updated does not stop the others; the error is of all that failed.
func (m *Manager) Update(ctx context.Context, text string) (changed []Installed, err error) {
	all := m.List(ctx)
	var errs []error
	found := false
	for _, e := range all {
		if text != "" && (e.Err != nil || !m.meant(text, m.base(e.Scope))[e.Source.Identity(m.base(e.Scope), m.o.Home)]) {
			continue
		}
		found = true
		if e.Err != nil {
			errs = append(errs, e.Err)
			continue
		}
		done, did, err := m.update(ctx, e)
		if err != nil {
			errs = append(errs, fmt.Errorf("update %s: %w", e.Source.Text, err))
		} else if did {
			changed = append(changed, done)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if text != "" && !found {
		return nil, m.notConfigured(text, all)
	}
	return changed, errors.Join(errs...)
}

func (m *Manager) update(ctx context.Context, e Entry) (done Installed, did bool, err error) {
	if e.Source.Kind == Local {
		return done, false, nil
	}
	if m.o.Offline {
		return done, false, ErrOffline
	}
	stale, err := m.stale(ctx, e.Source, e.Dir)
	if err != nil || !stale {
		return done, false, err
	}
	m.say("Updating %s...", e.Source.Text)
	done, err = m.fetch(ctx, m.base(e.Scope), e.Source)
	return done, done.From != done.To || done.From == "", err
}

// stale reports whether what is installed is not what the source names now.
func (m *Manager) stale(ctx context.Context, s Source, dir string) (bool, error) {
	have := m.current(ctx, s, dir)
	if have == "" {
		return true, nil
	}
	switch s.Kind {
	case NPM:
		if v, exact := s.spec().Exact(); exact {
			return v.String() != have, nil
		}
		if len(m.o.NPMCommand) > 0 {
			return true, nil // it finds out itself
		}
		r, _, err := m.npmFor(ctx, dir) // it fetches nothing here
		if err != nil {
			return false, err
		}
		man, err := r.Pick(ctx, s.spec())
		return err == nil && man.Version != have, err
	case Git:
		want, err := m.remoteHead(ctx, dir, s)
		if want == "" && err == nil {
			return !strings.HasPrefix(have, s.Ref), nil // the beginning of a commit's name
		}
		return err == nil && want != have, err
	}
	return false, nil
}

// Ensure installs the packages that the settings name and that are not there. The
// errors are those of single packages; the others are installed.
func (m *Manager) Ensure(ctx context.Context) (done []Installed, errs []error) {
	for _, e := range m.List(ctx) {
		if e.Err != nil || e.Installed || e.Source.Kind == Local {
			continue // a source that is wrong is reported where its resources are looked for
		}
		if m.o.Offline {
			errs = append(errs, fmt.Errorf("the package %s is not installed: %w", e.Source.Text, ErrOffline))
			continue
		}
		m.say("Installing %s...", e.Source.Text)
		d, err := m.fetch(ctx, m.base(e.Scope), e.Source)
		if err != nil {
			errs = append(errs, fmt.Errorf("install %s: %w; its resources are left out", e.Source.Text, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		done = append(done, d)
	}
	return done, errs
}
