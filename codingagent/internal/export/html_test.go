package export_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/export"
)

const attack = `</div></pre></details><script>alert(1)</script><img src=x onerror="alert(2)">'"&<!-- ` + "\x1b]8;;http://evil\x07\u202e"

func render(t *testing.T, add func(ctx context.Context, s *session.Session)) string {
	t.Helper()
	s, err := session.Create(t.Context(), session.NewMemory(), session.Header{Cwd: "/w/" + attack}, session.Options{Codec: codingagent.Codec()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add(t.Context(), s)
	var b strings.Builder
	if err := export.HTML(t.Context(), &b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever is said anywhere, the page has the tags that we wrote and no others.
func TestNothingActsAsMarkup(t *testing.T) {
	args, err := json.Marshal(map[string]string{"command": attack})
	if err != nil {
		t.Fatal(err)
	}
	page := render(t, func(ctx context.Context, s *session.Session) {
		text := attack
		for _, m := range []interface {
			Role() ai.Role
		}{
			&ai.SystemMessage{Sections: []ai.Section{{Name: attack, Text: &text}}},
			&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: attack}, &ai.Image{MIMEType: "image/svg+xml", Data: "PHN2Zz4="}, &ai.Image{MIMEType: `image/png"><script>`, Data: attack}}},
			&ai.AssistantMessage{Content: []ai.Block{&ai.Thinking{Text: attack}, &ai.ToolCall{ID: "c" + attack, Name: attack, Arguments: args}}, StopReason: ai.StopError, ErrorMessage: attack, Model: attack},
			&ai.ToolResultMessage{ToolCallID: "c" + attack, ToolName: attack, Content: []ai.Block{&ai.Text{Text: attack}}, IsError: true},
			&ai.ToolResultMessage{ToolCallID: "orphan", ToolName: attack, Content: []ai.Block{&ai.Text{Text: attack}}},
			&codingagent.BashExecution{Command: attack, Output: attack},
		} {
			var err error
			switch m := m.(type) {
			case *ai.SystemMessage:
				_, err = s.AppendMessage(ctx, m)
			case *ai.UserMessage:
				_, err = s.AppendMessage(ctx, m)
			case *ai.AssistantMessage:
				_, err = s.AppendMessage(ctx, m)
			case *ai.ToolResultMessage:
				_, err = s.AppendMessage(ctx, m)
			case *codingagent.BashExecution:
				_, err = s.AppendMessage(ctx, m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range []session.Entry{
			&session.ModelEntry{Provider: attack, ModelID: attack}, &session.InfoEntry{Name: attack},
			&session.CustomMessageEntry{Content: []ai.Block{&ai.Text{Text: attack}}},
		} {
			if _, err := s.Append(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, bad := range []string{"<script", "<img src=x", "onerror=\"", "\x1b", "\x07", "\u202e", "svg+xml;base64", "<!-- "} {
		if strings.Contains(page, bad) {
			i := strings.Index(page, bad)
			t.Errorf("the page has %q: …%s", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
	if n := strings.Count(page, "&lt;script&gt;"); n < 12 {
		t.Errorf("%d of the texts are in the page", n)
	}
	opened, closed := strings.Count(page, "<details"), strings.Count(page, "</details>")
	if opened != closed || opened == 0 {
		t.Errorf("%d details are opened, %d closed", opened, closed)
	}
}

func TestPage(t *testing.T) {
	page := render(t, func(ctx context.Context, s *session.Session) {
		for _, text := range []string{"one", "two"} {
			if _, err := s.AppendMessage(ctx, ai.UserText(text)); err != nil {
				t.Fatal(err)
			}
		}
		entries, err := s.Branch(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.MoveTo(ctx, entries[0].Head().ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendMessage(ctx, &ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "three"}, &ai.Image{MIMEType: "image/png", Data: "AAAA"}}}); err != nil {
			t.Fatal(err)
		}
	})
	for _, want := range []string{"one", "three", `src="data:image/png;base64,AAAA"`, "default-src 'none'"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, ">two<") {
		t.Error("the page has what is on another branch")
	}
}

func FuzzEscape(f *testing.F) {
	f.Add(attack)
	f.Fuzz(func(t *testing.T, s string) {
		if got := export.Escape(s); strings.ContainsAny(got, "<>\"'\x00\x1b\r") {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
