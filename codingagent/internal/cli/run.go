package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/demo"
	"github.com/pi-go/pi/codingagent/internal/migrate"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
	"github.com/pi-go/pi/codingagent/internal/mode/print"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/sessiondir"
	"github.com/pi-go/pi/codingagent/settings"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
)

// Signal is the cause of a context that a signal cancelled.
type Signal struct {
	Name string
	// Code is what the program exits with.
	Code int
}

// Error names the signal.
func (s Signal) Error() string { return "stopped by " + s.Name }

// Run runs a command line without the program's name and gives the exit code.
//
// What goes to sys.Err is made harmless for a terminal: messages quote names
// and texts from files, servers and arguments.
func Run(ctx context.Context, argv []string, sys *System) int {
	sys = new(*sys)
	sys.rawErr, sys.Err = sys.Err, cleanWriter{sys.Err}
	err := run(ctx, argv, sys)
	var signal Signal
	var own coded
	switch {
	case errors.As(context.Cause(ctx), &signal):
		return signal.Code
	case err == nil, errors.Is(err, print.ErrReaderGone):
		return exitOK
	case errors.Is(err, errClientGone):
		return exitFailed
	case errors.Is(err, print.ErrFailed):
		return exitFailed // it has been said
	case errors.As(err, &own):
		if own.err != nil {
			fmt.Fprintf(sys.Err, "Error: %s\n", own)
		}
		return own.code
	}
	fmt.Fprintf(sys.Err, "Error: %s\n", err)
	return exitFailed
}

func run(ctx context.Context, argv []string, sys *System) error {
	if ok, err := runSubcommand(ctx, argv, sys); ok {
		return err
	}
	if sys.InTerminal && sys.OutTerminal {
		if err := mistyped(argv); err != nil {
			return err
		}
	}
	own := sys.flagOptions(ctx)
	args, err := parse(argv, append(options(), own...))
	if err != nil {
		return err
	}
	switch {
	case args.Version:
		_, err := fmt.Fprintln(sys.Out, sys.Version)
		return err
	case args.Help:
		return writeHelp(sys.Out, own)
	}
	if err := sys.loadExtensions(ctx, args); err != nil {
		return err
	}
	p, err := newProgram(ctx, args, sys, !args.ListModels && args.Export == "")
	if err != nil {
		return err
	}
	switch {
	case args.ListModels:
		return p.listModels(ctx)
	case args.Export != "":
		return p.exportSession(ctx, args.Export, strings.Join(args.Messages, " "))
	}
	err = p.converse(ctx)
	p.screen = false
	for _, n := range p.notices { // there was no screen to show them on
		p.warn("%s", n)
	}
	return err
}

// program is one invocation.
type program struct {
	args     *Args
	sys      *System
	agentDir string
	settings settings.Settings
	loaded   *settings.Loaded
	newest   atomic.Pointer[settings.Settings] // that a session was given, after a reload say
	project  project
	models   *models.Runtime
	files    execenv.FileSystem
	// notices are kept for a chat on a screen of its own, which would cover
	// them if they were written at once.
	notices     []string
	screen      bool
	toldScripts atomic.Bool // that extensions in files are not loaded
	// onFault learns of what extensions do wrong, if somebody does.
	onFault atomic.Pointer[func(*extension.Fault)]
}

// newProgram prepares an invocation. asks says that a person may be asked whether
// the project is trusted.
func newProgram(ctx context.Context, args *Args, sys *System, asks bool) (*program, error) {
	switch {
	case sys.Dir == "":
		return nil, errors.New("the working directory is gone, or may not be looked at; go to another one")
	case sys.Home == "" && sys.Env.Lookup("PI_CODING_AGENT_DIR") == "":
		return nil, errors.New("there is no home directory; set HOME, or PI_CODING_AGENT_DIR")
	}
	env, err := execenv.Local(sys.Dir, execenv.LocalOptions{Home: sys.Home})
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(sys.Env.Lookup("PI_OFFLINE")) {
	case "1", "true", "yes":
		args.Offline = true
	}
	p := &program{args: args, sys: sys, agentDir: sessiondir.AgentDir(sys.Env, sys.Home), files: env.FS}
	p.screen = p.wantsScreen()
	if !args.Completing {
		p.tell(migrate.Agent(ctx, p.agentDir))
	}
	if err := p.loadSettings(ctx, env, asks); err != nil {
		return nil, err
	}
	if p.settings.Terminal.Line && args.TUIMode == "" {
		p.screen = false
	}
	runtime, faults := p.home().Open(ctx)
	for _, f := range faults {
		p.warn("%s", f)
	}
	p.models = runtime
	return p, nil
}

