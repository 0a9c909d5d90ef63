package trust

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore/execenv"
)

// ConfigDir is the directory of a project's own files.
const ConfigDir = ".pi"

// steering are the names in ConfigDir that steer the agent. What is in commands
// becomes prompts once the project is trusted.
var steering = [...]string{"settings.json", "mcp.json", "extensions", "skills", "prompts", "commands", "themes", "SYSTEM.md", "APPEND_SYSTEM.md"}

// Found lists the files and directories of the project that would steer the
// agent: those in .pi of env.Dir, and .agents/skills there and above, up to
// the root of the repository. What belongs to the user (in env.Home) is not
// among them.
func Found(ctx context.Context, env execenv.Env) []string {
	var found []string
	exists := func(path string) {
		// A link that leads nowhere counts: it may lead somewhere later.
		if _, err := env.FS.Lstat(ctx, path); err == nil {
			found = append(found, path)
		}
	}
	for _, name := range steering {
		exists(env.Join(env.Dir, ConfigDir, name))
	}
	for _, dir := range SkillDirs(ctx, env) {
		exists(dir)
	}
	return found
}

// SkillDirs lists the places of .agents/skills that belong to the project, the
// nearest first, whether or not they are there.
func SkillDirs(ctx context.Context, env execenv.Env) []string {
	var dirs []string
	for dir := env.Clean(env.Dir); ; {
		if env.Home == "" || dir != env.Clean(env.Home) {
			dirs = append(dirs, env.Join(dir, ".agents", "skills"))
		}
		if _, err := env.FS.Lstat(ctx, env.Join(dir, ".git")); err == nil {
			return dirs
		}
		parent := env.ParentDir(dir)
		if parent == dir {
			return dirs
		}
		dir = parent
	}
}

// Answer is what a person says when asked.
type Answer int

// The answers. The zero value is a refusal that is not kept.
const (
	Refuse Answer = iota // not this time
	RefuseAlways
	AllowOnce
	Allow
	AllowParent // the directory above, with all in it
)

// Request asks about the project in Env.Dir.
type Request struct {
	Env   execenv.Env
	Store *Store
	// Override is the answer of the command line, nil if it gives none.
	Override *bool
	// Default is the user's setting: "ask", "always" or "never".
	Default string
	// Ask asks a person; nil means that there is nobody to ask.
	Ask func(ctx context.Context, dir string, found []string) (Answer, error)
}

// Verdict says whether the project is trusted, and why.
type Verdict struct {
	Trusted bool
	// Dir is the project's real path.
	Dir string
	// Found is what would steer the agent; nothing, if there is none.
	Found []string
	// Reason tells why, for people.
	Reason string
}

// Undecided is the reason of a verdict when there was nobody to ask.
const Undecided = "nobody has decided yet"

// Skipped reports whether something is left out for lack of trust.
func (v Verdict) Skipped() bool { return !v.Trusted && len(v.Found) > 0 }

// Decide finds out whether the project is trusted: by the command line, the
// nearest stored decision, the user's default, a person; otherwise it is not.
// On an error it is not trusted either.
func Decide(ctx context.Context, r Request) (Verdict, error) {
	v := Verdict{Found: Found(ctx, r.Env)}
	var err error
	if v.Dir, err = r.Env.FS.RealPath(ctx, r.Env.Dir); err != nil {
		return v, fmt.Errorf("find out whether %s is trusted: %w", r.Env.Dir, err)
	}
	if r.Override != nil {
		v.Trusted, v.Reason = *r.Override, "the command line says so"
		return v, nil
	}
	d, stored, err := r.Store.Nearest(ctx, v.Dir)
	switch {
	case err != nil:
		v.Reason = "the stored decisions can not be read"
		return v, err
	case stored:
		v.Trusted, v.Reason = d.Trusted, "decided for "+d.Dir
		return v, nil
	case len(v.Found) == 0:
		v.Trusted, v.Reason = true, "there is nothing to trust"
		return v, nil
	case r.Default == "always", r.Default == "never":
		v.Trusted, v.Reason = r.Default == "always", "the setting defaultProjectTrust says so"
		return v, nil
	case r.Ask == nil:
		v.Reason = Undecided
		return v, nil
	}
	answer, err := r.Ask(ctx, v.Dir, v.Found)
	if err != nil {
		return v, err
	}
	v.Trusted, v.Reason = answer >= AllowOnce, "answered just now"
	return v, r.keep(ctx, v.Dir, answer)
}

// keep stores an answer that is meant to last.
func (r Request) keep(ctx context.Context, dir string, a Answer) error {
	switch a {
	case Allow, RefuseAlways:
		return r.Store.Trust(ctx, dir, a == Allow)
	case AllowParent:
		return r.Store.TrustParent(ctx, dir)
	}
	return nil
}
