// Command notes is an agent that keeps notes and finds them again, in this run
// or in a later one: conversation and notes are sessions of one SQLite
// database. It uses packages ai, agentcore/harness and storage/sqlite.
//
//	go run ./examples/notes notes.db "The plumber comes on Tuesday at nine."
//	go run ./examples/notes notes.db "When does the plumber come?"
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/anthropic"
	"github.com/pi-go/pi/storage/sqlite"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "notes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	if len(os.Args) != 3 {
		return errors.New("usage: notes DATABASE REQUEST")
	}
	models := ai.NewModels(anthropic.New())
	model, err := models.Model("anthropic", "claude-sonnet-5")
	if err != nil {
		return err
	}
	repo, err := sqlite.Open(ctx, os.Args[1], sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	answer, err := ask(ctx, repo, models.Stream, model, os.Args[2])
	if err != nil {
		return err
	}
	fmt.Println(answer)
	return nil
}

// conversation is the id of the session that all requests are part of.
const conversation = "conversation"

const prompt = `You keep the notes of one person. Take a note of everything worth remembering.
Before you say that you do not know something, look for it in the notes.`

// ask goes on with the conversation and gives the answer.
func ask(ctx context.Context, repo *sqlite.Repo, stream agentcore.StreamFunc, model *ai.Model, request string) (answer string, err error) {
	s, err := open(ctx, repo, conversation)
	if err != nil {
		return "", err
	}
	text := prompt
	h, err := harness.New(ctx, harness.Config{
		Session:    s,
		Model:      model,
		Loop:       agentcore.LoopConfig{Stream: stream},
		Tools:      notebook{repo}.tools(),
		System:     func() []ai.Section { return []ai.Section{{Name: "prompt", Text: &text}} },
		Compaction: func(*ai.Model) compaction.Settings { return compaction.DefaultSettings() },
		Retry:      ai.DefaultRetryPolicy(),
	})
	if err != nil {
		return "", errors.Join(err, s.Close())
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	result, err := h.Prompt(ctx, ai.UserText(request), harness.PromptOptions{})
	if err != nil {
		return "", err
	}
	if err := result.Answer.Err(); err != nil {
		return "", err
	}
	return result.Answer.Text(), nil
}

// open opens a session, or makes it.
func open(ctx context.Context, repo session.Repo, id string) (*session.Session, error) {
	s, err := session.Open(ctx, repo, id, session.Options{})
	if errors.Is(err, session.ErrNotFound) {
		return session.Create(ctx, repo, session.Header{ID: id}, session.Options{})
	}
	return s, err
}

// notebook is what the agent works on. Each topic is a session.
type notebook struct{ repo *sqlite.Repo }

type note struct {
	Topic string `json:"topic" jsonschema:"pattern=^[a-z]+$" jsonschema_description:"What the note is about: one word"`
	Text  string `json:"text" jsonschema:"minLength=1" jsonschema_description:"The note, in a sentence that can be understood alone"`
}

type words struct {
	Words string `json:"words" jsonschema:"minLength=1" jsonschema_description:"Words that the note has, all of them"`
}

func (n notebook) tools() []*agentcore.Tool {
	take := agentcore.NewTool("take", "Takes a note.",
		func(ctx context.Context, in note, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			return agentcore.TextResult("noted under " + in.Topic), n.take(ctx, in)
		})
	take.Sequential = true // one pen
	find := agentcore.NewTool("find", "Looks for words in all notes.",
		func(ctx context.Context, in words, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			found, err := n.find(ctx, in.Words)
			return agentcore.TextResult(found), err
		})
	return []*agentcore.Tool{take, find}
}

func (n notebook) take(ctx context.Context, in note) (err error) {
	s, err := open(ctx, n.repo, "topic-"+in.Topic)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.AppendMessage(ctx, ai.UserText(in.Text)); err != nil {
		return err
	}
	return s.Sync(ctx)
}

// find gives the notes that have the words, the best first.
func (n notebook) find(ctx context.Context, words string) (string, error) {
	var found string
	for hit, err := range n.repo.Search(ctx, words, 20) {
		switch {
		case err != nil:
			return "", err
		case hit.Session != conversation: // what was only talked about is no note
			found += hit.Session + ": " + hit.Snippet + "\n"
		}
	}
	if found == "" {
		found = "There is no note with these words."
	}
	return found, nil
}
