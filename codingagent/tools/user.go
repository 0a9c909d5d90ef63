package tools

import (
	"context"
	"errors"

	"github.com/pi-go/pi/agentcore/execenv"
)

// UserResult is the result of a command that the user, not a model, had run.
type UserResult struct {
	// Output is the end of what it printed, without escape sequences.
	Output string `json:"output"`
	// ExitCode is nil if the command was cancelled.
	ExitCode  *int `json:"exitCode,omitempty"`
	Cancelled bool `json:"cancelled"`
	// Truncated says that Output is not all. FullOutputPath is the file with all.
	Truncated      bool   `json:"truncated"`
	FullOutputPath string `json:"fullOutputPath,omitempty"`
}

// RunUserCommand runs a command that the user typed. live, if not nil, gets the
// output while it comes, readable but with every state of progress displays and
// carriage returns between those, as a terminal wants them. A
// cancelled ctx is no error but a cancelled result.
func RunUserCommand(ctx context.Context, env execenv.Env, script string, live func(text string)) (UserResult, error) {
	out := newCollector(ctx, env, "pi-bash")
	out.cleanLog = true
	var decoder decoder
	cleaner := cleaner{keepProgress: true}
	show := func(text []byte) {
		if live != nil && len(text) > 0 {
			live(string(text))
		}
	}
	res, err := env.Run(ctx, execenv.Command{
		Script: script,
		Output: func(b []byte) {
			out.write(b)
			show(cleaner.clean(nil, string(decoder.decode(nil, b))))
		},
		Late: out.late,
	})
	out.close()
	show(cleaner.flush(cleaner.clean(nil, string(decoder.flush(nil)))))
	cancelled := err != nil && ctx.Err() != nil && !errors.Is(err, execenv.ErrUnavailable)
	if err != nil && !cancelled {
		return UserResult{}, err
	}
	shown := out.shown()
	r := UserResult{
		Output: shown.Content, Cancelled: cancelled, Truncated: shown.Truncated, FullOutputPath: out.logName(),
	}
	if !cancelled {
		r.ExitCode = &res.ExitCode
	}
	return r, nil
}
