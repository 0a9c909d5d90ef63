package execenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// quiet is how long a shell's output must be silent, once the shell has ended,
	// before background processes that still hold it are left behind.
	quiet = 100 * time.Millisecond
	// patience is how long that wait may take in all, however much they print.
	patience = time.Second
	// deathWait is how long a killed process may take to go. One that sits in an
	// uninterruptible system call (a dead network mount) takes longer.
	deathWait = 3 * time.Second
)

// LocalShellOptions says how [LocalShell] runs commands.
type LocalShellOptions struct {
	// Interpreter finds the program that interprets scripts. It is asked at the
	// first command and its answer is kept. Nil finds a POSIX shell as [FindShell]
	// does with no configured path.
	Interpreter func() (Interpreter, error)
	// Environ is the environment of commands; nil means that of this process at
	// the time of the call.
	Environ []string
	// PathFirst lists directories that are put in front of PATH where PATH does not
	// have them.
	PathFirst []string
	// Groups gets every process tree while it runs. Nil means a private one.
	Groups *Groups
}

// LocalShell runs commands on this machine.
type LocalShell struct {
	o               LocalShellOptions
	interpreter     func() (Interpreter, error)
	quiet, patience time.Duration
}

var _ Shell = (*LocalShell)(nil)

// NewLocalShell returns a shell of this machine.
func NewLocalShell(o LocalShellOptions) *LocalShell {
	if o.Interpreter == nil {
		o.Interpreter = func() (Interpreter, error) { return FindShell("", o.Environ) }
	}
	if o.Groups == nil {
		o.Groups = new(Groups)
	}
	return &LocalShell{o: o, interpreter: sync.OnceValues(o.Interpreter), quiet: quiet, patience: patience}
}

// Run runs cmd. See [Shell].
func (s *LocalShell) Run(ctx context.Context, cmd Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("run command: %w", context.Cause(ctx))
	}
	if strings.IndexByte(cmd.Script, 0) >= 0 {
		return Result{}, errors.New("run command: it contains a NUL character, which no command can")
	}
	in, err := s.interpreter()
	if err != nil {
		return Result{}, fmt.Errorf("run command: %w", err)
	}
	if err := checkDir(cmd.Dir); err != nil {
		return Result{}, fmt.Errorf("run command: %w", err)
	}
	r, err := s.start(in, cmd)
	if err != nil {
		return Result{}, fmt.Errorf("run command with %s: %w", in.Path, err)
	}
	return r.wait(ctx, cmd, s.quiet, s.patience)
}

func checkDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("working directory %q is not an absolute path", dir)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("working directory %s does not exist", dir)
	case err != nil:
		return fmt.Errorf("working directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("working directory %s is not a directory", dir)
	}
	return nil
}

// environ puts the environment of a command together.
func (s *LocalShell) environ(cmd Command) []string {
	env := cmd.Environ
	if env == nil {
		env = s.o.Environ
	}
	if env == nil {
		env = os.Environ()
	}
	env = slices.Clone(env)
	for _, name := range cmd.Unset {
		env = slices.DeleteFunc(env, func(kv string) bool {
			k, _, _ := strings.Cut(kv, "=")
			return sameVariable(k, name)
		})
	}
	return pathFirst(append(env, cmd.Env...), s.o.PathFirst)
}

// pathFirst puts dirs in front of the PATH in env.
func pathFirst(env, dirs []string) []string {
	if len(dirs) == 0 {
		return env
	}
	name, list := "PATH", ""
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); sameVariable(k, "PATH") {
			name, list = k, v // the last one counts
		}
	}
	have := filepath.SplitList(list)
	for _, dir := range slices.Backward(dirs) {
		if !slices.Contains(have, dir) {
			have = slices.Insert(have, 0, dir)
		}
	}
	return append(env, name+"="+strings.Join(have, string(os.PathListSeparator)))
}

// running is a command in progress. It belongs to the goroutine that called Run.
type running struct {
	tree    *tree
	groups  *Groups
	started time.Time
	out     *os.File    // read end of the pipe that carries stdout and stderr
	chunks  chan []byte // what the reader goroutine has read; closed at end or stop
	eof     bool        // every writer has closed the pipe; valid once chunks is closed
	exited  chan struct{}
}

