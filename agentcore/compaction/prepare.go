package compaction

import (
	"errors"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// ErrNothing says that there is nothing to sum up: all of the conversation is
// recent enough to stay.
var ErrNothing = errors.New("there is nothing to compact: all of the conversation is recent")

// ErrAlready says that the newest entry is a compaction.
var ErrAlready = errors.New("the conversation was just compacted")

// Preparation is a plan for a compaction.
type Preparation struct {
	// FirstKept is the id of the oldest entry that stays.
	FirstKept string
	// History is summed up. When the cut is inside a turn, Prefix is the
	// beginning of that turn and summed up apart.
	History, Prefix []agentcore.Message
	// PreviousSummary is brought up to date rather than written anew.
	PreviousSummary string
	// TokensBefore is the size of the context now.
	TokensBefore int64
	// Files are those of everything that was ever summed up.
	Files Files
	// Edits shorten kept messages that are too large to be kept whole. The
	// messages stay in the session; only the model sees less.
	Edits []*session.ContextEditEntry
}

// SplitTurn reports whether the cut is inside a turn.
func (p *Preparation) SplitTurn() bool { return len(p.Prefix) > 0 }

// Prepare plans a compaction of the entries in sight (see
// [session.Session.Visible]); leaf is the id of the newest entry.
func Prepare(entries []session.Entry, leaf string, s Settings, p Policy) (*Preparation, error) {
	first := 0
	plan := &Preparation{}
	if len(entries) > 0 {
		if c, ok := entries[0].(*session.CompactionEntry); ok {
			if c.ID == leaf {
				return nil, ErrAlready
			}
			first, plan.PreviousSummary, plan.Files = 1, c.Summary, filesOf(c.Details, c.FromHook)
		}
	}
	messages := session.Project(entries)
	for _, list := range messages {
		plan.TokensBefore += p.Tokens(list...)
	}
	cut := findCut(messages, first, s.KeepRecent, p)
	cut = overBookkeeping(entries, messages, cut, first)
	if cut >= len(entries) {
		return nil, ErrNothing
	}
	turn := cut
	if !p.startsTurn(messages[firstWith(messages, cut)][0]) {
		for i := cut - 1; i >= first; i-- {
			if len(messages[i]) > 0 && p.startsTurn(messages[i][0]) {
				turn = i
				break
			}
		}
	}
	plan.History = withoutSystem(messages[first:turn])
	plan.Prefix = withoutSystem(messages[turn:cut])
	plan.FirstKept = entries[cut].Head().ID
	plan.shorten(entries[cut:], messages[cut:], s, p)
	if len(plan.History) == 0 && len(plan.Prefix) == 0 && len(plan.Edits) == 0 {
		return nil, ErrNothing
	}
	plan.Files = plan.Files.merge(p.files(plan.History)).merge(p.files(plan.Prefix))
	return plan, nil
}

// findCut walks back from the end until keep tokens are gathered, and gives
// the first entry from there on with which the kept part may begin.
func findCut(messages [][]agentcore.Message, first int, keep int64, p Policy) int {
	var sum int64
	from := first
	for i := len(messages) - 1; i >= first; i-- {
		sum += p.Tokens(messages[i]...)
		if sum >= keep {
			from = i
			break
		}
	}
	last := len(messages)
	for i := first; i < len(messages); i++ {
		if len(messages[i]) == 0 || !cutBefore(messages[i][0]) {
			continue
		}
		if i >= from {
			return i
		}
		last = i
	}
	return last
}

// overBookkeeping moves a cut back over entries without messages, so that
// what was noted just before a message stays with it.
func overBookkeeping(entries []session.Entry, messages [][]agentcore.Message, cut, first int) int {
	for cut < len(entries) && cut > first && len(messages[cut-1]) == 0 {
		if _, ok := entries[cut-1].(*session.CompactionEntry); ok {
			break
		}
		cut--
	}
	return cut
}

// firstWith is the first entry from i on that has messages.
func firstWith(messages [][]agentcore.Message, i int) int {
	for len(messages[i]) == 0 {
		i++
	}
	return i
}

func withoutSystem(lists [][]agentcore.Message) []agentcore.Message {
	var out []agentcore.Message
	for _, list := range lists {
		for _, m := range list {
			if m.Role() != ai.RoleSystem {
				out = append(out, m)
			}
		}
	}
	return out
}

// shorten plans edits for kept texts that alone are larger than what should
// stay: without them a compaction could not get below the threshold, and
// would be made again after every turn.
func (p *Preparation) shorten(entries []session.Entry, messages [][]agentcore.Message, s Settings, policy Policy) {
	for i, list := range messages {
		for _, m := range list {
			weight := policy.Tokens(m)
			content, editable := editableContent(m)
			if editable && s.KeepRecent > 0 && weight > s.KeepRecent {
				if shorter := elide(content, s.KeepRecent/2); shorter != nil {
					p.Edits = append(p.Edits, &session.ContextEditEntry{
						TargetID: entries[i].Head().ID, Replacement: &session.Replacement{Content: shorter},
					})
				}
			}
		}
	}
}

// editableContent gives the content of messages that may be shown shorter.
func editableContent(m agentcore.Message) ([]ai.Block, bool) {
	switch m := m.(type) {
	case *ai.UserMessage:
		return m.Content, true
	case *ai.ToolResultMessage:
		return m.Content, true
	case *session.CustomMessage:
		return m.Content, true
	}
	return nil, false
}

// elide cuts the middle out of long texts until all of them together are
// about so many tokens; nil when there is no text to cut.
func elide(content []ai.Block, tokens int64) []ai.Block {
	var total int64
	for _, b := range content {
		if t, ok := b.(*ai.Text); ok {
			total += ai.EstimateText(t.Text)
		}
	}
	if total <= tokens {
		return nil
	}
	out := make([]ai.Block, len(content))
	for i, b := range content {
		out[i] = b
		if t, ok := b.(*ai.Text); ok {
			share := int(float64(len(t.Text)) * float64(tokens) / float64(total))
			out[i] = &ai.Text{Text: headAndTail(t.Text, share)}
		}
	}
	return out
}
