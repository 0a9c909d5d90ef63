package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/rpc"
	"github.com/pi-go/pi/codingagent/settings"
)

// errClientGone says that the client of rpc mode has closed our output.
var errClientGone = errors.New("the client has gone")

// serve takes commands from a program until it closes our input.
func (p *program) serve(ctx context.Context, r *codingagent.Runtime) error {
	s := &rpc.Server{
		Runtime: r, NoModel: func() error { return p.noModel(ctx) }, Models: p.available, Export: p.exportCurrent,
		Save: func(ctx context.Context, key string, value any) error {
			return settings.Update(ctx, filepath.Join(p.agentDir, "settings.json"), map[string]any{key: value})
		},
	}
	p.onFault.Store(new(s.Fault))
	err := s.Serve(ctx, p.sys.In, p.sys.Out)
	if errors.Is(err, rpc.ErrReaderGone) {
		return errClientGone
	}
	return err
}
