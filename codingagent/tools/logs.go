package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
)

// logNames matches the names of the files that hold the full output of commands.
var logNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^pi-(bash|powershell)-[0-9a-f]{16}\.log$`)
})

// RemoveOldLogs removes the files with full output of commands that were last
// written before a time, and returns how many. Nothing else removes them, as a
// conversation may refer to them for as long as it goes on. It is meant to be
// called now and then in the background.
func RemoveOldLogs(ctx context.Context, env execenv.Env, before time.Time) (removed int, err error) {
	entries, err := env.FS.ReadDir(ctx, env.Temp)
	if err != nil {
		return 0, fmt.Errorf("look for old logs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.Type().IsRegular() || !logNames().MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue
		}
		switch err := env.FS.Remove(ctx, env.Join(env.Temp, e.Name())); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission): // another user's
			errs = append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}
