package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/internal/migrate"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// project is what was decided about projects in this run. Sessions ask on any
// goroutine.
type project struct {
	mu sync.Mutex
	// answers are those that were given for this run only, by real path.
	answers map[string]bool
}

func (r *project) answer(dir string) (trusted, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	trusted, ok = r.answers[dir]
	return trusted, ok
}

func (r *project) keep(dir string, trusted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers == nil {
		r.answers = make(map[string]bool)
	}
	r.answers[dir] = trusted
}

// loadSettings reads the user's settings, and the project's if it is trusted; a
// person may be asked for that.
func (p *program) loadSettings(ctx context.Context, env execenv.Env, asks bool) error {
	user := p.userSettings(ctx)
	var ask trustQuestion
	if asks && p.mode() == modeChat {
		ask = p.askTrust(user.Settings)
	}
	v, err := p.decide(ctx, env, user, ask)
	switch {
	case errors.Is(err, errNotAnswered):
		return err
	case err != nil:
		p.warn("%s", err)
	}
	if v.Skipped() {
		p.warn("the files of this project in %s and .agents are not used, for it is not trusted (%s); --approve uses them for this run", trust.ConfigDir, v.Reason)
	}
	p.loaded = user
	if v.Trusted {
		if len(v.Found) > 0 && !p.args.Completing {
			p.tell(migrate.Project(filepath.Join(p.sys.Dir, trust.ConfigDir)))
		}
		p.loaded = p.projectSettings(ctx, p.sys.Dir)
	}
	p.settings = p.loaded.Settings
	for _, n := range p.loaded.Notes {
		p.warn("%s", n)
	}
	if p.args.Verbose {
		for _, n := range p.loaded.Unknown() {
			p.warn("%s", n)
		}
	}
	return nil
}

// tell says what was done to files of older versions.
func (p *program) tell(notes []migrate.Note) {
	for _, n := range notes {
		switch {
		case n.Failed:
			p.warn("%s", n)
		case p.screen:
			p.notices = append(p.notices, n.Text)
		default:
			fmt.Fprintf(p.sys.Err, "Note: %s\n", n)
		}
	}
}

func (p *program) userSource() settings.Source {
	return settings.Source{Scope: settings.User, Path: filepath.Join(p.agentDir, "settings.json")}
}

func (p *program) userSettings(ctx context.Context) *settings.Loaded {
	return settings.LoadAll(ctx, p.files, p.userSource())
}

// projectSettings reads the settings of the user and of the project in a
// directory.
func (p *program) projectSettings(ctx context.Context, dir string) *settings.Loaded {
	return settings.LoadAll(ctx, p.files, p.userSource(),
		settings.Source{Scope: settings.Project, Path: filepath.Join(dir, trust.ConfigDir, "settings.json")})
}

// look reads the settings for a directory as they are now, without asking
// anybody.
func (p *program) look(ctx context.Context, dir string) (*settings.Loaded, trust.Verdict, error) {
	user := p.userSettings(ctx)
	env, err := execenv.Local(dir, execenv.LocalOptions{Home: p.sys.Home})
	if err != nil {
		return user, trust.Verdict{}, err
	}
	v, err := p.decide(ctx, env, user, nil)
	if v.Trusted {
		return p.projectSettings(ctx, dir), v, err
	}
	return user, v, err
}

// settingsFor is what a session in a directory works with.
func (p *program) settingsFor(ctx context.Context, dir string) settings.Settings {
	l, _, _ := p.look(ctx, dir) // what is wrong is told by who shows it
	p.newest.Store(&l.Settings)
	return l.Settings
}

// trustQuestion asks a person about a project.
type trustQuestion func(ctx context.Context, dir string, found []string) (trust.Answer, error)

