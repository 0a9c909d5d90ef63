package interactive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
)

// incoming takes what comes fast (an answer, the output of a tool) on the
// goroutine of the run and hands only the latest of it to the user interface,
// so that a slow terminal holds nothing up and nothing piles up.
type incoming struct {
	mu     sync.Mutex
	answer *latest[*ai.AssistantMessage]
	tools  map[string]*latest[agentcore.ToolResult]
}

// latest is the newest value of something.
type latest[T any] struct {
	mu      sync.Mutex
	value   T
	waiting bool
}

// put keeps a value and reports whether somebody has to be told.
func (l *latest[T]) put(v T) (tell bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.value = v
	tell, l.waiting = !l.waiting, true
	return tell
}

func (l *latest[T]) take() T {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = false
	return l.value
}

// listen hears the events of the session, on the goroutine of the run.
func (u *ui) listen(_ context.Context, ev agentcore.Event) error {
	defer u.contain() // the run goes on without a screen until it is closed
	switch ev := ev.(type) {
	case *agentcore.MessageStart:
		if _, ok := ev.Message.(*ai.AssistantMessage); ok {
			u.incoming.mu.Lock()
			u.incoming.answer = &latest[*ai.AssistantMessage]{}
			u.incoming.mu.Unlock()
			u.p.Do(func() {
				u.answer = &answer{ui: u}
				u.foot.touch() // a virtual model has chosen
			})
			return nil
		}
	case *agentcore.MessageUpdate:
		u.incoming.mu.Lock()
		l := u.incoming.answer
		u.incoming.mu.Unlock()
		if l != nil && l.put(ev.Stream.Snapshot()) {
			u.p.Do(func() {
				if u.answer != nil {
					u.answer.update(l.take(), false)
				}
			})
		}
		return nil
	case *agentcore.ToolUpdate:
		u.incoming.mu.Lock()
		if u.incoming.tools == nil {
			u.incoming.tools = map[string]*latest[agentcore.ToolResult]{}
		}
		l := u.incoming.tools[ev.CallID]
		if l == nil {
			l = &latest[agentcore.ToolResult]{}
			u.incoming.tools[ev.CallID] = l
		}
		u.incoming.mu.Unlock()
		if l.put(ev.Partial) {
			u.p.Do(func() {
				if c := u.cards[ev.CallID]; c != nil {
					c.progress(l.take())
				}
			})
		}
		return nil
	case *agentcore.ToolEnd:
		u.incoming.mu.Lock()
		delete(u.incoming.tools, ev.CallID)
		u.incoming.mu.Unlock()
	}
	u.p.Do(func() { u.handle(ev) })
	return nil
}

// handle shows an event.
func (u *ui) handle(ev agentcore.Event) {
	switch ev := ev.(type) {
	case *agentcore.AgentStart:
		u.status.work("Working")
	case *agentcore.MessageStart:
		u.showMessage(ev.Message, "")
	case *agentcore.MessageEnd:
		if m, ok := ev.Message.(*ai.AssistantMessage); ok {
			if u.answer == nil {
				u.answer = &answer{ui: u}
			}
			u.answer.finish(m)
			u.last, u.answer = u.answer, nil
			u.noticeMiss(m)
			u.foot.spent(m.Usage)
		}
	case *agentcore.ToolStart:
		u.card(ev.CallID, ev.Name).start(ev.Arguments)
	case *agentcore.ToolEnd:
		var took time.Duration
		if ev.DurationMS != nil {
			took = time.Duration(*ev.DurationMS) * time.Millisecond
		}
		u.card(ev.CallID, ev.Name).end(ev.Result, took)
		u.foot.refresh()
	case *harness.QueueUpdate:
		u.queue.set(ev.Steering, ev.FollowUp)
		u.unsent.changed()
		u.foot.touch()
	case *harness.RetryStart:
		u.tryAgain(ev)
	case *harness.RetryEnd:
		u.triedAgain(ev)
	case *harness.CompactionStart:
		u.status.work("Summing up the conversation")
	case *harness.CompactionEnd:
		u.compacted(ev)
	case *harness.ThinkingChanged:
		u.restyle()
		u.foot.touch()
	case *harness.InfoChanged:
		u.foot.call(ev.Name)
	case *harness.EntryAppended:
		u.showEntry(ev.Entry)
	case *harness.Settled:
		u.foot.refresh()
		u.restWhenIdle()
	}
}

// restWhenIdle says that nothing is under way as soon as that is so: what is typed
// then is not refused.
func (u *ui) restWhenIdle() {
	s := u.session()
	u.spawn(func() {
		if s.WaitIdle(u.ctx) != nil {
			return
		}
		u.p.Do(func() {
			if u.session() == s && !s.Busy() && u.shell == nil {
				u.status.rest()
			}
		})
	})
}

// restOrWork says what is under way when something else has ended.
func (u *ui) restOrWork() {
	switch {
	case u.session().Busy():
		u.status.work("Working")
	case u.shell != nil:
		u.status.work("Running")
	default:
		u.status.rest()
	}
}

