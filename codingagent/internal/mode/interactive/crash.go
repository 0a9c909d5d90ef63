package interactive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// run runs the program. A panic anywhere in it restores the terminal, keeps
// the session, and leaves a report.
func (u *ui) run(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			u.crashed = u.report(r, debug.Stack())
		}
	}()
	later, stop := u.untilTold(ctx)
	defer stop()
	return u.p.Run(later)
}

// spawn runs f on a goroutine of its own; if it panics, the program ends in
// the same way as from a panic of its own goroutine.
func (u *ui) spawn(f func()) {
	go func() {
		defer u.contain()
		f()
	}()
}

// contain, when deferred, makes a panic on any goroutine the orderly end of the
// program.
func (u *ui) contain() {
	if r := recover(); r != nil {
		stack := debug.Stack()
		u.p.Do(func() {
			u.crashed = u.report(r, stack)
			u.p.Quit(nil)
		})
	}
}

// report writes what is known of a crash to a file. It holds where the program
// was, and neither what was said nor the environment: values are left out, as
// a message of a panic can hold any text.
func (u *ui) report(r any, stack []byte) error {
	kind := fmt.Sprintf("%T", r)
	if e, ok := r.(runtime.Error); ok {
		kind = e.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "pi %s crashed at %s\n%s %s/%s\npanic: %s\n\n%s", u.cfg.Version, time.Now().UTC().Format(time.RFC3339),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, Clean(kind), Clean(string(withoutValues(stack))))
	message := "pi has crashed (" + oneLine(kind) + ")."
	path := filepath.Join(u.cfg.AgentDir, "crash-"+time.Now().UTC().Format("20060102-150405")+".log")
	ctx := context.WithoutCancel(u.ctx)
	err := u.cfg.Env.FS.WriteFile(ctx, path, []byte(b.String()), 0o600)
	switch {
	case err == nil:
		message += " A report without your texts and keys is in " + path + "."
	case errors.Is(err, fs.ErrNotExist):
	default:
		message += " The report could not be written: " + err.Error() + "."
	}
	if u.session().File() != "" {
		message += " The conversation is kept: pi -c goes on with it."
	}
	return errors.New(message)
}

// withoutValues takes the first lines of a stack trace away that repeat the
// value of the panic, and the arguments of functions.
func withoutValues(stack []byte) []byte {
	var out []string
	for line := range strings.Lines(string(stack)) {
		if strings.HasPrefix(line, "panic(") {
			line = "panic(...)\n"
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, ""))
}
