package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/lockfile"
	"github.com/pi-go/pi/codingagent/internal/npm"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// ErrOffline says that the network is needed and may not be used.
var ErrOffline = npm.ErrOffline

// ErrNotConfigured says that no settings name the package.
var ErrNotConfigured = errors.New("no matching package")

// ErrUntrusted says that something is for the project, and the project is not
// trusted.
var ErrUntrusted = errors.New("the project is not trusted; --approve trusts it for this run")

// Options say where packages are and how they are fetched.
type Options struct {
	// AgentDir is the directory of the user's files, Dir that of the project, Home
	// what ~ is. All are absolute.
	AgentDir, Dir, Home string
	// Trusted says that the project's settings and packages may be used.
	Trusted bool
	// Environ is the environment of the processes, as of os.Environ; npm_config_
	// variables, HTTP proxies and what git uses count.
	Environ []string
	// Client is asked for npm packages; nil is one with a limit of ten minutes for
	// each request.
	Client *http.Client
	// UserAgent names the program to registries.
	UserAgent string
	// Offline refuses everything that needs the network, with ErrOffline.
	Offline bool
	// NPMCommand is the setting npmCommand: a command that is used for npm packages
	// instead of what is built in. Scripts stay off.
	NPMCommand []string
	// GitCommand is the git to use; "" is the one in PATH.
	GitCommand string
	// Progress, if not nil, is told lines about what takes time.
	Progress func(line string)
}

// Manager installs, updates, removes and lists packages.
type Manager struct {
	o     Options
	files execenv.LocalFS
}

// New makes a Manager. Nothing is read or written yet.
func New(o Options) *Manager {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 10 * time.Minute}
	}
	return &Manager{o: o}
}

// Entry is a package that settings name.
type Entry struct {
	// Scope is settings.User or settings.Project.
	Scope settings.Scope
	// Settings is the entry with its filters.
	Settings settings.Package
	// Source is what the entry names; Err says why it names nothing.
	Source Source
	Err    error
	// Dir is where the package is or will be: a file, if the source is one.
	Dir string
	// Installed says that it is there, Version which version, if that is known.
	Installed bool
	Version   string
}

// Filtered reports whether only a part of the package is used.
func (e Entry) Filtered() bool {
	p := e.Settings
	return p.AutoLoad != nil || p.Extensions != nil || p.Skills != nil || p.Prompts != nil || p.Themes != nil
}

// base gives the directory of the files of a scope.
func (m *Manager) base(scope settings.Scope) string {
	if scope == settings.Project {
		return filepath.Join(m.o.Dir, trust.ConfigDir)
	}
	return m.o.AgentDir
}

// settingsFile gives the path of the settings of a scope.
func (m *Manager) settingsFile(scope settings.Scope) string {
	return filepath.Join(m.base(scope), "settings.json")
}

// Dir gives where a package is. base is the directory of the files of its scope,
// which holds settings.json: the user's, or .pi of the project. home is what ~ is.
func (s Source) Dir(base, home string) string {
	switch s.Kind {
	case NPM:
		return filepath.Join(base, "npm", "node_modules", filepath.FromSlash(s.Name))
	case Git:
		return filepath.Join(base, "git", s.Host, filepath.FromSlash(s.Path))
	}
	return s.local(base, home)
}

// List gives the packages that the settings name: the user's, then the project's
// if it is trusted.
func (m *Manager) List(ctx context.Context) []Entry {
	sources := []settings.Source{{Scope: settings.User, Path: m.settingsFile(settings.User)}}
	if m.o.Trusted {
		sources = append(sources, settings.Source{Scope: settings.Project, Path: m.settingsFile(settings.Project)})
	}
	loaded := settings.LoadAll(ctx, m.files, sources...)
	return append(m.Entries(settings.User, loaded.UserResources.Packages), m.Entries(settings.Project, loaded.ProjectResources.Packages)...)
}

// Entries describes packages that are named in the settings of a scope.
func (m *Manager) Entries(scope settings.Scope, list []settings.Package) []Entry {
	var out []Entry
	for _, p := range list {
		e := Entry{Scope: scope, Settings: p}
		if e.Source, e.Err = Parse(p.Source); e.Err == nil {
			e.Dir = e.Source.Dir(m.base(scope), m.o.Home)
			_, err := os.Stat(e.Dir)
			e.Installed = err == nil
			e.Version = installedVersion(e.Dir)
		}
		out = append(out, e)
	}
	return out
}

// installedVersion gives the version of package.json in a directory, "" if there
// is none.
func installedVersion(dir string) string {
	man, err := readManifest(dir)
	if err != nil {
		return ""
	}
	return man.Version
}

// readManifest reads the package.json of a directory.
func readManifest(dir string) (*npm.Manifest, error) {
	path := filepath.Join(dir, "package.json")
	data, err := lockfile.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	man := &npm.Manifest{}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\uFEFF")), man); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return man, nil
}

// say tells what takes time.
func (m *Manager) say(format string, args ...any) {
	if m.o.Progress != nil {
		m.o.Progress(fmt.Sprintf(format, args...))
	}
}

// allowed refuses the project's scope where it is not trusted.
func (m *Manager) allowed(scope settings.Scope) error {
	switch {
	case scope == settings.Project && !m.o.Trusted:
		return ErrUntrusted
	case scope != settings.Project && scope != settings.User:
		return fmt.Errorf("packages are installed for %s or %s, not for %q", settings.User, settings.Project, scope)
	}
	return nil
}

// locked runs f while no other process changes packages below root, and puts right
// what a process that was killed has left there.
func (m *Manager) locked(ctx context.Context, root string, f func() error) (err error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	options := lockfile.Options{Wait: -1}
	l, err := lockfile.Acquire(ctx, root, options)
	var busy *lockfile.BusyError
	if errors.As(err, &busy) {
		m.say("Waiting for another pi that changes packages in %s", root)
		options.Wait = 10 * time.Minute
		l, err = lockfile.Acquire(ctx, root, options)
	}
	if err != nil {
		return fmt.Errorf("lock the packages in %s: %w", root, err)
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if err := recoverSwaps(root); err != nil {
		return err
	}
	return f()
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// variable gives a variable of the environment.
func (m *Manager) variable(name string) string {
	for _, kv := range m.o.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// npmFor gives a client with the configuration for a directory: that of the
// environment, then an .npmrc in the directory, then the user's. release removes the
// repositories that it has fetched.
func (m *Manager) npmFor(ctx context.Context, root string) (r *npm.Registry, release func() error, err error) {
	c := npm.Config{}.ParseEnviron(m.o.Environ)
	user := c.UserConfig()
	if user == "" {
		user = filepath.Join(m.o.Home, ".npmrc")
	}
	for _, file := range []struct {
		path     string
		variable func(string) string
	}{{filepath.Join(root, ".npmrc"), nil}, {user, m.variable}} {
		data, err := execenv.ReadConfig(ctx, m.files, file.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, nil, fmt.Errorf("read the configuration of npm: %w", err)
		default:
			c = c.ParseConfig(string(data), file.variable)
		}
	}
	checkouts := new(checkouts)
	r = &npm.Registry{Client: m.o.Client, Config: c, UserAgent: m.o.UserAgent, Offline: m.o.Offline}
	r.Git = func(ctx context.Context, want string) (npm.Checkout, error) { return checkouts.fetch(ctx, m, want) }
	return r, checkouts.remove, nil
}
