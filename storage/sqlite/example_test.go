package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/storage/sqlite"
)

// An agent that waters plants and remembers: its conversations are in a database,
// go on where they were left, are summed up when they grow long, and are found
// again by their words. A scripted model stands for a real one here.
func Example() {
	ctx := context.Background()
	p := faux.New(faux.Config{})
	p.Queue(
		faux.Calls(faux.Call("water", map[string]any{"plant": "fern"})), faux.Say("The fern has water."),
		faux.Say("Nothing else is thirsty."),
	)
	dir, err := os.MkdirTemp("", "garden")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	repo, err := sqlite.Open(ctx, filepath.Join(dir, "garden.db"), sqlite.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()

	s, err := session.Create(ctx, repo, session.Header{}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	id := s.ID()
	if err := tend(ctx, s, p, "Water the fern."); err != nil {
		fmt.Println(err)
		return
	}
	// Later, perhaps in another process:
	if s, err = session.Open(ctx, repo, id, session.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	if err := tend(ctx, s, p, "And the others?"); err != nil {
		fmt.Println(err)
		return
	}
	for hit, err := range repo.Search(ctx, "thirsty", 10) {
		fmt.Println(hit.Snippet, err)
	}
	// Output:
	// The fern has water.
	// Nothing else is thirsty.
	// Nothing else is thirsty. <nil>
}

// tend prompts an agent on a session, and closes the session.
func tend(ctx context.Context, s *session.Session, p *faux.Provider, request string) error {
	water := agentcore.NewTool("water", "Waters one plant.",
		func(_ context.Context, in struct {
			Plant string `json:"plant"`
		}, _ func(agentcore.ToolResult),
		) (agentcore.ToolResult, error) {
			return agentcore.TextResult("watered: " + in.Plant), nil
		})
	h, err := harness.New(ctx, harness.Config{
		Session: s,
		Model:   p.Model(),
		Tools:   []*agentcore.Tool{water},
		System:  func() []ai.Section { return []ai.Section{{Name: "role", Text: new("You look after a garden.")}} },
		Loop:    agentcore.LoopConfig{Stream: ai.NewModels(p).Stream},
		Retry:   ai.DefaultRetryPolicy(),
		Compaction: func(m *ai.Model) compaction.Settings {
			return compaction.DefaultSettings().For(m.ContextWindow)
		},
	})
	if err != nil {
		return err
	}
	defer h.Close(ctx)
	result, err := h.Prompt(ctx, ai.UserText(request), harness.PromptOptions{})
	if err != nil {
		return err
	}
	fmt.Println(result.Answer.Text())
	return result.Answer.Err()
}
