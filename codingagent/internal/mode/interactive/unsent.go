package interactive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/draft"
	"github.com/pi-go/pi/tui/input"
)

// keepTime is how long after a change the unsent text is written: a crash loses no
// more typing than that.
const keepTime = 250 * time.Millisecond

// flushTime is how long the end of the program waits for the last text.
const flushTime = time.Second

// unsent keeps what is typed and what is queued until the model has it, and what
// was sent for the history of later sessions.
type unsent struct {
	ui      *ui
	stash   *draft.Stash   // nil keeps nothing
	history *draft.History // likewise
	past    []string       // prompts of earlier sessions
	fresh   []string       // prompts of this run
	said    []string       // those of this one before the program began
	loading int            // how many readers of earlier prompts are at work
	early   *input.Key     // a key that asked for one of them meanwhile
	pending bool           // a text will be taken soon

	mu   sync.Mutex // guards what is below
	next *draft.Text
	idle chan struct{} // closed when the writer has ended; nil while there is none
	told bool          // that it does not work
}

// newUnsent keeps texts unless the conversation is not to be kept either.
func newUnsent(u *ui) *unsent {
	k := &unsent{ui: u}
	if u.session().File() != "" {
		k.stash = draft.NewStash(u.cfg.Env.FS, u.cfg.AgentDir, u.cfg.Dir, draft.Local())
		k.history = draft.NewHistory(u.cfg.Env.FS, u.cfg.AgentDir, u.cfg.Dir)
	}
	return k
}

// changed notes that there is another text. The program's goroutine only.
func (k *unsent) changed() {
	if k.stash == nil || k.pending {
		return
	}
	k.pending = true
	time.AfterFunc(keepTime, func() {
		k.ui.p.Do(func() {
			k.pending = false
			k.put(k.text())
		})
	})
}

// text is all that is not sent: what is queued, and what is in the editor.
func (k *unsent) text() draft.Text {
	u := k.ui
	parts := slices.Concat(u.opening.held, u.queue.steering, u.queue.followUp)
	for _, t := range u.opening.typed {
		parts = append(parts, t.text)
	}
	if s := u.editor.Text(); strings.TrimSpace(s) != "" {
		parts = append(parts, s)
	}
	t := draft.Text{Session: u.session().ID(), Text: strings.Join(parts, "\n\n")}
	for _, a := range u.attached.in(t.Text) {
		if a.path != "" {
			if t.Images == nil {
				t.Images = map[string]string{}
			}
			t.Images[a.marker] = a.path
		}
	}
	return t
}

// put hands a text to the goroutine that writes.
func (k *unsent) put(t draft.Text) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next = &t
	if k.idle == nil {
		k.idle = make(chan struct{})
		k.ui.spawn(k.write)
	}
}

func (k *unsent) write() {
	for {
		k.mu.Lock()
		t := k.next
		k.next = nil
		if t == nil {
			close(k.idle)
			k.idle = nil
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
		// The end of the program is no reason to lose it.
		k.complain(k.stash.Save(context.WithoutCancel(k.ui.ctx), *t))
	}
}

// complain says that a text could not be kept, once until one can be kept again.
func (k *unsent) complain(err error) {
	k.mu.Lock()
	told := k.told
	k.told = err != nil
	k.mu.Unlock()
	if err != nil && !told {
		k.ui.p.Do(func() { k.ui.hint("What you type can not be kept for a restart: " + err.Error()) })
	}
}

// flush writes the last text, when the program has ended.
func (k *unsent) flush() {
	if k.stash == nil {
		return
	}
	k.put(k.text())
	k.mu.Lock()
	idle := k.idle
	k.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-time.After(flushTime):
	}
}

// tooEarly takes a key that asks for an earlier prompt before those are read; it is
// for them when they are there.
func (k *unsent) tooEarly(key input.Key) bool {
	if k.loading == 0 || k.ui.editor.Text() != "" || k.ui.keys.First(key, "tui.editor.cursorUp", "tui.editor.historyPrevious") == "" {
		return false
	}
	k.early = &key
	return true
}

// maxRecalled is how many of a session's prompts can be gone back to.
const maxRecalled = 1000

