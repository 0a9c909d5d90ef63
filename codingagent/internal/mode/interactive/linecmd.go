package interactive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// lineCommand is a command of the line mode.
type lineCommand struct {
	name, args, help string
	run              func(ctx context.Context, c *chat, arg string) error
}

// lineCommands lists them in the order of /help. /quit is not among them, as the
// chat ends itself.
func lineCommands() []lineCommand {
	return []lineCommand{
		{"model", "[name]", "list the models, or use another one", runLineModel},
		{"thinking", "[level]", "how hard the model thinks", runLineThinking},
		{"compact", "[what matters]", "sum up the conversation to make room", runLineCompact},
		{"name", "[name]", "name this session", runLineName},
		{"session", "", "file, counts, tokens and cost", runLineSession},
		{"help", "", "this list", runLineHelp},
	}
}

// command does what a line says, if it is a command of the line mode.
func (c *chat) command(ctx context.Context, line string) bool {
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		c.shell(ctx, strings.TrimPrefix(rest, "!"), strings.HasPrefix(rest, "!"))
		return true
	}
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	list := lineCommands()
	at := slices.IndexFunc(list, func(l lineCommand) bool { return l.name == name })
	if at < 0 || !strings.HasPrefix(line, "/") {
		return false
	}
	if err := c.during(ctx, func() error { return list[at].run(ctx, c, strings.TrimSpace(arg)) }); err != nil && ctx.Err() == nil {
		c.view.failure(err)
	}
	return true
}

func runLineHelp(_ context.Context, c *chat, _ string) error {
	c.view.notice("Type a request and press Enter. Ctrl+C stops an answer, Ctrl+D or /quit leaves.")
	for _, l := range lineCommands() {
		c.view.notice(fmt.Sprintf("%s: %s", strings.TrimSpace("/"+l.name+" "+l.args), l.help))
	}
	c.view.notice("!command: run a command; with !! the model does not hear of it")
	for _, p := range c.session.Commands() {
		c.view.notice(oneLine(strings.TrimSpace("/"+p.Name+" "+p.Hint) + ": " + p.Description))
	}
	return nil
}

func runLineModel(ctx context.Context, c *chat, ref string) error {
	var all []*ai.Model
	if c.o.Available != nil {
		all = c.o.Available(ctx)
	}
	if ref == "" {
		if m := c.session.Model(); m != nil {
			c.view.notice("In use: " + m.Ref())
		}
		for _, m := range all {
			c.view.notice(m.Ref())
		}
		if len(all) == 0 {
			c.view.notice("No model is connected. Set a key, such as ANTHROPIC_API_KEY, or describe a server in models.json.")
		}
		return nil
	}
	var fit []*ai.Model
	for _, m := range all {
		if m.Ref() == ref || m.ID == ref {
			fit = append(fit, m)
		}
	}
	if len(fit) != 1 {
		var names []string
		for _, m := range all {
			names = append(names, m.Ref())
		}
		hint := ""
		if near := ai.Nearest(ref, names, 1); len(near) > 0 {
			hint = "; did you mean " + near[0] + "?"
		}
		return fmt.Errorf("%d models are called %s%s", len(fit), ref, hint)
	}
	if err := c.session.SetModel(ctx, fit[0]); err != nil {
		return err
	}
	c.view.notice("The model is " + fit[0].Ref() + ".")
	return nil
}

func runLineThinking(ctx context.Context, c *chat, level string) error {
	if level != "" {
		if err := c.session.SetThinking(ctx, ai.ThinkingLevel(level)); err != nil {
			return err
		}
	}
	c.view.notice("Thinking: " + string(c.session.Thinking()))
	return nil
}

func runLineCompact(ctx context.Context, c *chat, focus string) error {
	r, err := c.session.Compact(ctx, focus)
	if err != nil {
		return err
	}
	c.view.notice(fmt.Sprintf("Summed up: %s tokens became %s.", tokenCount(r.TokensBefore), tokenCount(r.TokensAfter)))
	return nil
}

func runLineName(ctx context.Context, c *chat, name string) error {
	if name != "" {
		return c.session.Harness().SetName(ctx, name)
	}
	name, err := c.session.Session().Name(ctx)
	if err == nil {
		c.view.notice("Name: " + oneLine(name))
	}
	return err
}

func runLineSession(ctx context.Context, c *chat, _ string) error {
	stats, err := c.session.Session().Stats(ctx)
	if err != nil {
		return err
	}
	file := c.session.File()
	if file == "" {
		file = "not kept on disk"
	}
	tokens, known := c.session.Harness().ContextTokens()
	about := ""
	if !known {
		about = "about "
	}
	c.view.notice("File: " + file)
	c.view.notice(fmt.Sprintf("Messages: %d. Tool calls: %d.", stats.Messages, stats.ToolCalls))
	c.view.notice(fmt.Sprintf("Tokens: %s in, %s out, %s from cache. Context: %s%s.",
		tokenCount(stats.Usage.Input), tokenCount(stats.Usage.Output), tokenCount(stats.Usage.CacheRead), about, tokenCount(tokens)))
	c.view.notice("Cost: " + money(stats.Usage.Cost.Total))
	return nil
}

// shell runs a command of the person's. Ctrl+C stops it.
func (c *chat) shell(ctx context.Context, command string, hidden bool) {
	if command = strings.TrimSpace(command); command == "" {
		c.view.notice("Write a command behind the !, such as !git status.")
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		m, err := c.session.Bash(ctx, command, hidden, func(s string) { c.view.styled("", s) })
		if err == nil && m != nil && m.ExitCode != nil && *m.ExitCode != 0 {
			c.view.notice(fmt.Sprintf("exit code %d", *m.ExitCode))
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			c.view.fresh()
			if err != nil && ctx.Err() == nil {
				c.view.failure(err)
			}
			return
		case q := <-c.questions:
			c.put(ctx, q)
		case <-c.o.Interrupts:
			cancel()
		}
	}
}