func (s *LocalShell) start(in Interpreter, cmd Command) (*running, error) {
	args, stdin := in.invocation(cmd)
	c := exec.Command(in.Path, args...)
	c.Dir = cmd.Dir
	c.Env = s.environ(cmd)
	c.Stdin = stdin
	// Do not wait for a Stdin that blocks after the shell has gone.
	c.WaitDelay = quiet
	// One pipe for both streams keeps them in the order in which they were written.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.Stdout, c.Stderr = write, write
	OwnSession(c)
	if err := c.Start(); err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	r := &running{
		tree: newTree(c), groups: s.o.Groups, started: time.Now(),
		out: read, chunks: make(chan []byte), exited: make(chan struct{}),
	}
	r.groups.add(r.tree)
	write.Close()
	go r.read()
	go func() {
		r.tree.awaitLeader()
		close(r.exited)
	}()
	return r, nil
}

// read hands the output over. Two buffers take turns: when a chunk has been
// received, the receiver is done with the one before it.
func (r *running) read() {
	defer close(r.chunks)
	var buf [2][32 << 10]byte
	for i := 0; ; i ^= 1 {
		n, err := r.out.Read(buf[i][:])
		if n > 0 {
			r.chunks <- buf[i][:n]
		}
		if err != nil {
			r.eof = err == io.EOF
			return
		}
	}
}

// wait sees the command to its end.
func (r *running) wait(ctx context.Context, cmd Command, quiet, patience time.Duration) (Result, error) {
	emit := cmd.Output
	if emit == nil {
		emit = func([]byte) {}
	}
	var res Result
	var stop error // why the tree was killed
	var timeout, silence, limit <-chan time.Time
	if cmd.Timeout > 0 {
		timer := time.NewTimer(cmd.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	kill := func(why error) {
		stop = why
		r.tree.kill()
		timeout = nil
		limit = time.After(deathWait)
	}
	chunks, exited, done := r.chunks, r.exited, ctx.Done()
	for chunks != nil || exited != nil {
		select {
		case b, ok := <-chunks:
			if !ok {
				chunks = nil
				continue
			}
			emit(b)
			if exited == nil {
				silence = time.After(quiet)
			}
		case <-exited:
			exited = nil
			if stop == nil {
				res.Exited, res.ShellTime = true, time.Since(r.started)
			}
			silence, limit = time.After(quiet), time.After(patience)
		case <-timeout:
			kill(fmt.Errorf("%w after %v", ErrTimeout, cmd.Timeout))
		case <-done:
			done = nil
			if stop == nil {
				kill(fmt.Errorf("run command: %w", context.Cause(ctx)))
			}
		case <-silence:
			silence, limit = nil, nil
			r.leave(chunks, emit, &res, cmd.Late)
			chunks = nil
		case <-limit:
			if exited != nil {
				// The shell can not be killed. Its goroutine stays until it goes.
				go r.abandon()
				res.Duration = time.Since(r.started)
				return res, errors.Join(stop, errors.New("the process did not end when it was killed"))
			}
			silence, limit = nil, nil
			r.leave(chunks, emit, &res, cmd.Late)
			chunks = nil
		}
	}
	r.groups.remove(r.tree)
	res.ExitCode = r.tree.reap()
	closeErr := r.out.Close()
	res.Duration = time.Since(r.started)
	if stop != nil {
		return res, stop
	}
	if closeErr != nil && !errors.Is(closeErr, os.ErrClosed) {
		return res, fmt.Errorf("close command output: %w", closeErr)
	}
	return res, nil
}

// leave ends the reading although the pipe is still open.
func (r *running) leave(chunks <-chan []byte, emit func([]byte), res *Result, late func() string) {
	if chunks == nil {
		return
	}
	stopReading(r.out)
	for b := range chunks {
		emit(b)
	}
	// The reader may have been stopped a moment too early: take what is there.
	if r.eof || drain(r.out, emit) {
		return
	}
	res.Detached = true
	if late != nil {
		handOver(r.out, late)
	} else {
		handOver(r.out, func() string { return "" })
	}
}

// abandon cleans up behind a process that outlived its killing.
func (r *running) abandon() {
	r.out.Close()
	for range r.chunks {
	}
	<-r.exited
	r.groups.remove(r.tree)
	r.tree.reap()
}
