package cli

import (
	"context"
	"path/filepath"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// loadSettings reads the user's settings, and the project's if it is trusted.
func (p *program) loadSettings(ctx context.Context, env execenv.Env) {
	user := settings.Source{Scope: settings.User, Path: filepath.Join(p.agentDir, "settings.json")}
	p.loaded = settings.LoadAll(ctx, p.files, user)
	if v := p.trusts(ctx, env); v.Trusted {
		project := settings.Source{Scope: settings.Project, Path: filepath.Join(p.sys.Dir, trust.ConfigDir, "settings.json")}
		p.loaded = settings.LoadAll(ctx, p.files, user, project)
	} else if v.Skipped() {
		p.warn("the files of this project in %s and .agents are not used, for it is not trusted (%s); --approve uses them for this run", trust.ConfigDir, v.Reason)
	}
	p.settings = p.loaded.Settings
	for _, n := range p.loaded.Notes {
		p.warn("%s", n)
	}
}

// trusts decides about the project in a directory.
func (p *program) trusts(ctx context.Context, env execenv.Env) trust.Verdict {
	if v, ok := p.verdicts[env.Dir]; ok {
		return v
	}
	v, err := trust.Decide(ctx, trust.Request{
		Env: env, Store: trust.NewStore(filepath.Join(p.agentDir, "trust.json"), p.files),
		Override: p.args.Approve, Default: p.loaded.DefaultProjectTrust,
	})
	if err != nil {
		p.warn("%s", err)
	}
	if p.verdicts == nil {
		p.verdicts = make(map[string]trust.Verdict)
	}
	p.verdicts[env.Dir] = v
	return v
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
	return resource.Load(ctx, resource.Request{
		Env: env, AgentDir: p.agentDir, Trusted: p.trusts(ctx, env).Trusted,
		User: p.loaded.UserResources, Project: p.loaded.ProjectResources,
		Skills: paths(p.args.Skills), Prompts: paths(p.args.PromptTemplates), NoSkills: p.args.NoSkills, NoPrompts: p.args.NoPromptTemplates,
	})
}
