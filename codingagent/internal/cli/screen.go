package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/provider/radius"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/huggingface"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
	"github.com/pi-go/pi/codingagent/internal/share"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// wantsScreen reports whether to chat in a user interface of its own: unless
// lines are asked for, or the terminal can do no more.
func (p *program) wantsScreen() bool {
	name := p.sys.Env.Lookup("TERM")
	return p.mode() == modeChat && p.args.TUIMode != "line" && name != "dumb" && name != "" && !p.args.ListModels
}

// chatOnScreen chats in a user interface of its own. On a terminal that turns
// out not to be fit for one it chats in lines.
func (p *program) chatOnScreen(ctx context.Context, o codingagent.Options, prompts []codingagent.Prompt, notices []string, unconfigured bool) error {
	env, err := execenv.Local(p.sys.Dir, execenv.LocalOptions{Home: p.sys.Home})
	if err != nil {
		return err
	}
	var repo session.Repo = p.sessionDir()
	if p.args.NoSession {
		repo = session.NewMemory()
	}
	everywhere := p.everywhere
	if p.args.NoSession {
		everywhere = nil
	}
	faults := new(interactive.Faults)
	p.onFault.Store(new(faults.Report))
	defer p.onFault.Store(nil)
	rt, err := codingagent.NewRuntime(ctx, o, repo)
	if err != nil {
		p.onFault.Store(nil)
		faults.Attach(p.fault) // they may be why
		return err
	}
	for _, d := range rt.Session().Diagnostics() {
		p.warn("%s %s", d.Path, d.Message)
	}
	s := rt.Session().Session()
	if n := s.Skipped(); n > 0 {
		p.warn("%s has %d damaged lines; they were skipped and left as they are", s.Path(), n)
	}
	if unconfigured && len(notices) > 0 {
		notices = notices[:len(notices)-1] // the screen says it at length
	}
	if p.sys.Interactive != nil {
		p.sys.Interactive()
	}
	warnings := p.notices
	p.notices = nil
	var cycle []models.Choice
	if p.args.Models != nil {
		cycle = rt.Session().ScopedModels()
	}
	radiusKey := func(ctx context.Context) (auth.Resolved, error) {
		return p.models.Models.Auth(ctx, radius.ID, ai.Options{})
	}
	err = interactive.Run(ctx, interactive.Config{
		Runtime: rt, Repo: repo, Env: env, Dir: p.sys.Dir, Home: p.sys.Home, AgentDir: p.agentDir, Version: p.sys.Version,
		Settings: p.thisRun(p.settings), Getenv: p.sys.Env.Lookup, Interrupts: p.sys.Interrupts, First: prompts,
		Themes:  func(ctx context.Context) []string { return p.themeFiles(ctx, env) },
		Notices: append(warnings, notices...),
		Available: func(ctx context.Context) []*ai.Model {
			p.models.Reload(ctx) // what is wrong with the file was said at the start, or is at the next one
			return p.available(ctx)
		},
		Unconfigured: unconfigured, ChooseSession: p.args.Resume, Export: p.exportCurrent,
		Radius:    &share.Radius{Gateway: p.models.RadiusGateway(), Client: p.webClient(), Auth: radiusKey},
		Hub:       p.hub(),
		OtherDirs: p.otherDirs, Faults: faults, Cycle: cycle, Load: p.lookAgain, Everywhere: everywhere, Trust: trust.NewStore(filepath.Join(p.agentDir, "trust.json"), p.files),
		Scope: func(ctx context.Context, patterns []string) ([]models.Choice, []string) {
			return p.models.Catalog(ctx).Scope(p.available(ctx), patterns)
		},
	})
	if errors.Is(err, interactive.ErrNoTerminal) {
		p.screen = false
		p.onFault.Store(nil)
		faults.Attach(p.fault)
		for _, w := range warnings {
			p.warn("%s", w)
		}
		err = p.runMode(ctx, modeChat, rt.Session(), prompts, notices)
	}
	p.onFault.Store(nil)
	faults.Attach(p.fault) // the screen is gone
	// What was received is kept, whatever ended the run.
	return errors.Join(err, rt.Close(context.WithoutCancel(ctx)))
}

// hub is where models for llama.cpp are searched; nil when nothing but the model may be
// asked.
func (p *program) hub() *huggingface.Hub {
	if p.offline() {
		return nil
	}
	hub := huggingface.Open(p.sys.Env.Lookup, p.sys.Home)
	hub.Client = p.webClient()
	return &hub
}

// thisRun puts what the command line says over settings.
func (p *program) thisRun(s settings.Settings) settings.Settings {
	if p.args.TUIMode != "" {
		s.Terminal.Regular = p.args.TUIMode == "regular"
	}
	if p.args.Verbose {
		s.Terminal.QuietStartup = false
	}
	if p.args.Theme != "" {
		s.Terminal.Theme = p.args.Theme
	}
	return s
}

// lookAgain reads the settings for a directory, and says what is wrong with them.
func (p *program) lookAgain(ctx context.Context, dir string) (settings.Settings, trust.Verdict, []string) {
	l, v, err := p.look(ctx, dir)
	var notes []string
	if err != nil {
		notes = append(notes, err.Error())
	}
	for _, n := range l.Notes {
		notes = append(notes, n.String())
	}
	return p.thisRun(l.Settings), v, notes
}

// themeFiles lists the files of themes that the settings let be used.
func (p *program) themeFiles(ctx context.Context, env execenv.Env) []string {
	var paths []string
	for _, f := range p.resources(ctx, env).Themes {
		paths = append(paths, f.Path)
	}
	return paths
}
