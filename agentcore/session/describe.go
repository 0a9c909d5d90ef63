package session

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
)

// describe makes the Info of a session file from its text, all but Ref and
// Size. It walks every line once and decodes only what it shows.
func describe(ctx context.Context, r io.ReaderAt, buf []byte, withText bool) (Info, error) {
	var info Info
	var texts []string
	var failed error
	newest := int64(0)
	lr := lineReader{r: r, buf: buf}
	decode := func(l *line) Entry {
		text := l.text
		if text == nil {
			var err error
			if text, err = readLine(r, l.Stub, nil); err != nil {
				failed = err
				return nil
			}
		}
		e, err := DecodeEntry(text, nil)
		if err != nil {
			return nil // counted when the session is opened
		}
		return e
	}
	err := lr.session(ctx, func(h Header) bool {
		info.ID, info.Cwd, info.Parent, info.Created = h.ID, h.Cwd, h.Parent, h.Time
		return true
	}, func(l *line) bool {
		if l.Fault != "" {
			info.Skipped++
			return info.ID != "" || l.Next < maxPreamble
		}
		switch l.Type {
		case TypeInfo:
			if e, ok := decode(l).(*InfoEntry); ok {
				info.Name = CleanName(e.Name)
			}
		case TypeMessage:
			info.Messages++
			if l.Role != ai.RoleUser && l.Role != ai.RoleAssistant {
				break
			}
			at := l.At
			if ms, err := strconv.ParseFloat(string(l.messageAt), 64); err == nil {
				at = int64(ms)
			}
			newest = max(newest, at)
			if withText || info.First == "" && l.Role == ai.RoleUser {
				said := Said(decode(l))
				if info.First == "" && l.Role == ai.RoleUser {
					info.First = said
				}
				if withText && said != "" {
					texts = append(texts, said)
				}
			}
		}
		return failed == nil
	})
	if err = errors.Join(err, failed); err != nil {
		return info, err
	}
	info.Modified = info.Created
	if newest > 0 {
		info.Modified = time.UnixMilli(newest).UTC()
	}
	info.Text = strings.Join(texts, " ")
	return info, nil
}

// Said is the text that a user or a model wrote in an entry, its blocks joined
// by spaces; "" for all other entries.
func Said(e Entry) string {
	m, ok := e.(*MessageEntry)
	if !ok {
		return ""
	}
	switch m := m.Message.(type) {
	case *ai.UserMessage:
		return strings.TrimSpace(ai.TextOf(m.Content, " "))
	case *ai.AssistantMessage:
		return strings.TrimSpace(ai.TextOf(m.Content, " "))
	}
	return ""
}