// recall reads the prompts of a session, once what is at its end is on the screen.
func (k *unsent) recall(s *session.Session, path []session.Stub) {
	var ids []string
	for i := len(path) - 1; i >= 0 && len(ids) < maxRecalled; i-- {
		if path[i].Type == session.TypeMessage && path[i].Role == ai.RoleUser {
			ids = append(ids, path[i].ID)
		}
	}
	u := k.ui
	k.loading++
	u.p.Do(func() {
		u.spawn(func() {
			var said []string
			for _, id := range slices.Backward(ids) {
				e, err := s.Entry(u.ctx, id)
				if err != nil {
					continue // where it is shown it is said
				}
				if e, ok := e.(*session.MessageEntry); ok {
					if m, ok := e.Message.(*ai.UserMessage); ok {
						said = append(said, ai.TextOf(m.Content, "\n"))
					}
				}
			}
			u.p.Do(func() {
				if u.session().Session() == s {
					k.said = said
				}
				k.loaded()
			})
		})
	})
}

// loaded shows what a reader of prompts has brought, and gives the editor the key
// that waited for it.
func (k *unsent) loaded() {
	k.loading--
	k.showHistory()
	if k.loading > 0 {
		return
	}
	if early := k.early; early != nil && k.ui.editor.Text() == "" {
		k.ui.editor.HandleInput(*early)
	}
	k.early = nil
}

// restore brings back what an earlier run has left, and the prompts that were sent.
func (k *unsent) restore() {
	if k.stash == nil {
		return
	}
	u := k.ui
	k.loading++
	u.spawn(func() {
		past, err := k.history.Load(u.ctx)
		u.p.Do(func() {
			u.fail(err)
			// What was said meanwhile may be there already, or not yet.
			k.past = slices.DeleteFunc(past, func(s string) bool { return slices.Contains(k.fresh, s) })
			k.loaded()
		})
	})
	t, ok := k.stash.Restore(u.ctx, u.session().ID())
	if !ok {
		return
	}
	u.editor.SetText(t.Text)
	u.editor.Title = u.look.fg("muted", fmt.Sprintf("unsent text of %s ", when(t.Time, time.Now())))
	for marker, path := range t.Images {
		u.spawn(func() {
			img, err := u.readImage(u.ctx, path)
			u.p.Do(func() {
				if err != nil {
					u.hint(fmt.Sprintf("%s is not there any more: %v", marker, err))
					return
				}
				u.attached.set(marker, img, path)
				u.foot.touch()
			})
		})
	}
	lost := 0
	for _, m := range markersIn(t.Text) {
		u.attached.reserve(m)
		if _, ok := t.Images[m]; !ok {
			lost++
		}
	}
	clear := ""
	if key := u.keys.Text("app.clear"); key != "" {
		clear = "; " + key + " clears it"
	}
	switch {
	case t.Cut:
		u.hint("The beginning of the text that was not sent is back" + clear + ".")
	case lost > 0:
		u.hint(fmt.Sprintf("The text that was not sent is back, but for %s from the clipboard%s.", count(lost, "image"), clear))
	default:
		u.hint("The text that was not sent is back" + clear + ".")
	}
}

// when says at what time something was, in as few words as are needed.
func when(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2 Jan 15:04")
}

// showHistory puts the prompts of all sessions into the editor's history, those of
// this one last, and at their end those of this run.
func (k *unsent) showHistory() {
	mine := make(map[string]bool, len(k.said))
	for _, s := range k.said {
		mine[s] = true
	}
	var all []string
	for _, s := range k.past {
		if !mine[s] {
			all = append(all, s)
		}
	}
	all = slices.Concat(all, k.said, k.fresh)
	for _, s := range all {
		for _, m := range markersIn(s) {
			k.ui.attached.reserve(m) // its image is not there any more
		}
	}
	k.ui.editor.SetHistory(all)
}

// sent keeps a prompt for later sessions.
func (k *unsent) sent(s string) {
	if s = strings.TrimSpace(s); k.history == nil || s == "" {
		return
	}
	k.fresh = append(k.fresh, s)
	k.ui.kept.add(k.ui.spawn, func() {
		k.complain(k.history.Add(context.WithoutCancel(k.ui.ctx), s))
	})
}
