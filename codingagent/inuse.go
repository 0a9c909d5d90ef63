package codingagent

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/pi-go/pi/agentcore/session"
)

// InUseError says that another program writes a session, and what to run to go on
// with a copy of it. It is a [session.LockedError].
type InUseError struct {
	Locked *session.LockedError
	// Fork is the command that copies the session and goes on with the copy.
	Fork string
}

// Error names the session, who has it, and the command.
func (e *InUseError) Error() string {
	by := "another program"
	if e.Locked.PID != 0 {
		by = fmt.Sprintf("process %d", e.Locked.PID)
		if e.Locked.Host != "" {
			by += " on " + e.Locked.Host
		}
	}
	return fmt.Sprintf("the session is open in %s. End that, or go on with a copy: %s", by, e.Fork)
}

// Unwrap gives the cause.
func (e *InUseError) Unwrap() error { return e.Locked }

// InUse makes an [InUseError] of an error that says a session is being written; any
// other stays as it is. Sessions below agentDir go by their ids, others by their paths.
func InUse(err error, agentDir string) error {
	var locked *session.LockedError
	var known *InUseError
	if !errors.As(err, &locked) || errors.As(err, &known) {
		return err
	}
	return &InUseError{Locked: locked, Fork: "pi --fork " + sessionArgument(locked.Ref, agentDir)}
}

// sessionArgument is what stands for a session on the command line of any directory:
// its id if it is kept in the usual place, or else its file.
func sessionArgument(ref, agentDir string) string {
	if agentDir != "" && filepath.Dir(filepath.Dir(ref)) == filepath.Join(agentDir, "sessions") {
		name := strings.TrimSuffix(filepath.Base(ref), ".jsonl")
		if _, id, ok := strings.Cut(name, "_"); ok && id != "" {
			ref = id
		}
	}
	if !strings.ContainsFunc(ref, needsQuotes) {
		return ref
	}
	return "'" + strings.ReplaceAll(ref, "'", `'\''`) + "'"
}

// needsQuotes reports whether a character may mean something to a shell.
func needsQuotes(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@%+=:,./_-", r)
}
