package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// A conversation that takes another turn: the first answer stays in the tree,
// and a model sees the second branch only.
func Example() {
	ctx := context.Background()
	s, err := session.Create(ctx, session.NewMemory(), session.Header{}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	question, _ := s.AppendMessage(ctx, ai.UserText("Name a colour."))
	s.AppendMessage(ctx, &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: "Red."}}, StopReason: ai.StopEnd})
	if err := s.MoveTo(ctx, question); err != nil {
		fmt.Println(err)
		return
	}
	s.AppendMessage(ctx, &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: "Blue."}}, StopReason: ai.StopEnd})

	c, err := s.Context(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range session.ModelMessages(c.Messages) {
		switch m := m.(type) {
		case *ai.UserMessage:
			fmt.Println("user:", ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			fmt.Println("model:", m.Text())
		}
	}
	fmt.Println(s.Len(), "entries in all")
	// Output:
	// user: Name a colour.
	// model: Blue.
	// 3 entries in all
}

// Sessions in a directory, found again later.
func ExampleDir() {
	ctx := context.Background()
	root, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	dir := session.NewDir(filepath.Join(root, "sessions"))

	s, err := session.Create(ctx, dir, session.Header{ID: "shopping"}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AppendMessage(ctx, ai.UserText("Milk, bread and tea."))
	s.Close()

	for info, err := range dir.List(ctx, session.ListOptions{}) {
		fmt.Println(info.ID, info.Messages, info.First, err)
	}
	s, err = session.Open(ctx, dir, "shop", session.Options{Mode: session.ReadOnly})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.ID(), s.Len())
	// Output:
	// shopping 1 Milk, bread and tea. <nil>
	// shopping 1
}

// Measurement is a message of a program's own kind.
type Measurement struct {
	Kind    ai.Role `json:"role"`
	Celsius float64 `json:"celsius"`
	At      int64   `json:"timestamp"`
}

func (*Measurement) Role() ai.Role     { return "measurement" }
func (m *Measurement) Time() time.Time { return time.UnixMilli(m.At) }

// ModelMessage says what a model sees.
func (m *Measurement) ModelMessage() ai.Message {
	return ai.UserText(fmt.Sprintf("The thermometer shows %.1f degrees.", m.Celsius))
}

// A program's own kind of message is stored, read back and shown to a model.
func ExampleCodec() {
	ctx := context.Background()
	repo := session.NewMemory()
	options := session.Options{Codec: session.Codec{
		"measurement": func(data json.RawMessage) (agentcore.Message, error) {
			m := new(Measurement)
			return m, json.Unmarshal(data, m)
		},
	}}
	s, err := session.Create(ctx, repo, session.Header{}, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AppendMessage(ctx, &Measurement{Kind: "measurement", Celsius: 21.5})
	s.Close()

	s, err = session.Open(ctx, repo, s.ID(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	c, _ := s.Context(ctx)
	fmt.Printf("%T\n", c.Messages[0])
	fmt.Println(ai.TextOf(session.ModelMessages(c.Messages)[0].(*ai.UserMessage).Content, ""))
	// Output:
	// *session_test.Measurement
	// The thermometer shows 21.5 degrees.
}