// showMessage shows a message that enters the conversation, or one from before, with the
// id of its entry.
func (u *ui) showMessage(m agentcore.Message, id string) {
	switch m := m.(type) {
	case *ai.UserMessage:
		u.append(tui.Spacer(1))
		u.append(newUserMessage(u, m, id)).SetStop(true)
	case *session.CustomMessage:
		u.showCustom(m, id)
	case *codingagent.BashExecution:
		if u.shell == nil || u.shell.command != m.Command {
			u.append(finishedShell(u, m))
		}
	}
}

// card gives the card of a call; calls that are made by other calls have none
// yet.
func (u *ui) card(id, name string) *toolCard {
	cards := u.currentCards()
	c := cards[id]
	if c == nil {
		c = newToolCard(u, id, name)
		c.item = u.append(c)
		cards[id] = c
	}
	return c
}

// currentCards are those that results go to.
func (u *ui) currentCards() map[string]*toolCard {
	if u.into != nil {
		return u.into.cards
	}
	return u.cards
}

func (u *ui) compacted(ev *harness.CompactionEnd) {
	if ev.Result != nil {
		u.counted = nil // another prompt begins
	}
	switch {
	case ev.Aborted:
		u.note("dim", "(stopped summing up)")
	case ev.ErrorMessage != "":
		if ev.Reason != harness.ReasonManual { // the command says it
			u.failure("the conversation could not be summed up: " + ev.ErrorMessage)
		}
	case ev.Result != nil:
		u.append(tui.Spacer(1))
		f := &folded{
			ui: u, body: ev.Result.Summary,
			title: fmt.Sprintf("Summed up: %s tokens became %s", tokenCount(ev.Result.TokensBefore), tokenCount(ev.Result.TokensAfter)),
		}
		if e := ev.Result.Entry; e != nil {
			f.id, f.at = e.ID, e.Time
		}
		u.append(f)
	}
	if !u.session().Busy() || ev.Reason == harness.ReasonManual {
		u.status.rest()
	} else {
		u.status.work("Working")
	}
	u.foot.refresh()
}

// restart shows another session in the place of the present one.
func (u *ui) restart() {
	u.p.Transcript.Clear()
	u.guests.header.again()
	clear(u.cards)
	u.answer, u.last, u.retry = nil, nil, nil
	u.queue.set(nil, nil)
	u.status.rest()
	u.foot.reset()
	u.replay()
	u.refreshFacts()
	u.restyle()
}

// send works on a prompt; while the agent is at work it is queued: for the next
// request, or, when later is set, for when it is done.
func (u *ui) send(p codingagent.Prompt, later bool) {
	s := u.session()
	o := codingagent.PromptOptions{WhenBusy: harness.DeliverSteer}
	if later {
		o.WhenBusy = harness.DeliverFollowUp
	}
	u.spawn(func() {
		u.asked.flush() // a model that was chosen just before counts
		_, err := s.Prompt(u.ctx, p, o)
		u.p.Do(func() {
			if err != nil && u.ctx.Err() == nil && !errors.Is(err, context.Canceled) {
				u.failure(promptFailure(err))
				if !u.said(p.Text) {
					u.giveBack(p.Text) // it was not taken: nothing is lost
				}
			}
			if !s.Busy() {
				u.status.rest()
			}
		})
	})
}

// promptFailure says why a message was not taken, and what can be done.
func promptFailure(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, session.ErrOvertaken):
		return err.Error() + "\nNothing more is kept there. /export writes what is on the screen to a page, /new begins a session that is kept."
	case errors.As(err, &path):
		return err.Error() + "\nThe conversation can not be written there. pi --no-session works without keeping it, --session-dir keeps it elsewhere."
	}
	return err.Error()
}

// said reports whether a text is the last thing the person said in the
// conversation.
func (u *ui) said(s string) bool {
	messages := u.session().State().Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if m, ok := messages[i].(*ai.UserMessage); ok {
			return ai.TextOf(m.Content, "\n") == s
		}
	}
	return false
}

// abort stops what is under way and gives queued messages back to the editor.
func (u *ui) abort() {
	s := u.session()
	u.takeBack()
	u.status.work("Stopping")
	u.spawn(func() {
		err := s.Abort(u.ctx)
		u.p.Do(func() {
			u.fail(err)
			if !s.Busy() {
				u.status.rest()
			}
		})
	})
}

// takeBack puts queued messages back into the editor.
func (u *ui) takeBack() bool {
	texts := u.takeQueue()
	if len(texts) == 0 {
		return false
	}
	u.giveBack(texts...)
	return true
}

// takeQueue takes the queued messages away and gives their texts.
func (u *ui) takeQueue() []string {
	steering, followUp := u.session().Harness().ClearQueue(u.ctx)
	var texts []string
	for _, m := range append(steering, followUp...) {
		if um, ok := m.(*ai.UserMessage); ok {
			if t := ai.TextOf(um.Content, "\n"); t != "" {
				texts = append(texts, t)
			}
		}
	}
	return texts
}

// giveBack puts texts into the editor, in front of what is typed there.
func (u *ui) giveBack(texts ...string) {
	if old := u.editor.Text(); strings.TrimSpace(old) != "" && !slices.Contains(texts, old) {
		texts = append(texts, old)
	}
	u.editor.SetText(strings.Join(texts, "\n\n"))
}
