// Package sessiondir says where the sessions of a working directory are kept:
//
//	<agent dir>/sessions/--home-me-project--/2026-11-29T19-01-57-875Z_<id>.jsonl
//
// The layout is shared with the reference implementation, so that both find
// each other's sessions. The directory name can not be turned back into a
// path (/a-b and /a/b share one): the session's header says where it belongs.
package sessiondir

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/pi-go/pi/ai/auth"
)

// Variables that move the directories.
const (
	EnvAgentDir   = "PI_CODING_AGENT_DIR"
	EnvSessionDir = "PI_CODING_AGENT_SESSION_DIR"
)

// maxName is the longest file name that common file systems take, in bytes.
const maxName = 255

// AgentDir is the directory of settings, credentials and sessions: the one
// that PI_CODING_AGENT_DIR names, else ~/.pi/agent.
func AgentDir(env auth.Environment, home string) string {
	if dir := env.Lookup(EnvAgentDir); dir != "" {
		return ExpandHome(dir, home)
	}
	return filepath.Join(home, ".pi", "agent")
}

// Sessions is where sessions go.
type Sessions struct {
	Dir string
	// Shared says that sessions of several working directories lie in Dir, so
	// that a reader must compare the header's cwd.
	Shared bool
}

// Resolve gives the directory for a working directory: the flag, else
// PI_CODING_AGENT_SESSION_DIR, else the setting, else the default. Relative
// ones are meant relative to cwd.
func Resolve(flag string, env auth.Environment, setting, agentDir, cwd, home string) Sessions {
	for _, dir := range []string{flag, env.Lookup(EnvSessionDir), setting} {
		if dir == "" {
			continue
		}
		dir = ExpandHome(dir, home)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir)
		}
		return Sessions{Dir: dir, Shared: true}
	}
	// The encoded name of one directory can be that of another.
	return Sessions{Dir: filepath.Join(agentDir, "sessions", Name(cwd)), Shared: true}
}

// Name encodes an absolute working directory as a directory name. A path too
// long for a file name keeps its end, with a hash of the whole in front.
func Name(cwd string) string {
	s := cwd
	if s != "" && (s[0] == '/' || s[0] == '\\') {
		s = s[1:]
	}
	s = strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(s)
	name := "--" + s + "--"
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(cwd))
	head := "--" + hex.EncodeToString(sum[:8]) + "-"
	tail := s[len(s)-(maxName-len(head)-len("--")):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + tail + "--"
}

// ExpandHome replaces a leading ~ by the home directory.
func ExpandHome(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}