// home is where models and keys come from.
func (p *program) home() models.Home {
	sys := p.sys
	return models.Home{
		AgentDir: p.agentDir, Files: p.files, Providers: sys.Providers, Protocols: sys.Protocols,
		Env: p.modelEnv(), Environ: sys.Environ, Dir: sys.Dir, Stderr: sys.rawErr,
		HTTPClient: sys.HTTPClient, Identity: ai.Identity{UserAgent: "pi-go/" + sys.Version},
	}
}

func (p *program) warn(format string, args ...any) {
	if p.screen {
		p.notices = append(p.notices, fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(p.sys.Err, "Warning: "+format+"\n", args...)
}

// mode is how the program talks.
type mode int

const (
	modeChat mode = iota
	modePrint
	modeJSON
	modeRPC
)

// mode decides how to talk; piped input turns a chat into a print.
func (p *program) mode() mode {
	switch {
	case p.args.Mode == "rpc":
		return modeRPC
	case p.args.Mode == "json":
		return modeJSON
	case p.args.Print || !p.sys.InTerminal || !p.sys.OutTerminal:
		return modePrint
	}
	return modeChat
}

// converse runs a chat, or prompts to their end.
func (p *program) converse(ctx context.Context) error {
	m := p.mode()
	var prompts []codingagent.Prompt
	var err error
	if m != modeRPC {
		if prompts, err = p.prompts(ctx); err != nil {
			return err
		}
	}
	if (m == modePrint || m == modeJSON) && len(prompts) == 0 {
		return errors.New(`there is no prompt: give one as in pi -p "what does this do?", or pipe it in`)
	}
	takeAway := p.lendModels(ctx)
	choice, err := p.chooseModel(ctx)
	if err != nil {
		return err
	}
	repo := p.repo()
	conversation, err := p.openSession(ctx, repo)
	if err != nil {
		return codingagent.InUse(err, p.agentDir)
	}
	p.checkToolNames()
	p.ensurePackages(ctx)
	var notices []string
	options, err := p.options(ctx)
	if err != nil {
		return errors.Join(err, conversation.Close())
	}
	options.Session, options.Thinking = codingagent.Existing(conversation), choice.Thinking
	options.ScopedModels = p.scope(ctx)
	if options.Model, notices, err = p.modelFor(ctx, conversation, &choice, options.ScopedModels, m); err != nil {
		return errors.Join(err, conversation.Close())
	}
	options.Thinking = choice.Thinking
	takeAway()
	if m == modeChat {
		notices = append(p.extraUsage(ctx, options.Model), notices...)
	}
	if m == modeChat || m == modeRPC {
		defer p.refreshModels(ctx)()
	}
	if p.screen {
		unconfigured := choice.Model == nil && options.Model.Provider == demo.ProviderID
		return p.chatOnScreen(ctx, options, prompts, notices, unconfigured)
	}
	r, err := codingagent.NewRuntime(ctx, options, repo)
	if err != nil {
		return err
	}
	s := r.Session()
	for _, d := range s.Diagnostics() {
		p.warn("%s %s", d.Path, d.Message)
	}
	if n := conversation.Skipped(); n > 0 {
		p.warn("%s has %d damaged lines; they were skipped and left as they are", conversation.Path(), n)
	}
	if m == modeRPC {
		err = p.serve(ctx, r)
	} else {
		err = p.runMode(ctx, m, s, prompts, notices)
	}
	// What was received is kept, whatever ended the run.
	return errors.Join(err, r.Close(context.WithoutCancel(ctx)))
}

// options are those of a session: all but the conversation and the model.
func (p *program) options(ctx context.Context) (codingagent.Options, error) {
	o := codingagent.Options{
		Dir: p.sys.Dir, AgentDir: p.agentDir, Home: p.sys.Home, Environ: p.sys.Environ, Groups: p.sys.Groups,
		Models: p.models.Models, ModelRuntime: p.models, Load: p.settingsFor, Name: p.args.Name,
		Tools:  codingagent.ToolSelection{Allow: p.args.Tools, Exclude: p.args.ExcludeTools, NoBuiltin: p.args.NoBuiltinTools, None: p.args.NoTools},
		APIKey: p.args.APIKey, NoContextFiles: p.args.NoContextFiles, Resources: p.sessionResources, OnFault: p.fault, Extensions: p.extensions(),
		Flags: p.args.ExtensionFlags,
	}
	if p.mode() == modeJSON {
		o.Front.Mode = extension.ModeJSON
	}
	_, v, _ := p.look(ctx, p.sys.Dir) // what is wrong was told
	o.ProjectTrusted = v.Trusted
	if !p.args.NoSession {
		o.Sessions = p.sessionsOf
	}
	var err error
	o.SystemPrompt, o.AppendSystemPrompt, err = p.systemPrompts(ctx)
	return o, err
}

// refreshModels asks vendors for their models while a person chats, for the next
// choice of a model; it gives what ends that. A vendor that can not be asked is no
// reason to disturb anybody: the models that were known stay.
func (p *program) refreshModels(ctx context.Context) (stop func()) {
	if p.offline() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() { p.models.Models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true}) })
	return func() {
		cancel()
		done.Wait()
	}
}

