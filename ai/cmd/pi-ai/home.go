package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/ai/provider/all"
)

// home is pi's directory, whose files this program shares.
type home struct{ dir string }

// findHome gives the directory: PI_CODING_AGENT_DIR, else ~/.pi/agent.
func findHome() (home, error) {
	dir := os.Getenv("PI_CODING_AGENT_DIR")
	if dir == "" {
		dir = "~/.pi/agent"
	}
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		user, err := os.UserHomeDir()
		if err != nil {
			return home{}, fmt.Errorf("find the home directory: %w", err)
		}
		dir = filepath.Join(user, rest)
	}
	return home{dir}, nil
}

func (h home) credentials() string { return filepath.Join(h.dir, "auth.json") }
func (h home) lists() string       { return filepath.Join(h.dir, "models-store.json") }

// settings reads settings.json, which need not exist.
func (h home) settings() (*jsonobj.Document, error) {
	path := filepath.Join(h.dir, "settings.json")
	text, err := readConfig(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return jsonobj.Open(path, text, jsonobj.Strict)
}

// text gives the string at a path; "" when there is none.
func text(doc *jsonobj.Document, path ...string) string {
	raw, ok := doc.Get(path...)
	var s string
	if !ok || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// described is what models.json makes of the built-in providers.
type described struct {
	file      *modelsfile.File
	providers []ai.Provider
	changed   map[string]*modelsfile.Provider
}

// maxConfig is the size of the largest file of descriptions.
const maxConfig = 16 << 20

// readConfig reads a regular file. Nothing else is waited for, as for the writer of a
// pipe, and nothing is read without end.
func readConfig(path string) ([]byte, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() && !info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is a device, a pipe or a socket, no file")}
	case info.Size() > maxConfig:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has more than %d MiB", maxConfig>>20)}
	}
	return os.ReadFile(path)
}

// describe lays models.json over the built-in providers. What can not be used of it is
// told and left out.
func (h home) describe(builtin []ai.Provider, resolve func(context.Context, string) (string, error)) (described, []error) {
	d := described{file: new(modelsfile.File), providers: builtin}
	path := filepath.Join(h.dir, "models.json")
	text, err := readConfig(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, nil
	case err == nil:
		var file *modelsfile.File
		if file, err = modelsfile.Parse(path, text); err == nil {
			d.file = file
		}
	}
	if err != nil {
		return d, []error{fmt.Errorf("models.json is not used: %w", err)}
	}
	var faults []error
	d.providers, d.changed, faults = d.file.Apply(modelsfile.Config{
		Protocols: modelsfile.Protocols{Chat: all.APIs(), Images: all.ImageAPIs(), Classifiers: all.ClassifierAPIs()}, Resolve: resolve,
	}, builtin)
	return d, slices.Concat(d.file.Faults, faults, d.file.Notes)
}

// clientID gives the OAuth client id of a provider.
func (d described) clientID(provider string) string {
	if entry := d.file.Providers[provider]; entry != nil {
		return entry.OAuthClientID
	}
	return ""
}

// amend lays the file over a list that a vendor told.
func (d described) amend(provider string, list []*ai.Model) []*ai.Model {
	if p := d.changed[provider]; p != nil {
		return p.Amend(list)
	}
	return list
}

// installationID gives the id of this installation, which settings.json keeps.
func (h home) installationID(ctx context.Context) (string, error) {
	return auth.InstallationID(ctx, filepath.Join(h.dir, "settings.json"))
}

// configured lists the models that settings.json names: the default and those that
// are enabled without a pattern, as PROVIDER/MODEL.
func (h home) configured() ([]string, error) {
	doc, err := h.settings()
	if err != nil {
		return nil, err
	}
	var list []string
	if provider, model := text(doc, "defaultProvider"), text(doc, "defaultModel"); provider != "" && model != "" {
		list = append(list, provider+"/"+model)
	}
	var enabled []string
	if raw, ok := doc.Get("enabledModels"); ok && json.Unmarshal(raw, &enabled) != nil {
		return list, nil // pi says what is wrong with it
	}
	for _, ref := range enabled {
		if strings.Contains(ref, "/") && !strings.ContainsAny(ref, "*?[!") {
			list = append(list, ref)
		}
	}
	return list, nil
}
