package interactive

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/changelog"
	"github.com/pi-go/pi/codingagent/internal/huggingface"
	"github.com/pi-go/pi/codingagent/internal/share"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/clipboard"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/theme"
)

// Config describes a chat in a user interface of its own, see [Run]. Runtime,
// Env, Dir and AgentDir are required.
type Config struct {
	Runtime *codingagent.Runtime
	// Repo lists the sessions that can be resumed; nil lists none.
	Repo session.Repo
	// Env is where files are looked for.
	Env execenv.Env
	// Dir is the working directory, Home the home directory, AgentDir where the
	// person's own files are.
	Dir, Home, AgentDir string
	Version             string
	Settings            settings.Settings
	// Getenv reads the environment; nil is that of the process.
	Getenv func(string) string
	// Interrupts gets a value for each SIGINT.
	Interrupts <-chan struct{}
	// First are prompts to begin with, Notices what is shown before.
	First   []codingagent.Prompt
	Notices []string
	// Export writes a session to a file, whose name decides the form and may be "",
	// and gives the file's path; nil offers no export.
	Export func(ctx context.Context, s *codingagent.AgentSession, file string) (string, error)
	// Radius is where /share uploads to for people who are signed in there; nil knows
	// gists only.
	Radius *share.Radius
	// Hub is where /llama searches for models; nil searches nowhere.
	Hub *huggingface.Hub
	// Themes lists the files of themes, of two with the same name the one that counts
	// first; nil lists those in AgentDir.
	Themes func(ctx context.Context) []string
	// ChooseSession begins with the list of sessions to go on with.
	ChooseSession bool
	// Available lists the models that can be used.
	Available func(ctx context.Context) []*ai.Model
	// Scope gives the models that patterns mean, and what is wrong with them; nil
	// gives none.
	Scope func(ctx context.Context, patterns []string) ([]models.Choice, []string)
	// Cycle are the models to cycle through whatever the settings say; none leaves it
	// to them.
	Cycle []models.Choice
	// Load reads the settings for a directory again, and tells whether its project
	// is trusted and what is wrong; nil leaves them as they are.
	Load func(ctx context.Context, dir string) (settings.Settings, trust.Verdict, []string)
	// Trust keeps decisions about projects; nil keeps none.
	Trust *trust.Store
	// OtherDirs are where the sessions of other directories are kept; nil knows none.
	OtherDirs func(ctx context.Context) []*session.Dir
	// Everywhere lists the sessions of all directories; nil knows no others.
	Everywhere func(ctx context.Context, o session.ListOptions) iter.Seq2[session.Info, error]
	// Changes is what has changed in the program, the newest version first; nil is what
	// is built in.
	Changes []changelog.Section
	// Unconfigured says that no model but the demo can be used.
	Unconfigured bool
	// Faults, if not nil, are what extensions do wrong; they are shown.
	Faults *Faults
	// Open opens the terminal; nil opens that of the process.
	Open func(term.Options) (*term.Terminal, error)
}

// ui is the user interface. Its fields belong to the goroutine of the program,
// but for those that say otherwise.
type ui struct {
	cfg      Config
	settings settings.Terminal
	ctx      context.Context // ends with the program
	p        *tui.Program
	keys     *input.Bindings
	look     *look
	themes   map[string]*theme.Theme
	// themePaths are their files, lentTheme is what an extension has put in force.
	themePaths map[string]string
	lentTheme  *theme.Theme
	scope      scope

	area   *tui.Container // the editor, or what takes its place
	shown  tui.Component  // that, as far as it is the program's own
	guests *guests        // what extensions show
	editor *tui.Editor
	box    *inputBox
	queue  *queueView
	status *status
	foot   *footer

	answer   *answer
	last     *answer              // the one that ended last
	counted  *ai.AssistantMessage // the newest that tells of the vendor's cache
	retry    *tui.Item            // says that a failed answer is tried again
	cards    map[string]*toolCard // calls by id
	pasts    pasts
	into     *past    // what is being built; nil for the end of the transcript
	incoming incoming // has its own lock

	began        time.Time
	access       access
	getenv       func(string) string
	hideThinking bool // folded to a line
	wasRegular   bool // the terminal's own screen has some of the conversation
	noThinking   bool // not even that
	expanded     bool
	demoTold     bool        // who answers as long as there is no model
	greeting     int         // items of the transcript that are no conversation
	attached     attachments // what may go along with the next message
	opening      opening
	unsent       *unsent
	kept         inOrder // what is written to files of the person's
	asked        inOrder // changes of the session
	jobs         *jobs
	shell        *shellRun // the person's own command, while it runs
	lastClear    time.Time // of the last Ctrl+C
	lastEscape   time.Time
	handedBack   time.Time // when another program has last given the terminal back
	crashed      error
	fileList     fileList    // has its own lock
	noSkills     atomic.Bool // they are not suggested; any goroutine
}

