package npm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Tree is a package with all it depends on, and where each goes.
type Tree struct {
	// Root is the package itself.
	Root *Manifest
	// Places are the packages by directory, with slashes, relative to that of the
	// root, which is "." and the first; the others follow in the order of names.
	Places []Place
	// Notes tell what a person may want to know: scripts that are not run.
	Notes []string
}

// Place is a package in a directory.
type Place struct {
	Dir      string
	Manifest *Manifest
}

// Locked are versions that a lock file names; they are used where they fit.
type Locked map[string][]LockedVersion

// LockedVersion is a version with its checksum.
type LockedVersion struct {
	Version, Integrity string
}

// node is a package in the tree while it grows.
type node struct {
	name     string // of its directory
	manifest *Manifest
	parent   *node
	children map[string]*node
}

// dir gives the directory of a node.
func (n *node) dir() string {
	if n.parent == nil {
		return "."
	}
	return path.Join(n.parent.dir(), "node_modules", n.name)
}

// Resolve picks the versions of a package and of all it depends on. Each goes as
// high as it can: into the node_modules of the root, or, when another version is
// there, into that of the package which needs it. The same answers of the registry
// give the same tree.
func (r *Registry) Resolve(ctx context.Context, spec Spec, locked Locked) (*Tree, error) {
	m, err := r.Pick(ctx, spec)
	if err != nil {
		return nil, err
	}
	if !r.fits(m) {
		return nil, fmt.Errorf("%s %s is not for this system (%s, %s)", m.Name, m.Version, r.goos(), r.goarch())
	}
	return r.ResolveManifest(ctx, m, locked)
}

// ResolveManifest is Resolve for a package that is there, such as a checkout: it
// finds what it depends on.
func (r *Registry) ResolveManifest(ctx context.Context, m *Manifest, locked Locked) (*Tree, error) {
	root := &node{name: m.Name, manifest: m, children: map[string]*node{}}
	most := r.Limits.filled().Packages
	queue := []*node{root}
	for i := 0; i < len(queue); i++ {
		added, err := r.grow(ctx, queue[i], locked)
		if err != nil {
			return nil, err
		}
		queue = append(queue, added...)
		if len(queue) > most {
			return nil, fmt.Errorf("%s depends on more than %d packages, or on versions that go round in a circle", m.Name, most)
		}
	}
	t := &Tree{Root: m}
	for _, n := range queue {
		t.Places = append(t.Places, Place{n.dir(), n.manifest})
		if n.manifest.checkout != "" && n.manifest.Scripts["prepare"] != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%s %s is a repository that has to be built (\"prepare\"); that was not done", n.manifest.Name, n.manifest.Version))
		}
		if n.manifest.runsAtInstall() {
			t.Notes = append(t.Notes, fmt.Sprintf("%s %s has scripts for its installation; they were not run", n.manifest.Name, n.manifest.Version))
		}
	}
	slices.SortFunc(t.Places[1:], func(a, b Place) int { return cmp.Compare(a.Dir, b.Dir) })
	slices.Sort(t.Notes)
	return t, nil
}

// Needs gives what a package depends on when it is used, with the versions that it
// wants; the optional ones are among them.
func (m *Manifest) Needs() map[string]string {
	all := map[string]string{}
	maps.Copy(all, m.Dependencies)
	maps.Copy(all, m.OptionalDependencies)
	return all
}

// grow puts the dependencies of a node into the tree and gives the new nodes.
func (r *Registry) grow(ctx context.Context, n *node, locked Locked) (added []*node, err error) {
	wanted := n.manifest.Needs()
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		_, optional := n.manifest.OptionalDependencies[name]
		if n.manifest.bundles(name) && n.manifest.Dist.Tarball != "" && n.manifest.checkout == "" {
			continue // it is in the package; a checkout does not hold it
		}
		child, err := r.dependency(ctx, n, name, wanted[name], locked)
		switch {
		case optional && errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			return nil, fmt.Errorf("%s %s: %w", n.manifest.Name, n.manifest.Version, err)
		case child == nil:
			continue // it is there
		case !r.fits(child.manifest) && optional:
			continue
		case !r.fits(child.manifest):
			return nil, fmt.Errorf("%s needs %s %s, which is not for this system (%s, %s)", n.manifest.Name, name, child.manifest.Version, r.goos(), r.goarch())
		}
		child.parent.children[name] = child
		added = append(added, child)
	}
	return added, nil
}

