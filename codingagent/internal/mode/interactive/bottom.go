package interactive

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/demo"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

// queueView lists the messages that wait for the agent.
type queueView struct {
	ui                 *ui
	steering, followUp []string
}

func (q *queueView) set(steering, followUp []string) { q.steering, q.followUp = steering, followUp }

// Render gives a line for each message.
func (q *queueView) Render(width int) []string {
	const most = 5
	n := len(q.steering) + len(q.followUp)
	if n == 0 {
		return nil
	}
	l := q.ui.look
	var out []string
	add := func(kind string, texts []string) {
		for _, t := range texts {
			if len(out) < most {
				out = append(out, " "+l.fg("muted", kind)+" "+l.fg("dim", firstLine(t, width)))
			}
		}
	}
	add("next:", q.steering)
	add("then:", q.followUp)
	if n > most {
		out = append(out, " "+l.fg("dim", fmt.Sprintf("… %d more", n-most)))
	}
	if k := q.ui.keys.Text("app.message.dequeue"); k != "" {
		out[len(out)-1] += l.fg("dim", "  ("+k+" takes them back)")
	}
	return fit(out, width)
}

// status is the line above the editor: what is under way and for how long, or
// a hint. It is always there, so that the editor does not jump.
type status struct {
	ui      *ui
	loader  *tui.Loader
	doing   string
	blocked bool // the program waits for the person
	began   time.Time
	hinted  string
	forget  func()
	hintEnd time.Time
}

func newStatus(u *ui) *status {
	return &status{ui: u, loader: u.access.loader(u.p)}
}

// work says what is under way; the time counts from the first of several calls.
func (s *status) work(doing string) {
	began := s.doing == ""
	s.doing = doing
	if began {
		s.began = time.Now()
		s.loader.Start()
		s.progress()
	}
}

// rest says that nothing is under way.
func (s *status) rest() {
	had := s.doing != ""
	s.doing = ""
	if had {
		s.progress()
	}
	s.loader.Stop()
}

// block says whether everything waits for the person.
func (s *status) block(on bool) {
	if s.blocked != on {
		s.blocked = on
		s.progress()
	}
}

// progress shows beside the window's title that something is under way or waits for
// the person, if the person wants that.
func (s *status) progress() {
	if !s.ui.settings.ShowTerminalStatus {
		return
	}
	state, percent := term.ProgressNone, 0
	switch {
	case s.blocked:
		state, percent = term.ProgressPaused, 100
	case s.doing != "":
		state = term.ProgressBusy
	}
	s.ui.fail(s.ui.p.Terminal().SetProgress(state, percent))
}

const hintTime = 4 * time.Second

// maxHintLines is how many lines a hint may take where there is little room.
const maxHintLines = 4

func (s *status) hint(h string) {
	s.hinted, s.hintEnd = h, time.Now().Add(hintTime)
	if s.forget != nil {
		s.forget()
	}
	s.forget = s.ui.p.Every(hintTime, func() {
		if s.forget != nil && !time.Now().Before(s.hintEnd) {
			s.forget()
			s.forget, s.hinted = nil, ""
		}
	})
}

// forgetHint takes the hint away before its time: something else was done meanwhile.
func (s *status) forgetHint() {
	if s.forget != nil {
		s.forget()
	}
	s.forget, s.hinted = nil, ""
}

// Render gives one line, and more for a hint that needs them.
func (s *status) Render(width int) []string {
	l := s.ui.look
	line := ""
	busy := s.doing != "" && !s.ui.guests.working.Hidden
	if busy {
		m := s.activity() + " " + duration(time.Since(s.began))
		if k := s.ui.keys.Text("app.interrupt"); k != "" {
			m += "  (" + k + " stops)"
		}
		s.loader.Style, s.loader.MessageStyle = l.theme.Fg("accent"), l.theme.Fg("muted")
		s.loader.SetMessage(m)
		line = " " + s.loader.Render(width)[0]
	}
	var lines []string
	if s.hinted == "" || busy {
		lines = append(lines, line)
	}
	if s.hinted == "" {
		return fit(lines, width)
	}
	hint := text.Wrap(s.hinted, max(width-2, 1))
	for _, h := range hint[:min(len(hint), maxHintLines)] {
		lines = append(lines, " "+l.fg("warning", h))
	}
	return fit(lines, width)
}

