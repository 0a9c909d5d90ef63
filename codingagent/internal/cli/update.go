package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// programPackage is what go install takes to make pi.
const programPackage = "github.com/pi-go/pi/codingagent/cmd/pi"

// runUpdate is pi update.
func (p *program) runUpdate(ctx context.Context, words []string) error {
	a := p.args.Packages
	self, all, only, err := updateTargets(a, words)
	if err != nil {
		return err
	}
	var errs []error
	if a.Catalogs {
		return p.updateModels(ctx)
	}
	if all || only != "" {
		errs = append(errs, p.updatePackages(ctx, only))
	}
	switch {
	case self:
		errs = append(errs, p.updateSelf(ctx))
	case only == "" && !a.Extensions:
		p.say("pi itself is updated by what installed it; pi update self runs the command of the setting selfUpdateCommand.")
	}
	return errors.Join(errs...)
}

// updateTargets finds out what is to be updated: pi itself, all packages, or one.
func updateTargets(a packageArgs, words []string) (self, all bool, only string, err error) {
	word := strings.Join(words, " ")
	isSelf := word == "self" || word == "pi"
	given := func(what ...bool) int {
		n := 0
		for _, w := range what {
			if w {
				n++
			}
		}
		return n
	}
	switch {
	case a.All && given(a.Self, a.Extensions, a.Catalogs, len(a.Only) > 0, word != "") > 0:
		err = errors.New("pi update --all takes no other target")
	case a.Catalogs && given(a.Self, a.Extensions, len(a.Only) > 0, word != "") > 0:
		err = errors.New("pi update --models takes no other target")
	case len(a.Only) > 1:
		err = errors.New("pi update --extension is given twice; name one package, or use --extensions for all")
	case len(a.Only) == 1 && given(a.Self, a.Extensions, word != "") > 0:
		err = errors.New("pi update --extension takes no other target")
	case word != "" && !isSelf && given(a.Self, a.Extensions) > 0:
		err = fmt.Errorf("pi update %s takes no other target", word)
	}
	self = a.Self || a.All || isSelf
	all = a.Extensions || a.All || !self && word == "" && len(a.Only) == 0 && !a.Catalogs
	only = strings.Join(a.Only, "")
	if word != "" && !isSelf {
		only = word
	}
	return self, all, only, err
}

// updatePackages brings one package, or all, up to date.
func (p *program) updatePackages(ctx context.Context, only string) error {
	if p.offline() {
		p.say("Skipped package updates (offline mode)")
		return nil
	}
	m := p.packageManager(ctx, func(line string) { p.say("%s", line) })
	changed, err := m.Update(ctx, only)
	for _, d := range changed {
		p.packageNotes(d)
		p.say("Updated %s (%s)", d.Source.Text, version(d))
	}
	if err == nil && len(changed) == 0 {
		p.say("Packages are already up to date")
	}
	return err
}

// updateModels asks the vendors for their models.
func (p *program) updateModels(ctx context.Context) error {
	if p.offline() {
		p.say("Skipped model updates (offline mode)")
		return nil
	}
	r := p.models.Models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true, Force: true})
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(r.Errors)) {
		errs = append(errs, fmt.Errorf("models of %s: %w", name, r.Errors[name]))
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case len(r.Updated) > 0:
		p.say("Updated the models of %s", strings.Join(r.Updated, ", "))
	case len(errs) == 0:
		p.say("Models are already up to date")
	}
	return errors.Join(errs...)
}

// updateSelf runs the command that the user has set for it. pi does not replace
// itself: what installed it knows how.
func (p *program) updateSelf(ctx context.Context) error {
	argv := slices.Clone(p.settings.SelfUpdateCommand)
	if v := p.sys.Env.Lookup("PI_SELF_UPDATE_COMMAND"); v != "" {
		argv = strings.Fields(v)
	}
	if len(argv) == 0 {
		p.say("pi itself is updated by what installed it, such as go install %s@latest. The setting selfUpdateCommand, or PI_SELF_UPDATE_COMMAND, makes this command do it.", programPackage)
		return nil
	}
	if p.offline() {
		p.say("Skipped the update of pi (offline mode)")
		return nil
	}
	fill := strings.NewReplacer("{packageName}", programPackage, "{version}", "latest", "{installSpec}", programPackage+"@latest")
	for i := range argv {
		argv[i] = fill.Replace(argv[i])
	}
	p.say("Running %s", strings.Join(argv, " "))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.sys.Dir, p.sys.Environ, p.sys.Out, p.sys.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("update pi with %s: %w", argv[0], err)
	}
	return nil
}