// ErrNoTerminal is the error of [Run] when there is no terminal that can be
// drawn on.
var ErrNoTerminal = term.ErrNoTerminal

// Run chats in a user interface of its own until the person leaves or ctx
// ends; it gives the cause of ctx then. Without a terminal that can be drawn
// on the error is [ErrNoTerminal], and nothing has happened.
func Run(ctx context.Context, cfg Config) error {
	getenv := cfg.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	full := !cfg.Settings.Terminal.Regular
	open := cfg.Open
	if open == nil {
		open = term.Open
	}
	needs := accessOf(cfg.Settings.Terminal, getenv)
	tm, err := open(term.Options{FullScreen: full, Mouse: full, ASCII: needs.ascii, Getenv: getenv})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u := &ui{
		cfg: cfg, settings: cfg.Settings.Terminal, ctx: ctx,
		access: needs, getenv: getenv, began: time.Now(),
		look: &look{depth: depthOf(tm.Facts(), cfg.Settings.Terminal.TrueColor, getenv)}, cards: map[string]*toolCard{},
		hideThinking: cfg.Settings.Terminal.HideThinking, noThinking: cfg.Settings.Terminal.NoThinking,
		scope: scope{chosen: len(cfg.Cycle) > 0, list: cfg.Cycle},
	}
	u.fileList.setRoot(cfg.Dir)
	u.noSkills.Store(!cfg.Settings.SkillCommands)
	u.keys = newBindings(thisPlatform(getenv))
	keyNotes := u.readKeys()
	options := tui.Options{
		Terminal: tm, Bindings: u.keys,
		OnCapabilities: u.learn,
		OnResize:       func(int, int) { u.guests.tell() },
		OnError:        func(err error) { u.failure("A part of the screen could not be drawn: " + err.Error()) },
	}
	watcher := u.themeWatcher() // before the files are read, so that no change is missed
	u.cfg.Notices = append(u.cfg.Notices, u.loadThemes()...)
	t, _ := themeFor(u.settings.Theme, term.NewCapabilities(tm.Facts()), u.themes)
	u.look.set(t)
	u.scrolling(&options)
	options.OnCopy = func(s string) {
		if u.settings.CopyOnSelect {
			u.copy(s, "Copied the selection.")
		}
	}
	u.p = tui.New(options)
	u.build()
	u.unsent = newUnsent(u)
	defer cfg.Runtime.Subscribe(u.listen)()
	u.greet(keyNotes)
	u.replay()
	u.unsent.restore()
	u.foot.refresh()
	u.p.Do(u.refreshFacts) // reads the whole session: when the end of it is on the screen
	u.p.Go(func() { u.interrupts(ctx) })
	u.jobControl(ctx)
	u.guests.attach(ctx)
	if watcher != nil {
		u.spawn(func() { u.watchThemes(watcher) })
	}
	switch {
	case cfg.ChooseSession:
		u.resumeCommand("")
	case cfg.Unconfigured && len(cfg.First) == 0:
		u.firstRun()
	}
	for _, p := range cfg.First {
		u.send(p, false)
	}
	u.p.Do(u.setTitle)
	err = u.run(ctx)
	u.unsent.flush()
	u.kept.flush()
	cancel()
	if u.crashed != nil {
		return u.crashed
	}
	return err
}

// setTitle says in the window's title where one is.
func (u *ui) setTitle() {
	u.fail(u.p.Terminal().SetTitle("pi · " + oneLine(filepath.Base(u.cfg.Dir))))
}

