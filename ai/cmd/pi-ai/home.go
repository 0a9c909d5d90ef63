package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/jsonobj"
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

// document reads a file that need not exist.
func (h home) document(name string, syntax jsonobj.Syntax) (*jsonobj.Document, error) {
	path := filepath.Join(h.dir, name)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return jsonobj.Open(path, text, syntax)
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

// clientIDs gives the OAuth client ids of models.json.
func (h home) clientIDs() (func(provider string) string, error) {
	doc, err := h.document("models.json", jsonobj.Relaxed)
	if err != nil {
		return nil, err
	}
	return func(provider string) string { return text(doc, "providers", provider, "oauthClientId") }, nil
}

// installationID gives the id of this installation, which settings.json keeps.
func (h home) installationID(ctx context.Context) (string, error) {
	return auth.InstallationID(ctx, filepath.Join(h.dir, "settings.json"))
}

// configured lists the models that settings.json names: the default and those that
// are enabled without a pattern, as PROVIDER/MODEL.
func (h home) configured() ([]string, error) {
	doc, err := h.document("settings.json", jsonobj.Strict)
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
