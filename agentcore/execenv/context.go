package execenv

import "context"

type contextKey struct{}

// NewContext gives a context that carries env to whatever is called with it. The run
// controller hands its environment to tools this way, so that one tool serves
// sessions in several places: a directory, a container, memory.
func NewContext(ctx context.Context, env Env) context.Context {
	return context.WithValue(ctx, contextKey{}, env)
}

// FromContext gives the environment that ctx carries, and whether it carries one.
func FromContext(ctx context.Context) (Env, bool) {
	env, ok := ctx.Value(contextKey{}).(Env)
	return env, ok
}
