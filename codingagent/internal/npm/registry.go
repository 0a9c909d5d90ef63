package npm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Limits bound what a registry can make us read and write. Zero values are the
// defaults.
type Limits struct {
	Metadata int64 // bytes of what is said about one package; 64 MiB
	Tarball  int64 // bytes of one download; 256 MiB
	Unpacked int64 // bytes of one package on disk; 1 GiB
	Files    int   // files of one package; 100,000
	Packages int   // packages in one tree; 2,000
}

func (l Limits) filled() Limits {
	set := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
	}
	set(&l.Metadata, 64<<20)
	set(&l.Tarball, 256<<20)
	set(&l.Unpacked, 1<<30)
	if l.Files == 0 {
		l.Files = 100_000
	}
	if l.Packages == 0 {
		l.Packages = 2000
	}
	return l
}

// ErrOffline says that the network is needed and may not be used.
var ErrOffline = errors.New("this needs the network, and pi is offline (--offline, or PI_OFFLINE in the environment)")

// ErrNotFound says that a registry has no such package, or no such version.
var ErrNotFound = errors.New("not found")

// Registry asks registries. Its methods may be called from several goroutines.
type Registry struct {
	Client *http.Client // nil is http.DefaultClient
	Config Config
	// UserAgent names the program to the registry.
	UserAgent string
	Limits    Limits
	// Offline refuses all requests with ErrOffline.
	Offline bool
	// OS and CPU are those that packages must fit, in the names of Go (GOOS,
	// GOARCH).
	OS, CPU string

	// Git makes a checkout of a repository that a dependency names, in the forms of npm:
	// "git+https://host/path#ref", "github:owner/name", "owner/name" and so on. The
	// directory must be there until the tree is unpacked. nil refuses them.
	Git func(ctx context.Context, want string) (Checkout, error)

	mu         sync.Mutex
	known      map[string]*answer   // by name of the package
	foreigners map[string]*Manifest // of no registry, by what is wanted
}

// answer is what was once asked for.
type answer struct {
	once sync.Once
	doc  *packument
	err  error
}

// packument is what a registry says about all versions of a package.
type packument struct {
	Name     string               `json:"name"`
	Tags     map[string]string    `json:"dist-tags"`
	Versions map[string]*Manifest `json:"versions"`
}

// Manifest is what package.json, or a registry, says about one version.
type Manifest struct {
	Name                 string       `json:"name"`
	Version              string       `json:"version"`
	Dependencies         dependencies `json:"dependencies"`
	OptionalDependencies dependencies `json:"optionalDependencies"`
	Bundle               names        `json:"bundleDependencies"`
	Bundled              names        `json:"bundledDependencies"` // the other spelling
	OS                   words        `json:"os"`
	CPU                  words        `json:"cpu"`
	HasInstallScript     bool         `json:"hasInstallScript"`
	Scripts              scripts      `json:"scripts"`
	Deprecated           deprecated   `json:"deprecated"`
	Dist                 Dist         `json:"dist"`

	from     string // what a dependency said, of one that is from no registry
	checkout string // where it lies already
}

// Dist says where the files of a version are, and how they are checked.
type Dist struct {
	Tarball   string `json:"tarball"`
	Integrity string `json:"integrity"`
	Shasum    string `json:"shasum"`
}

// runsAtInstall reports whether npm would run something of the package.
func (m *Manifest) runsAtInstall() bool {
	return m.HasInstallScript || m.Scripts["preinstall"] != "" || m.Scripts["install"] != "" || m.Scripts["postinstall"] != ""
}

// bundles reports whether a dependency comes with the package.
func (m *Manifest) bundles(name string) bool {
	for _, n := range []names{m.Bundle, m.Bundled} {
		if n.all || slices.Contains(n.list, name) {
			return true
		}
	}
	return false
}

// Manifests come from many tools of many years; a field in an odd form counts as
// not there rather than hiding the whole package.
type (
	dependencies map[string]string
	scripts      map[string]string
	words        []string
	deprecated   bool
	names        struct {
		all  bool
		list []string
	}
)

func (d *dependencies) UnmarshalJSON(data []byte) error {
	lenient(data, (*map[string]string)(d))
	return nil
}

func (s *scripts) UnmarshalJSON(data []byte) error {
	var odd map[string]any
	lenient(data, &odd)
	*s = scripts{}
	for k, v := range odd {
		if text, ok := v.(string); ok {
			(*s)[k] = text
		}
	}
	return nil
}

func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	lenient(data, (*[]string)(w))
	return nil
}

func (d *deprecated) UnmarshalJSON(data []byte) error {
	*d = deprecated(string(data) != "false" && string(data) != `""` && string(data) != "null")
	return nil
}

func (n *names) UnmarshalJSON(data []byte) error {
	n.all = string(data) == "true"
	lenient(data, &n.list)
	return nil
}