// build puts the parts together.
func (u *ui) build() {
	u.editor = tui.NewEditor(u.keys)
	u.editor.PadX = u.settings.EditorPadding
	u.editor.SetVi(u.settings.ViKeys)
	u.editor.OnSubmit = func(s string) { u.submit(s, false) }
	u.editor.OnChange = u.changed
	u.editor.OnPaste = u.drop
	u.box = &inputBox{ui: u}
	u.queue = &queueView{ui: u}
	u.status = newStatus(u)
	u.foot = &footer{ui: u}
	u.area, u.shown = tui.NewContainer(u.box), u.box
	u.guests = newGuests(u)
	u.setCompletion()
	u.p.Bottom.Add(u.queue, u.status, u.guests.above, u.area, u.guests.below, u.guests.footing, u.guests.statuses)
	u.p.SetFocus(u.box)
	u.restyle()
}

// changed is called after each change of the text.
func (u *ui) changed() {
	u.editor.Title = ""
	u.restyle()
	u.guests.changed()
	u.unsent.changed()
	if len(u.attached.list) > 0 {
		u.foot.touch()
	}
}

// setCompletion has the editor complete, with as many rows as the settings say.
func (u *ui) setCompletion() {
	u.editor.SetCompletion(tui.CompletionOptions{
		Completer: tui.CompleterFunc(u.complete), Runner: runner{u}, Triggers: u.guests.completions.triggers(), MaxRows: u.settings.CompletionRows,
		OnError: func(err error) { u.hint(err.Error()) },
	})
}

// runner runs work of a component on goroutines whose panics are contained.
type runner struct{ u *ui }

func (r runner) Do(f func()) bool { return r.u.p.Do(f) }
func (r runner) Go(f func())      { r.u.spawn(f) }

// session is the current one.
func (u *ui) session() *codingagent.AgentSession { return u.cfg.Runtime.Session() }

// append puts a component at the end of the transcript, or of the part of it that is
// being built.
func (u *ui) append(c tui.Component) *tui.Item {
	if u.into != nil {
		u.into.inner.Add(c)
		return u.into.item.Part(c)
	}
	return u.p.Transcript.Append(c)
}

// note says something in a colour of the theme.
func (u *ui) note(token, s string) {
	u.append(tui.Spacer(1))
	u.append(&note{ui: u, token: token, body: Clean(s)})
}

// failure says what went wrong.
func (u *ui) failure(s string) { u.note("error", "Error: "+s) }

// fail shows an error, if there is one.
func (u *ui) fail(err error) {
	if err != nil && u.ctx.Err() == nil {
		u.failure(err.Error())
	}
}

// hint shows a line for a moment, above the editor.
func (u *ui) hint(s string) { u.status.hint(oneLine(s)) }

// more says that lines are left out.
func (u *ui) more(n int) string {
	s := "… " + count(n, "more line")
	if k := u.keys.Text("app.tools.expand"); k != "" {
		s += " (" + k + ")"
	}
	return s
}

// shortPath is a path as it is shown: from the working directory, or from the
// home directory.
func (u *ui) shortPath(p string) string {
	if !filepath.IsAbs(p) {
		return p
	}
	if rel, err := filepath.Rel(u.cfg.Dir, p); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return u.homePath(p)
}

func (u *ui) homePath(p string) string {
	if u.cfg.Home != "" {
		if rest, ok := strings.CutPrefix(p, u.cfg.Home); ok && (rest == "" || rest[0] == filepath.Separator) {
			return "~" + rest
		}
	}
	return p
}

// copy puts a text on the clipboard.
func (u *ui) copy(s, said string) {
	if err := u.p.Copy(s); err != nil {
		u.fail(err)
		return
	}
	if !u.p.Terminal().Facts().SSH {
		// Not every terminal takes it, and none says so: ask the desktop too.
		u.spawn(func() {
			if err := clipboard.Write(u.ctx, clipboard.Options{Getenv: u.cfg.Getenv}, s); err != nil && !errors.Is(err, clipboard.ErrNone) {
				u.p.Do(func() { u.hint("The clipboard program failed: " + err.Error()) })
			}
		})
	}
	u.hint(said)
}

// restyle fits the editor's border to what it is for: a message, by the
// thinking level, or a command of the shell.
func (u *ui) restyle() {
	token := "thinkingOff"
	if level := string(u.session().Thinking()); level != "" {
		if t := "thinking" + strings.ToUpper(level[:1]) + level[1:]; u.look.theme.Has(t) {
			token = t
		}
	}
	if strings.HasPrefix(u.editor.Text(), "!") {
		token = "bashMode"
	}
	u.editor.Style = tui.EditorStyle{
		Border: u.look.theme.Fg(token), Paste: u.look.theme.Fg("accent"), Placeholder: u.look.theme.Fg("dim"), List: u.look.list,
	}
}
