package interactive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/tui"
)

// command is one that begins with a slash. Help, completion and the palette are
// made from it.
type command struct {
	name string
	args string // what may follow, for the list; "" for nothing
	help string
	// needs says that something has to follow.
	needs bool
	// hidden leaves it out of the lists.
	hidden bool
	run    func(u *ui, arg string)
	// complete lists what may follow; it is called on any goroutine.
	complete func(ctx context.Context, u *ui) []tui.ListItem
	// action is the key action that does the same, if there is one.
	action string
}

// commands lists all commands in the order in which they are shown.
func commands() []command {
	quit := func(u *ui, _ string) { u.quit(nil) }
	return []command{
		{name: "model", args: "[name]", help: "choose the model", run: (*ui).modelCommand, complete: modelItems, action: "app.model.select"},
		{name: "thinking", args: "[level]", help: "choose how hard the model thinks", run: (*ui).thinkingCommand, complete: thinkingItems},
		{name: "scoped-models", help: "choose the models to cycle through", run: (*ui).scopeCommand},
		{name: "new", help: "begin a new session", run: (*ui).newCommand, action: "app.session.new"},
		{name: "resume", help: "go on with an earlier session", run: (*ui).resumeCommand, action: "app.session.resume"},
		{name: "tree", help: "go back to an earlier point of this session", run: (*ui).treeCommand, action: "app.session.tree"},
		{name: "fork", help: "a new session from one of your messages on", run: (*ui).forkCommand, action: "app.session.fork"},
		{name: "clone", help: "a copy of this session", run: (*ui).cloneCommand},
		{name: "compact", args: "[what matters]", help: "sum up the conversation to make room", run: (*ui).compactCommand},
		{name: "name", args: "[name]", help: "name this session", run: (*ui).nameCommand},
		{name: "session", help: "file, counts, tokens and cost of this session", run: (*ui).sessionCommand},
		{name: "copy", help: "copy the last answer", run: (*ui).copyCommand, action: "app.message.copy"},
		{name: "export", args: "[file]", help: "write this session as a page, or .jsonl", run: (*ui).exportCommand},
		{name: "import", args: "<file>", help: "go on with a session file from elsewhere", needs: true, run: (*ui).importCommand, complete: sessionFiles},
		{name: "share", help: "upload this session for others to read", run: (*ui).shareCommand},
		{name: "login", args: "[provider]", help: "connect a provider", run: (*ui).loginCommand, complete: providerItems},
		{name: "logout", args: "[provider]", help: "remove a stored key or login", run: (*ui).logoutCommand},
		{name: "llama", help: "load, unload and download the models of a llama.cpp server", run: (*ui).llamaCommand},
		{name: "settings", help: "change how this program looks and works", run: (*ui).settingsCommand},
		{name: "theme", args: "[name]", help: "choose the colours", run: (*ui).themeCommand, complete: themeSuggestions},
		{name: "trust", help: "whether the files of this project are used", run: (*ui).trustCommand},
		{name: "reload", help: "read settings, keys, themes, skills and instructions again", run: (*ui).reloadCommand},
		{name: "hotkeys", help: "list the keys", run: (*ui).hotkeysCommand},
		{name: "help", help: "list the commands", run: (*ui).helpCommand},
		{name: "changelog", help: "what has changed in this program", run: (*ui).changelogCommand},
		{name: "bug", args: "[what is wrong]", help: "write a report to send to the authors", run: (*ui).bugCommand},
		{name: "debug", help: "write what is known of this program's state", hidden: true, run: (*ui).debugCommand},
		{name: "quit", help: "leave", run: quit, action: "app.exit"},
		{name: "exit", help: "leave", hidden: true, run: quit},
	}
}

// label is a command with what may follow.
func (c command) label() string { return strings.TrimSpace("/" + c.name + " " + c.args) }

