package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/demo"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/sessiondir"
	"github.com/pi-go/pi/codingagent/settings"
)

// chooseModel resolves --model; the zero choice means that none was named.
func (p *program) chooseModel(ctx context.Context) (models.Choice, error) {
	var c models.Choice
	if p.args.Model != "" {
		var err error
		if c, err = p.catalog(ctx).Resolve(p.args.Model, p.args.Provider); err != nil {
			return c, err
		}
	}
	if p.args.Thinking != "" {
		c.Thinking = ai.ThinkingLevel(p.args.Thinking)
	}
	if p.args.APIKey != "" && c.Model == nil {
		return c, errors.New("--api-key needs --model, to know whose key it is")
	}
	return c, nil
}

// catalog is what --model is resolved against. A key on the command line
// makes every provider as good as configured.
func (p *program) catalog(ctx context.Context) models.Catalog {
	c := p.models.Catalog(ctx)
	if p.args.APIKey != "" {
		c.Configured = nil
	}
	return c
}

// scope gives the models of --models, or else of the setting enabledModels.
func (p *program) scope(ctx context.Context) []models.Choice {
	patterns, from := p.settings.EnabledModels, "The setting enabledModels"
	if p.args.Models != nil {
		patterns, from = p.args.Models, "--models"
	}
	scope, warnings := p.models.Catalog(ctx).Scope(p.available(ctx), patterns)
	for _, w := range warnings {
		p.warn("%s: %s", from, w)
	}
	return scope
}

// fresh reports whether nothing was said in a session yet.
func fresh(s *session.Session) bool {
	return !slices.ContainsFunc(s.Stubs(), func(st session.Stub) bool { return st.Type == session.TypeMessage })
}

// modelFor gives the model to begin with: the one that was named, for a new
// session one of the scope, the session's, the saved one, the first that is
// available; in a chat the demo model when there is none. named.Thinking becomes the
// level that the scope has for it, unless one was named.
func (p *program) modelFor(ctx context.Context, s *session.Session, named *models.Choice, scope []models.Choice, m mode) (*ai.Model, []string, error) {
	if named.Model != nil {
		return named.Model, nil, nil
	}
	if first, ok := models.Start(scope, p.settings.DefaultProvider, p.settings.DefaultModel); ok && fresh(s) {
		named.Thinking = cmp.Or(named.Thinking, first.Thinking)
		return first.Model, nil, nil
	}
	available := p.available(ctx)
	have, err := s.Restore(ctx, func(ref session.ModelRef) bool { return p.models.IsVirtual(ref.Provider, ref.ModelID) })
	if err != nil {
		return nil, nil, err
	}
	var notices []string
	if have.Model != nil {
		if model := p.restored(ctx, *have.Model); model != nil {
			return model, nil, nil
		}
		notices = append(notices, fmt.Sprintf("The session's model %s/%s can not be used now.", have.Model.Provider, have.Model.ModelID))
	}
	if model := models.Default(available, p.settings.DefaultProvider, p.settings.DefaultModel); model != nil {
		if wanted := p.settings.DefaultModel; wanted != "" && len(notices) == 0 {
			switch {
			case p.settings.DefaultProvider == "":
				notices = append(notices, fmt.Sprintf("The setting defaultModel (%s) needs a defaultProvider beside it.", wanted))
			case model.Provider != p.settings.DefaultProvider || model.ID != wanted:
				notices = append(notices, fmt.Sprintf("The default model %s/%s can not be used now.", p.settings.DefaultProvider, wanted))
			}
		}
		if len(notices) > 0 {
			notices[0] += " Going on with " + model.Ref() + "."
			if m != modeChat { // a chat shows the notices
				p.warn("%s", notices[0])
			}
		}
		return model, notices, nil
	}
	switch m {
	case modeRPC:
		return nil, notices, nil // a client can still choose one
	case modePrint, modeJSON:
		return nil, nil, p.noModel(ctx)
	}
	if ids := p.models.Keyless(ctx); len(ids) > 0 {
		p.warn(`models.json describes %s, but gives no "apiKey"; add one, any text if the server wants no key`, strings.Join(ids, " and "))
	}
	guide, err := p.models.Models.Model(demo.ProviderID, demo.ModelID)
	if err != nil {
		return nil, nil, err
	}
	return guide, append(notices, "No key or local model is configured, so this is demo/guide, a built-in helper that is no language model; say help to see how to connect one."), nil
}

// restored gives a session's model if it can be used.
func (p *program) restored(ctx context.Context, ref session.ModelRef) *ai.Model {
	model, err := p.models.Models.Model(ref.Provider, ref.ModelID)
	if err != nil {
		return nil
	}
	status, err := p.models.Models.CheckAuth(ctx, ref.Provider)
	if err != nil || !status.Configured() {
		return nil
	}
	return model
}

// available lists the models that can be used; the demo is not among them, so
// that nobody gets its answer without having asked for it.
func (p *program) available(ctx context.Context) []*ai.Model {
	var list []*ai.Model
	for _, m := range p.models.Models.Available(ctx) {
		if m.Provider != demo.ProviderID {
			list = append(list, m)
		}
	}
	return list
}

// noModel says how to get a model.
func (p *program) noModel(ctx context.Context) error {
	file := filepath.Join(p.agentDir, "models.json")
	local := "describe a local server in " + file
	if ids := p.models.Keyless(ctx); len(ids) > 0 {
		local = fmt.Sprintf(`give %s an "apiKey" in %s, any text if the server wants no key`, strings.Join(ids, " and "), file)
	}
	return fmt.Errorf(`no model is available. Do one of these:
  - set a key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY
  - sign in, or store a key: pi auth login PROVIDER
  - %s
  - use the built-in demo: --model demo/guide`, local)
}

