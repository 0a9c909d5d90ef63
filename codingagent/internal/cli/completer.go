package cli

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/demo"
	"github.com/pi-go/pi/codingagent/tools"
)

// completer finds out what may follow on a command line. It reads files when
// their contents are asked for, says nothing on standard error, and asks no
// server.
type completer struct {
	ctx  context.Context
	sys  *System
	full *program // nil until it is needed
}

func newCompleter(ctx context.Context, sys *System) *completer {
	sys = new(*sys)
	sys.Err, sys.rawErr = io.Discard, io.Discard
	return &completer{ctx: ctx, sys: sys}
}

// program opens settings and models; ok is false when that can not be done.
func (c *completer) program() (*program, bool) {
	if c.full == nil {
		p, err := newProgram(c.ctx, &Args{Offline: true, Completing: true}, c.sys, false)
		if err != nil {
			return nil, false
		}
		p.screen = false
		p.lendModels(c.ctx)
		c.full = p
	}
	return c.full, true
}

// complete finds what the last of words, which may be empty, can be.
func (c *completer) complete(words []string) candidates {
	if len(words) == 0 {
		words = []string{""}
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	opts, sub := options(), (*subcommand)(nil)
	if s, rest, ok := called(before); ok {
		opts, sub, before = s.all(), &s, rest
	}
	said, pending, ended := c.walk(opts, before)
	switch {
	case pending != nil && (!pending.optional || isMessage(word)):
		return c.values(*pending, word)
	case !ended && strings.HasPrefix(word, "-"):
		return c.options(opts, word)
	case sub == nil && strings.HasPrefix(word, "@"):
		return c.named(word)
	case sub == nil:
		found := candidates{files: true}
		if _, _, ok := called(append(slices.Clone(before), subcommands()[0].name)); ok && !ended {
			for _, s := range subcommands() {
				found.list = append(found.list, candidate{s.name, s.help})
			}
		}
		return found.beginning(word)
	case len(sub.actions) > 0 && len(said) == 0:
		var found candidates
		for _, a := range sub.actions {
			found.list = append(found.list, candidate{word: a})
		}
		return found.beginning(word)
	case sub.complete != nil:
		return sub.complete(c, said).beginning(word)
	}
	return candidates{files: true}
}

// walk reads the words before: what was said besides options, the option that
// waits for its value, and whether options have ended.
func (c *completer) walk(opts []option, words []string) (said []string, pending *option, ended bool) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, _, joined := strings.Cut(w, "=")
		o := lookup(opts, name)
		switch {
		case ended:
			said = append(said, w)
		case w == "--":
			ended = true
		case o == nil && strings.HasPrefix(w, "-") && len(w) > 1:
		case o == nil:
			said = append(said, w)
		case o.value == nil || joined:
		case i == len(words)-1:
			return said, o, false
		default:
			i++ // its value
		}
	}
	return said, nil, ended
}

// options are those that begin with a word, or the values of one that the word
// names already.
func (c *completer) options(opts []option, word string) candidates {
	if name, value, ok := strings.Cut(word, "="); ok {
		o := lookup(opts, name)
		if o == nil || o.value == nil {
			return candidates{}
		}
		found := c.values(*o, value)
		for i := range found.list {
			found.list[i].word = name + "=" + found.list[i].word
		}
		return found
	}
	var found candidates
	for _, o := range opts {
		found.list = append(found.list, candidate{"--" + o.long, o.help})
		if o.short != "" && !strings.HasPrefix(word, "--") && word != "-" {
			found.list = append(found.list, candidate{"-" + o.short, o.help})
		}
	}
	return found.beginning(word)
}

// beginning leaves what begins with a word.
func (c candidates) beginning(word string) candidates {
	c.list = slices.DeleteFunc(c.list, func(k candidate) bool { return !strings.HasPrefix(k.word, word) })
	return c
}

func wordList(words ...string) (c candidates) {
	for _, w := range words {
		c.list = append(c.list, candidate{word: w})
	}
	return c
}

