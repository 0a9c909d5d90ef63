package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pi-go/pi/agentcore/execenv"
)

// FileQueue lets one change of a file follow the other: edit and write hold a
// file while they read and write it, so that calls that run side by side do not
// lose each other's changes. Files are told apart by their real path. The zero
// value is ready; a FileQueue must not be copied. Give one value to all sessions
// that work on the same files.
type FileQueue struct {
	mu    sync.Mutex
	files map[string]*turn
}

// turn is the right to change one file: a channel that holds one token.
type turn struct {
	token chan struct{}
	users int // of the turn, waiting or working; guarded by FileQueue.mu
}

// Do calls change while no other change of the same file is under way. It
// returns the cause of ctx if that ends before the turn comes.
func (q *FileQueue) Do(ctx context.Context, env execenv.Env, name string, change func() error) error {
	key, err := fileKey(ctx, env, name)
	if err != nil {
		return err
	}
	t := q.enter(key)
	defer q.leave(key, t)
	select {
	case t.token <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", name, context.Cause(ctx))
	}
	defer func() { <-t.token }()
	return change()
}

func (q *FileQueue) enter(key string) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.files[key]
	if t == nil {
		t = &turn{token: make(chan struct{}, 1)}
		if q.files == nil {
			q.files = map[string]*turn{}
		}
		q.files[key] = t
	}
	t.users++
	return t
}

func (q *FileQueue) leave(key string, t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(q.files, key)
	}
}

// fileKey is the real path of a file; for one that does not exist, the real path
// of the directory it will be in, as far as that exists.
func fileKey(ctx context.Context, env execenv.Env, name string) (string, error) {
	rest := ""
	for {
		real, err := env.FS.RealPath(ctx, name)
		if err == nil {
			return env.Join(real, rest), nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		parent := env.ParentDir(name)
		if !errors.Is(err, fs.ErrNotExist) || parent == name {
			return env.Join(name, rest), nil
		}
		rest = env.Join(env.BaseName(name), rest)
		name = parent
	}
}