// dependency finds a version of what n depends on, and a place; nil if a version
// that fits is in reach.
func (r *Registry) dependency(ctx context.Context, n *node, name, want string, locked Locked) (*node, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	spec := Spec{name, strings.TrimSpace(want)}
	if alias, ok := strings.CutPrefix(spec.Want, "npm:"); ok {
		var err error
		if spec, err = ParseSpec(alias); err != nil {
			return nil, fmt.Errorf("the dependency %s: %w", name, err)
		}
	}
	foreign := strings.ContainsAny(spec.Want, ":/")
	near := n
	for near != nil && near.children[name] == nil {
		near = near.parent
	}
	if near != nil {
		have := near.children[name].manifest
		ok, err := have.from == spec.Want, error(nil)
		if !foreign && !ok {
			ok, err = r.satisfies(ctx, have, spec)
		}
		if ok || err != nil {
			return nil, err
		}
	}
	m, err := r.manifestOf(ctx, name, spec, foreign, locked)
	if err != nil {
		return nil, err
	}
	child := &node{name: name, manifest: m, children: map[string]*node{}}
	child.parent = n
	if near == nil { // nothing has this name above: the highest place is free
		for child.parent.parent != nil {
			child.parent = child.parent.parent
		}
	}
	return child, nil
}

// manifestOf picks the version of a dependency.
func (r *Registry) manifestOf(ctx context.Context, name string, spec Spec, foreign bool, locked Locked) (*Manifest, error) {
	if foreign {
		return r.foreign(ctx, name, spec.Want)
	}
	var prefer []string
	for _, l := range locked[spec.Name] {
		prefer = append(prefer, l.Version)
	}
	m, err := r.pick(ctx, spec, prefer)
	if err != nil {
		return nil, err
	}
	for _, l := range locked[spec.Name] {
		if l.Version == m.Version && contradict(l.Integrity, m.Dist.Integrity) {
			return nil, fmt.Errorf("%s %s: %w: the lock file says %s, the registry %s", m.Name, m.Version, ErrIntegrity, l.Integrity, m.Dist.Integrity)
		}
	}
	return m, nil
}

// satisfies reports whether a version that is in the tree is what a spec wants.
func (r *Registry) satisfies(ctx context.Context, have *Manifest, spec Spec) (bool, error) {
	if have.Name != spec.Name {
		return false, nil
	}
	v, ok := ParseVersion(have.Version)
	if !ok {
		return false, nil
	}
	if want, isRange := ParseRange(spec.Want); isRange {
		return want.Contains(v), nil
	}
	m, err := r.Pick(ctx, spec) // a tag
	if err != nil {
		return false, err
	}
	return m.Version == have.Version, nil
}

func (r *Registry) goos() string   { return cmp.Or(r.OS, runtime.GOOS) }
func (r *Registry) goarch() string { return cmp.Or(r.CPU, runtime.GOARCH) }

// fits reports whether a package is for this system. Packages use the names of
// Node.
func (r *Registry) fits(m *Manifest) bool {
	system, cpu := r.goos(), r.goarch()
	switch system {
	case "windows":
		system = "win32"
	case "solaris", "illumos":
		system = "sunos"
	}
	switch cpu {
	case "amd64":
		cpu = "x64"
	case "386":
		cpu = "ia32"
	}
	return among(m.OS, system) && among(m.CPU, cpu)
}

// among applies a list of names: allowed ones, or ones behind "!" that are not.
func among(list []string, name string) bool {
	allowed, any := false, false
	for _, l := range list {
		if l == "!"+name {
			return false
		}
		if !strings.HasPrefix(l, "!") {
			any = true
			allowed = allowed || l == name || l == "any"
		}
	}
	return allowed || !any
}