// footer shows where one is and what was spent.
type footer struct {
	ui     *ui
	branch string
	name   string
	usage  ai.Usage
	tokens int64
	known  bool
	model  *ai.Model
	lines  []string
	width  int
	turn   int // goes up with each change of usage and name
}

func (f *footer) touch() { f.lines = nil }

func (f *footer) reset() {
	f.turn++
	f.usage, f.name, f.tokens = ai.Usage{}, "", 0
	f.touch()
}

// call shows another name of the session.
func (f *footer) call(name string) {
	f.turn++
	f.name = name
	f.touch()
}

func (f *footer) spent(u ai.Usage) {
	f.turn++
	f.usage = f.usage.Add(u)
	f.refresh()
}

// refresh looks at the session again.
func (f *footer) refresh() {
	h := f.ui.session().Harness()
	f.tokens, f.known = h.ContextTokens()
	f.touch()
	dir := f.ui.cfg.Dir
	f.ui.spawn(func() { f.ui.findBranch(dir) })
}

// Invalidate draws anew.
func (f *footer) Invalidate() { f.touch() }

// Render gives two lines.
func (f *footer) Render(width int) []string {
	s := f.ui.session()
	if f.lines != nil && f.width == width && s.Model() == f.model {
		return f.lines
	}
	f.width, f.model = width, s.Model()
	l := f.ui.look
	place := f.ui.homePath(f.ui.cfg.Dir)
	if f.branch != "" {
		place += " (" + f.branch + ")"
	}
	if f.name != "" {
		place += " · " + f.name
	}
	f.lines = []string{
		" " + l.fg("dim", shorten(oneLine(place), width-1)),
		" " + f.numbers(width-1),
	}
	return fit(f.lines, width)
}

// shorten cuts a text in its middle.
func shorten(s string, width int) string {
	w := text.Width(s)
	if w <= width || width < 8 {
		return text.Truncate(s, width, "…")
	}
	head := width/2 - 1
	return text.Slice(s, 0, head) + "…" + text.Slice(s, w-(width-head-1), w)
}

// numbers is the line of figures: what was spent on the left, the model on the
// right. What has no room is left out.
func (f *footer) numbers(width int) string {
	l := f.ui.look
	right, left := f.modelText(width), f.contextText(width)
	var spent []string
	if f.usage.Input > 0 {
		spent = append(spent, "↑"+tokenCount(f.usage.Input))
	}
	if f.usage.Output > 0 {
		spent = append(spent, "↓"+tokenCount(f.usage.Output))
	}
	if f.usage.CacheRead > 0 {
		all := f.usage.Input + f.usage.CacheRead + f.usage.CacheWrite
		spent = append(spent, fmt.Sprintf("cache %s (%d%%)", tokenCount(f.usage.CacheRead), f.usage.CacheRead*100/all))
	}
	if f.usage.Cost.Total > 0 {
		spent = append(spent, money(f.usage.Cost.Total))
	}
	// What waits comes last, so that it is the last to be left out.
	if n := len(f.ui.queue.steering) + len(f.ui.queue.followUp); n > 0 {
		spent = append(spent, fmt.Sprintf("%d queued", n))
	}
	if n := len(f.ui.attached.in(f.ui.editor.Text())); n > 0 {
		spent = append(spent, count(n, "image"))
	}
	for len(spent) > 0 && text.Width(left+strings.Join(spent, " ")+right)+4 > width {
		if len(spent) == 1 && f.model != nil { // rather a part of the model's name
			right = text.Truncate(right, max(width-text.Width(left+spent[0])-4, width/4), "…")
			if text.Width(left+spent[0]+right)+4 <= width {
				break
			}
		}
		spent = spent[1:]
	}
	if len(spent) > 0 {
		left += l.fg("dim", "  "+strings.Join(spent, " "))
	}
	gap := width - text.Width(left) - text.Width(right)
	if gap < 2 {
		right = text.Truncate(right, max(width-text.Width(left)-2, 0), "…")
		gap = max(width-text.Width(left)-text.Width(right), 0)
	}
	return left + text.Blanks(gap) + right
}