// command does what a line says, if it is a command. Text that begins with a
// slash and names none, such as a path, is for the model; a mistyped name is not.
func (u *ui) command(line string) bool {
	name, arg := line[1:], ""
	if i := strings.IndexAny(name, " \t\n"); i >= 0 {
		name, arg = name[:i], strings.TrimSpace(name[i:])
	}
	list := commands()
	at := slices.IndexFunc(list, func(c command) bool { return c.name == name })
	if at < 0 {
		if slices.Contains(u.promptNames(), name) {
			return false // the session puts a template or a skill in its place
		}
		if name == "" || strings.ContainsAny(name, `/\.*?<>"'`) {
			return false
		}
		u.refuse(line, fmt.Sprintf("There is no command /%s%s; /help lists them. With a blank in front this goes to the model.", name, u.nearCommand(name, list)))
		return true
	}
	c := list[at]
	switch {
	case c.args == "" && arg != "":
		if slices.Contains(u.promptNames(), name) {
			return false // a template of the same name takes arguments
		}
		u.refuse(line, fmt.Sprintf("/%s stands alone. Put a blank in front to send this to the model.", name))
	case c.needs && arg == "":
		u.refuse(line+" ", fmt.Sprintf("Write it as %s.", c.label()))
	default:
		c.run(u, arg)
	}
	return true
}

// refuse gives a line back to the editor and says why.
func (u *ui) refuse(line, why string) {
	u.hint(why)
	u.editor.SetText(line)
}

// promptNames are what templates and skills are called behind a slash. It may be
// called on any goroutine.
func (u *ui) promptNames() []string {
	var names []string
	for _, c := range u.session().Commands() {
		names = append(names, c.Name)
	}
	return names
}

// nearCommand suggests what a mistyped name was meant to be.
func (u *ui) nearCommand(name string, list []command) string {
	known := u.promptNames()
	for _, c := range list {
		if !c.hidden {
			known = append(known, c.name)
		}
	}
	if near := ai.Nearest(name, known, 1); len(near) > 0 {
		return " (did you mean /" + near[0] + "?)"
	}
	return ""
}

// idle reports whether the session is at rest, and says what to do if not.
func (u *ui) idle(what string) bool {
	if u.session().Busy() || u.shell != nil {
		u.hint(fmt.Sprintf("To %s, stop first what is under way (%s).", what, u.keys.Text("app.interrupt")))
		return false
	}
	return true
}

// later runs work that may take a while on a goroutine of its own, and then
// done on the program's.
func (u *ui) later(work func(ctx context.Context) error, done func()) {
	u.spawn(func() { u.await(work, done) })
}

// change is later for what changes the session, such as its model: of two changes the
// later one counts, and what is asked next comes after both.
func (u *ui) change(work func(ctx context.Context) error, done func()) {
	u.asked.add(u.spawn, func() { u.await(work, done) })
}

func (u *ui) await(work func(ctx context.Context) error, done func()) {
	err := work(u.ctx)
	u.p.Do(func() {
		if err != nil {
			u.fail(err)
			return
		}
		if done != nil {
			done()
		}
	})
}

func (u *ui) helpCommand(string) {
	rows := [][2]string{}
	for _, c := range commands() {
		if !c.hidden {
			rows = append(rows, [2]string{c.label(), c.help})
		}
	}
	for _, c := range u.session().Commands() {
		rows = append(rows, [2]string{oneLine(strings.TrimSpace("/" + c.Name + " " + c.Hint)), oneLine(c.Description)})
	}
	rows = append(rows, [2]string{"!command", "run a command; the model sees what it prints"}, [2]string{"!!command", "run a command just for you"},
		[2]string{"@file", "name a file"})
	if k := u.keys.Text("app.palette"); k != "" {
		rows = append(rows, [2]string{k, "find a command by a part of its name"})
	}
	u.table("Commands", rows)
}

// table shows two columns.
func (u *ui) table(title string, rows [][2]string) {
	u.append(tui.Spacer(1))
	u.append(&table{ui: u, title: title, rows: rows})
}

