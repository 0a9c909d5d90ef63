package auth

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Resolver expands the indirections that stand in place of keys and header
// values in configuration files:
//
//	!command        what the shell command prints, white space trimmed
//	$NAME ${NAME}   the value of a variable, anywhere in the text
//	$$ and $!       the characters $ and !
//
// A name is a letter or underscore, then letters, digits and underscores; a $
// before anything else stands for itself. A variable that is not set, and a
// command that fails or prints nothing, is an error. A Resolver is safe for
// concurrent use.
type Resolver struct {
	// Env looks up variables.
	Env Environment
	// Run runs a command with the user's shell and gives its standard output.
	// nil refuses commands.
	Run func(ctx context.Context, command string) (stdout string, err error)
	// Timeout limits a command; 0 means 10 s.
	Timeout time.Duration

	mu    sync.Mutex
	cache map[string]*commandOutput
}

// commandOutput is what a command printed; its channel holds a token while
// somebody runs it.
type commandOutput struct {
	turn  chan struct{}
	known bool
	text  string
}

// Resolve expands a value. What a command printed is kept as long as the
// Resolver lives, so that a password manager asks once; failures are not kept.
func (r *Resolver) Resolve(ctx context.Context, value string) (string, error) {
	return r.resolve(ctx, value, r.cached)
}

// ResolveFresh expands a value and runs a command each time, for tokens that
// do not live long.
func (r *Resolver) ResolveFresh(ctx context.Context, value string) (string, error) {
	return r.resolve(ctx, value, r.run)
}

func (r *Resolver) resolve(ctx context.Context, value string, run func(context.Context, string) (string, error)) (string, error) {
	if command, ok := strings.CutPrefix(value, "!"); ok {
		return run(ctx, command)
	}
	return r.expand(value)
}

// cached runs a command unless its output is known. Callers at the same time
// wait for the one that runs it.
func (r *Resolver) cached(ctx context.Context, command string) (string, error) {
	r.mu.Lock()
	if r.cache == nil {
		r.cache = make(map[string]*commandOutput)
	}
	out := r.cache[command]
	if out == nil {
		out = &commandOutput{turn: make(chan struct{}, 1)}
		r.cache[command] = out
	}
	r.mu.Unlock()
	select {
	case out.turn <- struct{}{}:
		defer func() { <-out.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if out.known {
		return out.text, nil
	}
	text, err := r.run(ctx, command)
	if err == nil {
		out.known, out.text = true, text
	}
	return text, err
}

func (r *Resolver) run(ctx context.Context, command string) (string, error) {
	if r.Run == nil {
		return "", errors.New("key commands can not be run here; store the key itself or name a variable")
	}
	limit := r.Timeout
	if limit <= 0 {
		limit = 10 * time.Second
	}
	within, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	out, err := r.Run(within, command)
	if err != nil {
		if within.Err() != nil {
			err = context.Cause(within)
		}
		return "", fmt.Errorf("run the key command %s: %w", program(command), err)
	}
	if out = strings.TrimSpace(out); out == "" {
		return "", fmt.Errorf("run the key command %s: it printed nothing", program(command))
	}
	return out, nil
}

// maxKey is the most that a command may print, in bytes: no key or token is that long.
const maxKey = 1 << 20

// KeyOutput takes what a key command prints; it is for [exec.Cmd.Stdout]. A command that
// prints more than 1 MiB is not listened to any longer. It is not safe for concurrent use.
type KeyOutput struct {
	text []byte
	full bool
}

// Write keeps p, or fails when that is too much.
func (o *KeyOutput) Write(p []byte) (int, error) {
	if o.full = o.full || len(o.text)+len(p) > maxKey; o.full {
		return 0, errTooMuch
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

// Text gives what was printed by a command that ended with err. One that left something
// in the background ([exec.ErrWaitDelay]) has ended well.
func (o *KeyOutput) Text(err error) (string, error) {
	switch {
	case o.full:
		return "", errTooMuch
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil
	}
	return string(o.text), err
}

var errTooMuch = fmt.Errorf("it printed more than %d MiB, which is no key", maxKey>>20)

// program names a command by its first word: arguments may be secret.
func program(command string) string {
	fields := strings.Fields(command)
	switch len(fields) {
	case 0:
		return "(empty)"
	case 1:
		return fmt.Sprintf("%q", fields[0])
	}
	return fmt.Sprintf("%q …", fields[0])
}

// expand replaces variables.
func (r *Resolver) expand(value string) (string, error) {
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(value, "$")
		b.WriteString(text)
		if !found {
			return b.String(), nil
		}
		if rest != "" && (rest[0] == '$' || rest[0] == '!') {
			b.WriteByte(rest[0])
			value = rest[1:]
			continue
		}
		name, after := variable(rest)
		if name == "" {
			b.WriteByte('$')
			value = rest
			continue
		}
		v := r.Env.Lookup(name)
		if v == "" {
			return "", fmt.Errorf("the variable %s is not set", name)
		}
		b.WriteString(v)
		value = after
	}
}

// variable reads NAME or {NAME} at the start of text; "" when there is none.
func variable(text string) (name, after string) {
	braced := strings.HasPrefix(text, "{")
	if braced {
		text = text[1:]
	}
	n := 0
	for n < len(text) && nameByte(text[n], n == 0) {
		n++
	}
	switch {
	case n == 0:
		return "", ""
	case !braced:
		return text[:n], text[n:]
	case n < len(text) && text[n] == '}':
		return text[:n], text[n+1:]
	}
	return "", ""
}

func nameByte(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && c >= '0' && c <= '9'
}