func lenient[T any](data []byte, v *T) {
	var fresh T
	if json.Unmarshal(data, &fresh) == nil {
		*v = fresh
	}
}

// packument asks for a package, once.
func (r *Registry) packument(ctx context.Context, name string) (*packument, error) {
	r.mu.Lock()
	if r.known == nil {
		r.known = map[string]*answer{}
	}
	a := r.known[name]
	if a == nil {
		a = &answer{}
		r.known[name] = a
	}
	r.mu.Unlock()
	a.once.Do(func() { a.doc, a.err = r.ask(ctx, name) })
	return a.doc, a.err
}

func (r *Registry) ask(ctx context.Context, name string) (*packument, error) {
	base, err := r.Config.Registry(name)
	if err != nil {
		return nil, err
	}
	u := *base
	u.Path += name
	u.RawPath = base.EscapedPath() + strings.ReplaceAll(url.PathEscape(name), "%40", "@")
	body, err := r.get(ctx, &u, "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8")
	if err != nil {
		return nil, fmt.Errorf("look up the npm package %s: %w", name, err)
	}
	defer body.Close()
	data, err := readAtMost(body, r.Limits.filled().Metadata)
	if err != nil {
		return nil, fmt.Errorf("look up the npm package %s: read the answer of %s: %w", name, u.Host, err)
	}
	doc := &packument{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, fmt.Errorf("look up the npm package %s: the answer of %s is not what a registry says: %w", name, u.Host, err)
	}
	if doc.Name != name {
		return nil, fmt.Errorf("look up the npm package %s: %s answers about %q", name, u.Host, doc.Name)
	}
	return doc, nil
}

func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, err
}

// get sends a request; the caller closes the body.
func (r *Registry) get(ctx context.Context, u *url.URL, accept string) (io.ReadCloser, error) {
	if r.Offline {
		return nil, ErrOffline
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	if r.UserAgent != "" {
		req.Header.Set("User-Agent", r.UserAgent)
	}
	if auth := r.Config.authorization(u); auth != "" {
		req.Header.Set("Authorization", auth)
	}
	client := r.Client
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	_, _ = io.CopyN(io.Discard, res.Body, 4096) // so that the connection can be used again
	err = res.Body.Close()
	switch res.StatusCode {
	case http.StatusNotFound:
		return nil, errors.Join(fmt.Errorf("%s has none of that name: %w", u.Host, ErrNotFound), err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, errors.Join(fmt.Errorf("%s refuses access (%s); a login belongs into ~/.npmrc, as //%s/:_authToken=…", u.Host, res.Status, u.Host), err)
	}
	return nil, errors.Join(fmt.Errorf("%s answers %s", u.Host, res.Status), err)
}

// Pick finds the version that a spec wants: what its tag names; of a range the
// version tagged latest if it is in the range, else the highest, where one that is
// not deprecated is preferred.
func (r *Registry) Pick(ctx context.Context, spec Spec) (*Manifest, error) {
	return r.pick(ctx, spec, nil)
}

// pick is Pick with versions to prefer if the spec allows them.
func (r *Registry) pick(ctx context.Context, spec Spec, prefer []string) (*Manifest, error) {
	doc, err := r.packument(ctx, spec.Name)
	if err != nil {
		return nil, err
	}
	missing := func(what string) error {
		return fmt.Errorf("the npm package %s has no %s; its newest version is %s: %w", spec.Name, what, orNone(doc.Tags["latest"]), ErrNotFound)
	}
	of := func(version string) (*Manifest, error) {
		m := doc.Versions[version]
		if m == nil {
			return nil, missing("version " + version)
		}
		if m.Name != spec.Name || m.Version != version {
			return nil, fmt.Errorf("the registry describes %s %s as %s %s", spec.Name, version, m.Name, m.Version)
		}
		return m, nil
	}
	if v, ok := spec.Exact(); ok {
		return of(v.String())
	}
	want, isRange := ParseRange(spec.Want)
	if spec.Want == "" {
		isRange, spec.Want = false, "latest"
	}
	if !isRange {
		version, ok := doc.Tags[spec.Want]
		if !ok {
			return nil, missing("tag " + spec.Want)
		}
		return of(version)
	}
	for _, version := range append(slices.Clone(prefer), doc.Tags["latest"]) {
		if v, ok := ParseVersion(version); ok && want.Contains(v) && doc.Versions[version] != nil {
			return of(version)
		}
	}
	best, bestVersion, bestGood := "", Version{}, false
	for version, m := range doc.Versions {
		v, ok := ParseVersion(version)
		if !ok || m == nil || !want.Contains(v) {
			continue
		}
		good := !bool(m.Deprecated)
		if best == "" || good && !bestGood || good == bestGood && v.Compare(bestVersion) > 0 {
			best, bestVersion, bestGood = version, v, good
		}
	}
	if best == "" {
		return nil, missing("version in the range " + spec.Want)
	}
	return of(best)
}

func orNone(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}
