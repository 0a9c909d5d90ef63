package harness_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/agentcore/skill"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// A conversation that lasts: the second harness goes on where the first ended.
func Example() {
	ctx := context.Background()
	p := faux.New(faux.Config{}) // instead of a real provider
	p.Queue(faux.Say("Hello Ada."), faux.Say("Your name is Ada."))
	repo := session.NewMemory() // or session.NewDir, sqlite.Open, postgres.Open

	talk := func(s *session.Session, text string) error {
		h, err := harness.New(ctx, harness.Config{
			Session: s, Model: p.Model(),
			Loop: agentcore.LoopConfig{Stream: ai.NewModels(p).Stream},
		})
		if err != nil {
			return err
		}
		defer h.Close(ctx)
		result, err := h.Prompt(ctx, ai.UserText(text), harness.PromptOptions{})
		if err != nil {
			return err
		}
		fmt.Println(result.Answer.Text())
		return result.Answer.Err()
	}

	s, err := session.Create(ctx, repo, session.Header{ID: "ada"}, session.Options{})
	if err == nil {
		err = talk(s, "I am Ada.")
	}
	if err == nil {
		s, err = session.Open(ctx, repo, "ada", session.Options{})
	}
	if err == nil {
		err = talk(s, "What is my name?")
	}
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(p.Requests()[1].Call.Messages), "messages were sent the second time")
	// Output:
	// Hello Ada.
	// Your name is Ada.
	// 3 messages were sent the second time
}

// Skills by name: a hook puts the whole text of one into the message.
func Example_skills() {
	ctx := context.Background()
	p := faux.New(faux.Config{})
	p.Queue(faux.Say("Dear Sir, …"))
	letters, _, err := skill.Parse("/skills/letter/SKILL.md", "---\nname: letter\ndescription: How to write letters.\n---\nBe polite.\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	skills := map[string]skill.Skill{"letter": letters}

	s, err := session.Create(ctx, session.NewMemory(), session.Header{}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := harness.New(ctx, harness.Config{
		Session: s, Model: p.Model(),
		Loop: agentcore.LoopConfig{Stream: ai.NewModels(p).Stream},
		Hooks: harness.Hooks{
			BeforePrompt: func(_ context.Context, b harness.BeforePrompt) (*harness.PromptDecision, error) {
				said, ok := b.Message.(*ai.UserMessage)
				if !ok {
					return nil, nil
				}
				command, args, _ := strings.Cut(ai.TextOf(said.Content, ""), " ")
				name, isSkill := strings.CutPrefix(command, "/skill:")
				if !isSkill {
					return nil, nil
				}
				known, ok := skills[name]
				if !ok {
					return nil, fmt.Errorf("there is no skill %q", name)
				}
				return &harness.PromptDecision{Message: ai.UserText(known.Expand(args))}, nil
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close(ctx)
	for _, text := range []string{"/skill:leter to the landlord", "/skill:letter to the landlord"} {
		if _, err := h.Prompt(ctx, ai.UserText(text), harness.PromptOptions{}); err != nil {
			fmt.Println(harness.CodeOf(err)+":", err)
		}
	}
	asked := ai.TextOf(p.Requests()[0].Last().(*ai.UserMessage).Content, "")
	fmt.Println(strings.Contains(asked, "Be polite."), strings.HasSuffix(asked, "to the landlord"))
	// Output:
	// hook: BeforePrompt: there is no skill "leter"
	// true true
}