// decide decides about the project in a directory. An answer for this run only
// counts until its end.
func (p *program) decide(ctx context.Context, env execenv.Env, user *settings.Loaded, ask trustQuestion) (trust.Verdict, error) {
	r := trust.Request{
		Env: env, Store: trust.NewStore(filepath.Join(p.agentDir, "trust.json"), p.files),
		Override: p.args.Approve, Default: user.DefaultProjectTrust,
	}
	if ask != nil {
		r.Ask = func(ctx context.Context, dir string, found []string) (trust.Answer, error) {
			a, err := ask(ctx, dir, found)
			if err == nil && (a == trust.AllowOnce || a == trust.Refuse) {
				p.project.keep(dir, a == trust.AllowOnce)
			}
			return a, err
		}
	}
	v, err := trust.Decide(ctx, r)
	if yes, ok := p.project.answer(v.Dir); ok && err == nil && r.Override == nil && v.Reason == trust.Undecided {
		v.Trusted, v.Reason = yes, "answered for this run"
	}
	return v, err
}

// errNotAnswered says that a person went away instead of answering.
var errNotAnswered = errors.New("the question whether this project is trusted was not answered; --approve or --no-approve answers it")

// askTrust asks on the screen, or in lines where there is none.
func (p *program) askTrust(user settings.Settings) trustQuestion {
	return func(ctx context.Context, dir string, found []string) (trust.Answer, error) {
		if p.screen {
			if p.args.Theme != "" {
				user.Terminal.Theme = p.args.Theme
			}
			a, err := interactive.AskTrust(ctx, interactive.TrustQuestion{
				Dir: dir, Found: found, Home: p.sys.Home, AgentDir: p.agentDir, Files: p.files, Settings: user.Terminal, Getenv: p.sys.Env.Lookup,
			})
			if !errors.Is(err, interactive.ErrNoTerminal) {
				return a, err
			}
		}
		return p.askTrustInLines(dir, found)
	}
}

func (p *program) askTrustInLines(dir string, found []string) (trust.Answer, error) {
	fmt.Fprintf(p.sys.Err, "Is the project in %s to be trusted? Its files can steer the agent and run commands:\n", dir)
	for _, f := range found {
		fmt.Fprintf(p.sys.Err, "  %s\n", f)
	}
	fmt.Fprint(p.sys.Err, "[y]es, [o]nce, [n]ever, anything else: not now > ")
	line, err := bufio.NewReader(oneByte{p.sys.In}).ReadString('\n')
	if err != nil && line == "" {
		return trust.Refuse, errNotAnswered
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return trust.Allow, nil
	case "o", "once":
		return trust.AllowOnce, nil
	case "n", "never":
		return trust.RefuseAlways, nil
	}
	return trust.Refuse, nil
}

// oneByte reads no more than it has to: what follows is for somebody else.
type oneByte struct{ io.Reader }

// Read reads one byte.
func (r oneByte) Read(b []byte) (int, error) {
	if len(b) > 1 {
		b = b[:1]
	}
	return r.Reader.Read(b)
}

// resources finds skills, templates and files of the prompt.
func (p *program) resources(ctx context.Context, env execenv.Env) resource.Set {
	paths := func(list []string) []string {
		out := make([]string, len(list))
		for i, name := range list {
			if name = expandHome(name, p.sys.Home); !filepath.IsAbs(name) {
				name = filepath.Join(p.sys.Dir, name)
			}
			out[i] = filepath.Clean(name)
		}
		return out
	}
	loaded, v, _ := p.look(ctx, env.Dir)
	return resource.Load(ctx, resource.Request{
		Env: env, AgentDir: p.agentDir, Trusted: v.Trusted,
		User: loaded.UserResources, Project: loaded.ProjectResources,
		Skills: paths(p.args.Skills), Prompts: paths(p.args.PromptTemplates), NoSkills: p.args.NoSkills, NoPrompts: p.args.NoPromptTemplates,
	})
}

// sessionResources are the resources of a session, which also tells what can not be
// loaded of them.
func (p *program) sessionResources(ctx context.Context, env execenv.Env) resource.Set {
	set := p.resources(ctx, env)
	p.noteScripts(&set)
	return set
}
