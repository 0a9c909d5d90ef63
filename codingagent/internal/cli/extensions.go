package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/resource"
)

// flagOptions are the options that the extensions of the program add to its own.
// Extensions are set up for that; what they do wrong is told when a session begins.
func (s *System) flagOptions(ctx context.Context) []option {
	if len(s.Extensions) == 0 {
		return nil
	}
	var out []option
	known := options()
	for _, f := range extension.Load(ctx, s.Extensions).Flags() {
		if slices.ContainsFunc(known, func(o option) bool { return o.long == f.Name }) {
			continue // the program's own come first
		}
		give := func(a *Args, v string) {
			if a.ExtensionFlags == nil {
				a.ExtensionFlags = make(map[string]string)
			}
			a.ExtensionFlags[f.Name] = v
		}
		o := option{long: f.Name, help: f.Description}
		if f.Text {
			o.arg = "TEXT"
			o.value = func(a *Args, v string) error {
				if v == "" {
					return fmt.Errorf("option --%s needs a value", f.Name)
				}
				give(a, v)
				return nil
			}
		} else {
			o.flag = func(a *Args) { give(a, "") }
		}
		out = append(out, o)
	}
	return out
}

// lendModels puts the vendors and the virtual models that extensions register among
// those that can be chosen, before there is a session; the returned function takes
// them away again. A session brings its own, which it gives back at its end.
func (p *program) lendModels(ctx context.Context) (takeAway func()) {
	if len(p.sys.Extensions) == 0 {
		return func() {}
	}
	var undo []func()
	set := extension.Load(ctx, p.sys.Extensions)
	for _, v := range set.Providers() {
		before := p.models.Models.Provider(v.ID())
		p.models.Models.SetProvider(v)
		undo = append(undo, func() {
			if before == nil {
				p.models.DeleteProvider(v.ID())
			} else {
				p.models.Models.SetProvider(before)
			}
		})
	}
	for _, v := range set.VirtualModels() {
		if p.models.RegisterVirtual(v) == nil { // the session tells of one that is wrong
			undo = append(undo, func() { p.models.UnregisterVirtual(v.Provider, v.ID) })
		}
	}
	return func() {
		for _, u := range slices.Backward(undo) {
			u()
		}
	}
}

// noScripts says why extensions in files do nothing, and what does.
const noScripts = "this pi can not run extensions from files, as it was built without an interpreter for them. " +
	"Extensions in Go are linked into a pi of one's own; see pi docs extensions and package codingagent/program"

// noteScripts says once that extensions were found that can not be loaded.
func (p *program) noteScripts(set *resource.Set) {
	if len(set.Extensions) == 0 || p.sys.LoadExtension != nil || p.args.NoExtensions || p.toldScripts.Swap(true) {
		return
	}
	const most = 5
	var names []string
	for i, f := range set.Extensions {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(set.Extensions)-most))
			break
		}
		names = append(names, f.Path)
	}
	set.Notes = append(set.Notes, resource.Diagnostic{
		Path:    strings.Join(names, ", "),
		Message: "can not be loaded: " + noScripts + ". pi config disable PATH, or --no-extensions, leaves it out without this note",
	})
}

// loadExtensions says which extensions the sessions get: those of the program, and
// those that the command line names.
func (s *System) loadExtensions(ctx context.Context, a *Args) error {
	if a.NoExtensions {
		if len(a.ExtensionFlags) > 0 {
			var names []string
			for name := range a.ExtensionFlags {
				names = append(names, "--"+name)
			}
			slices.Sort(names)
			return fmt.Errorf("--no-extensions leaves out what has %s: give one of them only", strings.Join(names, ", "))
		}
		s.Extensions = nil
	}
	if len(a.Extensions) == 0 {
		return nil
	}
	if s.LoadExtension == nil {
		return fmt.Errorf("--extension %s: %s", a.Extensions[0], noScripts)
	}
	var named []extension.Extension
	var errs []error
	for _, name := range a.Extensions {
		e, err := s.LoadExtension(ctx, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("--extension %s: %w", name, err))
			continue
		}
		named = append(named, e)
	}
	s.Extensions = append(named, s.Extensions...)
	return errors.Join(errs...)
}