func (f *footer) modelText(width int) string {
	l := f.ui.look
	if f.model == nil {
		return l.fg("warning", "no model")
	}
	name := oneLine(f.model.ID)
	if f.model.Provider == demo.ProviderID {
		name += " (demo, not an LLM)"
		if width < narrow {
			name = oneLine(f.model.ID) + " (demo)"
		}
	}
	s := l.fg("muted", name)
	thinks, level := f.model.Reasoning, f.ui.session().Thinking()
	if by := f.ui.session().RoutedModel(); by != nil {
		s += l.fg("dim", " → ") + l.fg("muted", oneLine(by.Model.ID))
		thinks, level = by.Model.Reasoning, by.Thinking
	}
	if thinks && level != "" {
		s += l.fg("dim", " · "+string(level))
	}
	return s
}

// narrow is the width below which the bar of the context is shorter.
const narrow = 60

// contextText says how full the model's window is.
func (f *footer) contextText(width int) string {
	l := f.ui.look
	limits := f.ui.session().LimitsModel() // that of who answers, for a virtual one
	if limits == nil || limits.ContextWindow == 0 {
		return l.fg("dim", tokenCount(f.tokens)+" tokens")
	}
	part := float64(f.tokens) / float64(limits.ContextWindow)
	token := "dim"
	switch {
	case part > 0.9:
		token = "error"
	case part > 0.7:
		token = "warning"
	}
	cells := 8
	if width < narrow {
		cells = 4
	}
	full := min(int(part*float64(cells)+0.5), cells)
	bar := strings.Repeat("▰", full) + strings.Repeat("▱", cells-full)
	return l.fg(token, fmt.Sprintf("%s %.1f%% of %s", bar, part*100, tokenCount(limits.ContextWindow)))
}

// tokenCount is a number of tokens for people.
func tokenCount(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return strings.Replace(fmt.Sprintf("%.1fM", float64(n)/1e6), ".0M", "M", 1)
}

func money(v float64) string {
	if v < 0.01 {
		return fmt.Sprintf("$%.4f", v)
	}
	return fmt.Sprintf("$%.2f", v)
}

// refreshFacts looks up what the footer shows and the session does not tell
// by itself.
func (u *ui) refreshFacts() {
	u.foot.refresh()
	s := u.session()
	if s.Session().Len() == 0 {
		return
	}
	turn := u.foot.turn
	u.spawn(func() {
		stats, err := s.Session().Stats(u.ctx)
		name, err2 := s.Session().Name(u.ctx)
		u.p.Do(func() {
			switch {
			case u.session() != s:
				return
			case u.foot.turn != turn:
				u.refreshFacts() // something came meanwhile
				return
			}
			if err == nil {
				u.foot.usage = stats.Usage
			}
			if err2 == nil {
				u.foot.name = name
			}
			u.foot.touch()
		})
	})
}

// findBranch reads which branch of git a directory is on.
func (u *ui) findBranch(dir string) {
	branch := gitBranch(u.ctx, u.cfg.Env.FS, dir)
	u.p.Do(func() {
		if u.cfg.Dir == dir && u.foot.branch != branch {
			u.foot.branch = branch
			u.guests.facts.set(branch)
			u.foot.touch()
		}
	})
}

func gitBranch(ctx context.Context, files execenv.FileSystem, dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		if info, err := files.Stat(ctx, git); err == nil {
			if !info.IsDir() { // a worktree or a submodule: the file says where
				data, err := files.ReadFile(ctx, git)
				if err != nil {
					return ""
				}
				git = strings.TrimSpace(strings.TrimPrefix(string(data), "gitdir:"))
				if !filepath.IsAbs(git) {
					git = filepath.Join(dir, git)
				}
			}
			data, err := files.ReadFile(ctx, filepath.Join(git, "HEAD"))
			if err != nil {
				return ""
			}
			head := strings.TrimSpace(string(data))
			if ref, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
				return oneLine(ref)
			}
			return clip(oneLine(head), 8)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