func (u *ui) copyCommand(string) {
	messages := u.session().State().Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if m, ok := messages[i].(*ai.AssistantMessage); ok {
			if t := strings.TrimSpace(m.Text()); t != "" {
				u.copy(t, "Copied the last answer.")
				return
			}
		}
	}
	u.hint("There is no answer to copy yet.")
}

func (u *ui) nameCommand(name string) {
	if name == "" {
		if u.foot.name == "" {
			u.hint("This session has no name. /name followed by one gives it one.")
		} else {
			u.hint("This session is called " + u.foot.name + ".")
		}
		return
	}
	s := u.session()
	u.change(func(ctx context.Context) error { return s.Harness().SetName(ctx, name) }, func() {
		u.foot.call(name)
	})
}

func (u *ui) compactCommand(focus string) {
	s := u.session()
	u.spawn(func() {
		_, err := s.Compact(u.ctx, focus)
		u.p.Do(func() {
			switch {
			case err == nil || u.ctx.Err() != nil || errors.Is(err, context.Canceled):
			case errors.Is(err, compaction.ErrNothing), errors.Is(err, compaction.ErrAlready), errors.Is(err, harness.ErrCancelled):
				u.hint("Nothing was summed up: " + err.Error() + ".")
			default:
				u.failure("the conversation could not be summed up: " + err.Error())
			}
			if !s.Busy() {
				u.status.rest()
			}
		})
	})
}

func (u *ui) sessionCommand(string) {
	s := u.session()
	u.spawn(func() {
		stats, err := s.Session().Stats(u.ctx)
		u.p.Do(func() {
			if err != nil {
				u.fail(err)
				return
			}
			file := s.File()
			if file == "" {
				file = "not kept on disk"
			}
			rows := [][2]string{
				{"File", u.homePath(file)},
				{"Id", s.ID()},
				{"Directory", u.homePath(s.Header().Cwd)},
				{"Begun", s.Header().Time.Local().Format(time.DateTime)},
				{"Messages", fmt.Sprintf("%d (yours %d, answers %d, results %d)", stats.Messages, stats.UserMessages, stats.AssistantMessages, stats.ToolResults)},
				{"Tool calls", fmt.Sprint(stats.ToolCalls)},
				{"Tokens", fmt.Sprintf("%s in, %s out, %s from cache, %s into cache",
					tokenCount(stats.Usage.Input), tokenCount(stats.Usage.Output), tokenCount(stats.Usage.CacheRead), tokenCount(stats.Usage.CacheWrite))},
				{"Cost", money(stats.Usage.Cost.Total)},
			}
			for _, m := range stats.Models {
				rows = append(rows, [2]string{m.Provider + "/" + m.Model, fmt.Sprintf("%s, %s", count(m.Answers, "answer"), money(m.Usage.Cost.Total))})
			}
			u.table("Session", rows)
		})
	})
}

func (u *ui) exportCommand(path string) {
	path = strings.Trim(path, `"'`)
	if u.cfg.Export == nil {
		u.hint("Sessions can not be exported here.")
		return
	}
	var written string
	s := u.session()
	u.later(func(ctx context.Context) (err error) {
		written, err = u.cfg.Export(ctx, s, path)
		return err
	}, func() { u.note("success", "Written to "+u.shortPath(written)) })
}

func (u *ui) toggleThinking() {
	u.hideThinking, u.noThinking = !u.noThinking, u.hideThinking && !u.noThinking
	u.p.Restyle()
	switch {
	case u.noThinking:
		u.hint("Thinking is hidden.")
	case u.hideThinking:
		u.hint("Thinking is folded to a line.")
	default:
		u.hint("Thinking is shown.")
	}
}

func (u *ui) toggleExpanded() {
	u.expanded = !u.expanded
	u.guests.expanded.Store(u.expanded)
	u.p.Restyle()
}
