package extension

import (
	"context"
	"sync"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
)

// What extensions give that is asked again and again, such as shells and vendors, is not
// waited for without end either.

// boundedShell runs commands in a shell of an extension, and leaves one behind that does
// not end with its context.
type boundedShell struct {
	a     *API
	shell execenv.Shell
}

// Run runs a command.
func (b *boundedShell) Run(ctx context.Context, cmd execenv.Command) (execenv.Result, error) {
	gate := &gate{}
	if output := cmd.Output; output != nil {
		cmd.Output = func(chunk []byte) { gate.pass(func() { output(chunk) }) }
	}
	if late := cmd.Late; late != nil {
		cmd.Late = func() (path string) {
			gate.pass(func() { path = late() })
			return path
		}
	}
	got := new(execenv.Result)
	err := b.a.r.bounded(ctx, func(ctx context.Context) (err error) {
		*got, err = b.shell.Run(ctx, cmd)
		return err
	})
	gate.shut()
	if leftBehind(err) {
		b.a.r.report(b.a, "user_bash", err)
		return execenv.Result{}, context.Cause(ctx)
	}
	return *got, err
}

// gate lets nothing pass once it is shut.
type gate struct {
	mu     sync.Mutex
	closed bool
}

func (g *gate) pass(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		f()
	}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// VirtualModels lists the virtual models that extensions registered, in load order.
func (r *Runner) VirtualModels() []models.VirtualModel {
	return gather(r, func(a *API) []models.VirtualModel { return a.virtual })
}

// route asks a virtual model of the extension who answers, and leaves one behind that
// does not come back.
func (a *API) route(name string, ask func(context.Context, models.RouteRequest) (models.Route, error)) func(context.Context, models.RouteRequest) (models.Route, error) {
	return func(ctx context.Context, req models.RouteRequest) (models.Route, error) {
		got := new(models.Route)
		err := a.r.bounded(ctx, func(ctx context.Context) (err error) {
			*got, err = ask(ctx, req)
			return err
		})
		if leftBehind(err) {
			a.r.report(a, "route of "+name, err)
			return models.Route{}, err
		}
		return *got, err
	}
}

// Stream has what asks a vendor that an extension registered end in time: see
// [ai.Stream.Detach]. Streams of other vendors stay as they are.
func (r *Runner) Stream(s *ai.Stream) *ai.Stream {
	if s.Model() == nil {
		return s
	}
	provider := s.Model().Provider
	for _, a := range r.apis {
		a.mu.Lock()
		own := false
		for _, p := range a.providers {
			own = own || p.ID() == provider
		}
		a.mu.Unlock()
		if own {
			return s.Detach(grace, func() { r.report(a, "provider "+provider, &LeftBehind{grace}) })
		}
	}
	return s
}
