package cli

import (
	"context"
	"errors"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
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
	rt, err := codingagent.NewRuntime(ctx, o, repo)
	if err != nil {
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
	set := p.settings
	if p.args.TUIMode != "" {
		set.Terminal.Regular = p.args.TUIMode == "regular"
	}
	if p.args.Theme != "" {
		set.Terminal.Theme = p.args.Theme
	}
	if p.sys.Interactive != nil {
		p.sys.Interactive()
	}
	warnings := p.notices
	p.notices = nil
	err = interactive.Run(ctx, interactive.Config{
		Runtime: rt, Repo: repo, Env: env, Dir: p.sys.Dir, Home: p.sys.Home, AgentDir: p.agentDir, Version: p.sys.Version,
		Settings: set, Getenv: p.sys.Env.Lookup, Interrupts: p.sys.Interrupts, First: prompts,
		Notices:      append(warnings, notices...),
		Available:    func(ctx context.Context) []*ai.Model { return p.available(ctx) },
		Unconfigured: unconfigured, ChooseSession: p.args.Resume, Export: p.exportCurrent,
	})
	if errors.Is(err, interactive.ErrNoTerminal) {
		p.screen = false
		for _, w := range warnings {
			p.warn("%s", w)
		}
		err = p.runMode(ctx, modeChat, rt.Session(), prompts, notices)
	}
	// What was received is kept, whatever ended the run.
	return errors.Join(err, rt.Close(context.WithoutCancel(ctx)))
}
