package extension

import (
	"context"
	"sync"
)

// prompts tells, in order and without anybody waiting, that a person is being
// asked.
type prompts struct {
	mu      sync.Mutex
	depth   int
	queue   []func()
	running bool
}

func (p *prompts) post(f func()) {
	p.queue = append(p.queue, f)
	if p.running {
		return
	}
	p.running = true
	go func() {
		for {
			p.mu.Lock()
			if len(p.queue) == 0 {
				p.running = false
				p.mu.Unlock()
				return
			}
			next := p.queue[0]
			p.queue = p.queue[1:]
			p.mu.Unlock()
			next()
		}
	}()
}

// asking tells that a prompt begins; the returned function tells its end.
func (r *Runner) asking(ev UIPrompt) (end func()) {
	p := &r.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.depth++; p.depth == 1 {
		p.post(func() {
			tell(context.Background(), r, "ui_prompt_start", func(e *Events) *Topic[UIPrompt] { return &e.UIPromptStart }, &ev)
		})
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.depth--; p.depth == 0 {
			p.post(func() {
				tell(context.Background(), r, "ui_prompt_end", func(e *Events) *Topic[UIPrompt] { return &e.UIPromptEnd }, &ev)
			})
		}
	}
}

// promptUI is a [UI] whose questions are told to extensions.
type promptUI struct {
	UI
	r *Runner
}

func (r *Runner) promptUI(ui UI) UI {
	if _, none := ui.(NoUI); none || ui == nil {
		return NoUI{}
	}
	return promptUI{ui, r}
}

func (u promptUI) Select(ctx context.Context, title string, options []string, o DialogOptions) (string, bool) {
	defer u.r.asking(UIPrompt{Kind: "select", Title: title})()
	return u.UI.Select(ctx, title, options, o)
}

func (u promptUI) Confirm(ctx context.Context, title, message string, o DialogOptions) bool {
	defer u.r.asking(UIPrompt{Kind: "confirm", Title: title})()
	return u.UI.Confirm(ctx, title, message, o)
}

func (u promptUI) Input(ctx context.Context, title, placeholder string, o DialogOptions) (string, bool) {
	defer u.r.asking(UIPrompt{Kind: "input", Title: title})()
	return u.UI.Input(ctx, title, placeholder, o)
}

func (u promptUI) Editor(ctx context.Context, title, prefill string) (string, bool) {
	defer u.r.asking(UIPrompt{Kind: "editor", Title: title})()
	return u.UI.Editor(ctx, title, prefill)
}

func (u promptUI) Screen() Screen {
	s := u.UI.Screen()
	if s == nil {
		return nil
	}
	return promptScreen{s, u.r}
}

// promptScreen is a [Screen] whose custom prompts are told to extensions.
type promptScreen struct {
	Screen
	r *Runner
}

func (s promptScreen) Custom(ctx context.Context, show func(Surface, func(any)) Component, o CustomOptions) (any, error) {
	defer s.r.asking(UIPrompt{Kind: "custom", Title: o.Title, Blocked: o.Blocked})()
	return s.Screen.Custom(ctx, show, o)
}