// extraUsage says that what is about to be done with a subscription may be billed.
func (p *program) extraUsage(ctx context.Context, m *ai.Model) []string {
	if m == nil || m.Provider != "anthropic" || !p.settings.WarnExtraUsage {
		return nil
	}
	if status, err := p.models.Models.CheckAuth(ctx, m.Provider); err != nil || !status.OAuth {
		return nil
	}
	return []string{"Anthropic counts what programs other than its own use of a subscription as extra usage, which it may bill. " +
		`"warnings": {"anthropicExtraUsage": false} in the settings leaves this out.`}
}

// sessionDir is where the sessions of the directory are kept.
func (p *program) sessionDir() *session.Dir { return p.sessionDirOf(p.sys.Dir, p.settings) }

func (p *program) sessionDirOf(dir string, set settings.Settings) *session.Dir {
	return session.NewDir(sessiondir.Resolve(p.args.SessionDir, p.sys.Env, set.SessionDir, p.agentDir, dir, p.sys.Home).Dir)
}

// sessionsOf gives where the sessions of another directory are kept.
func (p *program) sessionsOf(ctx context.Context, dir string) session.Repo {
	return p.sessionDirOf(dir, p.settingsFor(ctx, dir))
}

// repo is where sessions are kept.
func (p *program) repo() session.Repo {
	if p.args.NoSession {
		return session.NewMemory()
	}
	return p.sessionDir()
}

// openSession opens the conversation that the options name.
func (p *program) openSession(ctx context.Context, repo session.Repo) (*session.Session, error) {
	header := session.Header{Cwd: p.sys.Dir, ID: p.args.SessionID}
	options := p.sessionOptions()
	dir, ok := repo.(*session.Dir)
	if !ok {
		return session.Create(ctx, repo, header, options)
	}
	switch {
	case p.args.Resume && p.screen:
		return session.Create(ctx, dir, header, options)
	case p.args.Resume:
		return nil, errors.New("--resume chooses from a list on the screen; here name a session with --session (pi sessions list shows them), or go on with the newest by --continue")
	case p.args.Fork != "":
		return p.forkSession(ctx, dir, header)
	case p.args.Continue:
		info, err := dir.Latest(ctx, p.sys.Dir)
		if errors.Is(err, session.ErrNotFound) {
			return session.Create(ctx, dir, header, options)
		}
		if err != nil {
			return nil, fmt.Errorf("find the newest session: %w", err)
		}
		return session.Open(ctx, dir, info.Ref, options)
	case p.args.Session != "":
		return p.namedSession(ctx, dir, header)
	case p.args.SessionID != "":
		s, err := session.Open(ctx, dir, p.args.SessionID, options)
		switch {
		case errors.Is(err, session.ErrNotFound):
			return session.Create(ctx, dir, header, options)
		case err == nil && s.ID() != p.args.SessionID: // it was a prefix only
			if err := s.Close(); err != nil {
				return nil, err
			}
			return session.Create(ctx, dir, header, options)
		}
		return s, err
	}
	return session.Create(ctx, dir, header, options)
}

// forkSession copies --fork into a new session of this directory.
func (p *program) forkSession(ctx context.Context, dir *session.Dir, header session.Header) (_ *session.Session, err error) {
	ref := p.sessionRef(p.args.Fork)
	st, err := dir.Open(ctx, ref, session.ReadOnly)
	if errors.Is(err, session.ErrNotFound) {
		if there := p.sessionElsewhere(ctx, ref); there.Ref != "" {
			st, err = dir.Open(ctx, there.Ref, session.ReadOnly)
		}
	}
	if err != nil {
		return nil, p.sessionError(ctx, p.args.Fork, err)
	}
	src, err := session.Load(ctx, st, p.sessionOptions())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return session.Fork(ctx, src, dir, session.ForkOptions{Header: header, Options: p.sessionOptions()})
}

// namedSession opens --session: a path, or an id or the beginning of one.
func (p *program) namedSession(ctx context.Context, dir *session.Dir, header session.Header) (*session.Session, error) {
	ref := p.args.Session
	options := p.sessionOptions()
	if strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".jsonl") {
		path := expandHome(ref, p.sys.Home)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.sys.Dir, path)
		}
		if _, err := p.files.Stat(ctx, path); errors.Is(err, os.ErrNotExist) {
			return codingagent.NewAt(path)(ctx, header, options)
		}
		storage, err := session.OpenFile(ctx, path, session.ReadWrite, header)
		if err != nil {
			return nil, err
		}
		return session.Load(ctx, storage, options)
	}
	s, err := session.Open(ctx, dir, ref, options)
	if !errors.Is(err, session.ErrNotFound) {
		return s, err
	}
	if elsewhere := p.sessionElsewhere(ctx, ref); elsewhere.Ref != "" {
		return nil, fmt.Errorf("session %s belongs to %s: run pi there, or name the file: --session %s", elsewhere.ID, elsewhere.Cwd, elsewhere.Ref)
	}
	return nil, fmt.Errorf("no session matches %q", ref)
}

// sessionElsewhere looks for an id in the directories of other projects.
func (p *program) sessionElsewhere(ctx context.Context, ref string) session.Info {
	root := filepath.Join(p.agentDir, "sessions")
	entries, err := p.files.ReadDir(ctx, root)
	if err != nil {
		return session.Info{}
	}
	for _, e := range entries {
		path, err := session.NewDir(filepath.Join(root, e.Name())).Find(ctx, ref)
		if err != nil {
			continue
		}
		for info, err := range session.ListFiles(ctx, []string{path}, session.ListOptions{}) {
			if err == nil {
				return info
			}
		}
	}
	return session.Info{}
}

func (p *program) sessionOptions() session.Options {
	return session.Options{Codec: sessionCodec()}
}