func (p *program) runMode(ctx context.Context, m mode, s *codingagent.AgentSession, prompts []codingagent.Prompt, notices []string) error {
	if m == modeChat {
		if p.sys.Interactive != nil {
			p.sys.Interactive()
		}
		faults := new(interactive.Faults)
		p.onFault.Store(new(faults.Report))
		defer p.onFault.Store(nil)
		kept := p.notices // from when it was not known yet that there is no screen
		p.notices = nil
		return interactive.Chat(ctx, s, interactive.Options{
			In: p.sys.In, Out: p.sys.Out, Interrupts: p.sys.Interrupts, First: prompts, Notices: append(kept, notices...), Color: p.color(),
			ASCII: interactive.PlainSigns(p.settings.Terminal, p.sys.Env.Lookup), Available: p.available, Faults: faults,
		})
	}
	options := print.Options{Prompts: prompts, JSON: m == modeJSON, Stdout: p.sys.Out, Stderr: p.sys.Err}
	if p.sys.OutTerminal {
		options.Clean = interactive.Clean
	}
	return print.Run(ctx, s, options)
}

// color reports whether colours are wanted (https://no-color.org) and likely
// to work.
func (p *program) color() bool {
	term := p.sys.Env.Lookup("TERM")
	return p.sys.OutTerminal && p.sys.Env.Lookup("NO_COLOR") == "" && term != "dumb" && term != ""
}

// prompts builds the messages of the command line.
func (p *program) prompts(ctx context.Context) ([]codingagent.Prompt, error) {
	stdin := ""
	if !p.sys.InTerminal {
		var err error
		if stdin, err = ReadStdin(ctx, p.sys.In, p.sys.Err); err != nil {
			return nil, err
		}
	}
	env, err := execenv.Local(p.sys.Dir, execenv.LocalOptions{Home: p.sys.Home})
	if err != nil {
		return nil, err
	}
	return BuildPrompts(ctx, env, stdin, p.args.Files, p.args.Messages, p.readImage)
}

// systemPrompts reads --system-prompt and --append-system-prompt: a text, or
// the name of a file that holds it.
func (p *program) systemPrompts(ctx context.Context) (system string, add []string, err error) {
	read := func(v string) (string, error) {
		if v == "" || strings.ContainsAny(v, "\n\x00") || len(v) > 1024 {
			return v, nil
		}
		path := expandHome(v, p.sys.Home)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.sys.Dir, path)
		}
		if info, err := p.files.Stat(ctx, path); err != nil || !info.Mode().IsRegular() {
			return v, nil
		}
		data, err := execenv.ReadAtMost(ctx, p.files, path, maxText)
		if err != nil {
			return "", fmt.Errorf("read system prompt: %w", err)
		}
		return strings.ToValidUTF8(strings.TrimPrefix(string(data), "\uFEFF"), "\uFFFD"), nil
	}
	if system, err = read(p.args.SystemPrompt); err != nil {
		return "", nil, err
	}
	for _, v := range p.args.AppendSystemPrompt {
		text, err := read(v)
		if err != nil {
			return "", nil, err
		}
		add = append(add, text)
	}
	return system, add, nil
}

// writeHelp writes the options.
func writeHelp(w io.Writer, own []option) error {
	var b strings.Builder
	b.WriteString(`pi is a coding agent: it reads, runs and changes files in this directory.

  pi [options] [@file ...] [message ...]

  pi                            chat in this directory
  pi -p "why does this fail?"   answer once and exit
  cat log | pi -p "summarise"   with piped input
  pi -c                         go on with the newest session here

Subcommands, as the first word (--help behind one explains it):
`)
	for _, c := range subcommands() {
		fmt.Fprintf(&b, "  %s\n      %s\n", strings.TrimSpace("pi "+c.name+" "+c.usage), c.help)
	}
	b.WriteString(`
Options:
`)
	writeOptions(&b, options())
	if len(own) > 0 {
		b.WriteString("\nOptions of extensions:\n")
		writeOptions(&b, own)
	}
	b.WriteString(`
Keys come from variables such as ANTHROPIC_API_KEY or OPENAI_API_KEY; local servers are described in
~/.pi/agent/models.json. --model demo/guide works without either. Exit codes: 0 answered, 1 failed,
129, 130 and 143 when stopped by SIGHUP, SIGINT and SIGTERM.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeOptions writes a table of options.
func writeOptions(b *strings.Builder, opts []option) {
	for _, o := range opts {
		name := "--" + o.long
		if o.short != "" {
			name = "-" + o.short + ", " + name
		}
		if o.arg != "" {
			name += " " + o.arg
		}
		fmt.Fprintf(b, "  %-34s %s\n", name, o.help)
	}
}