// values are what an option may have.
func (c *completer) values(o option, word string) candidates {
	switch o.long {
	case "thinking":
		return wordList(levels()...).beginning(word)
	case "mode":
		return wordList(modes()...).beginning(word)
	case "tui-mode":
		return wordList(tuiModes()...).beginning(word)
	case "model", "list-models":
		return c.models(word)
	case "models":
		at := strings.LastIndexByte(word, ',') + 1
		found := c.models(word[at:])
		for i := range found.list {
			found.list[i].word = word[:at] + found.list[i].word
		}
		return found
	case "provider":
		return c.providers().beginning(word)
	case "use-theme":
		return c.themes().beginning(word)
	case "exposure":
		return wordList("direct", "deferred", "codemode", "hidden").beginning(word)
	case "oauth-client-registration":
		return wordList("auto", "cimd", "dcr").beginning(word)
	case "tools", "exclude-tools":
		return toolLists(word)
	case "session", "session-id", "fork", "export":
		found := c.sessions().beginning(word)
		found.files = o.long != "session-id"
		return found
	}
	for _, kind := range []string{"FILE", "DIR", "PATH", "SOURCE"} {
		if strings.Contains(o.arg, kind) {
			return candidates{files: true}
		}
	}
	return candidates{}
}

// models are those that can be used. Behind the name of one and a colon come the
// levels of thinking.
func (c *completer) models(word string) (found candidates) {
	p, ok := c.program()
	if !ok {
		return found
	}
	list := p.available(c.ctx)
	ref, _, colon := strings.Cut(word, ":")
	if colon && slices.ContainsFunc(list, func(m *ai.Model) bool { return m.Ref() == ref }) {
		for _, l := range levels() {
			found.list = append(found.list, candidate{word: ref + ":" + l})
		}
	}
	for _, m := range list {
		found.list = append(found.list, candidate{m.Ref(), m.Name})
	}
	found.list = append(found.list, candidate{demo.ProviderID + "/" + demo.ModelID, "no language model, works without a key"})
	return found.beginning(word)
}

func (c *completer) providers() (found candidates) {
	if p, ok := c.program(); ok {
		for _, v := range p.models.Models.Providers() {
			if v.ID() != demo.ProviderID {
				found.list = append(found.list, candidate{v.ID(), v.Name()})
			}
		}
	}
	return found
}

func (c *completer) themes() candidates {
	found := wordList("system", "dark", "light")
	if p, ok := c.program(); ok {
		entries, _ := p.files.ReadDir(c.ctx, filepath.Join(p.agentDir, "themes")) // mostly there is none
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
				found.list = append(found.list, candidate{word: name})
			}
		}
	}
	return found
}

// toolLists completes the last name of a list, with its sign.
func toolLists(word string) (found candidates) {
	at := strings.LastIndexByte(word, ',') + 1
	before, last := word[:at], word[at:]
	if last != "" && strings.ContainsAny(last[:1], "+-") {
		before, last = before+last[:1], last[1:]
	}
	for _, d := range tools.New(tools.Options{}) {
		if strings.HasPrefix(d.Name, last) {
			found.list = append(found.list, candidate{before + d.Name, d.Snippet})
		}
	}
	return found
}

// patience is how long sessions are looked at: a person waits for the list.
const patience = time.Second

// sessions are those of the directory, the newest first.
func (c *completer) sessions() (found candidates) {
	p, ok := c.program()
	if !ok {
		return found
	}
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	var list []session.Info
	for info, err := range p.sessionDir().List(ctx, session.ListOptions{Cwd: p.sys.Dir}) {
		if err == nil {
			list = append(list, info)
		}
	}
	session.SortByTime(list)
	for _, i := range list {
		found.list = append(found.list, candidate{i.ID, cut(cmp.Or(i.Name, i.First), 60)})
	}
	return found
}

// sessionWords are what may follow an action of pi sessions.
func (c *completer) sessionWords(said []string) candidates {
	switch said[0] {
	case "show", "check", "export", "delete":
		found := c.sessions()
		found.files = true
		return found
	case "import":
		return candidates{files: true}
	}
	return candidates{}
}

// named completes an @file.
func (c *completer) named(word string) (found candidates) {
	dir, base := filepath.Split(word[1:])
	look := expandHome(dir, c.sys.Home)
	if !filepath.IsAbs(look) {
		look = filepath.Join(c.sys.Dir, look)
	}
	p, ok := c.program()
	if !ok {
		return found
	}
	entries, err := p.files.ReadDir(c.ctx, look)
	if err != nil {
		return found
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), base) || strings.HasPrefix(e.Name(), ".") && base == "" {
			continue
		}
		name := "@" + dir + e.Name()
		if info, err := p.files.Stat(c.ctx, filepath.Join(look, e.Name())); err == nil && info.IsDir() {
			name += "/"
		}
		found.list = append(found.list, candidate{word: name})
	}
	found.open = len(found.list) == 1 && strings.HasSuffix(found.list[0].word, "/")
	return found
}
