package agentcore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// sensorReading is a message of the program's own. It stands in the transcript
// as it is; what the model sees of it is decided by the conversion.
type sensorReading struct {
	at      time.Time
	celsius float64
}

func (sensorReading) Role() ai.Role     { return "sensor" }
func (r sensorReading) Time() time.Time { return r.at }

// A transcript may hold any kind of message. ConvertToLLM turns those that
// matter into what a model understands and drops the others.
func Example_customMessage() {
	p := faux.New(faux.Config{})
	p.Queue(faux.Say("It is getting warmer."))
	agent := agentcore.New(agentcore.AgentConfig{
		Model: p.Model(),
		Loop: agentcore.LoopConfig{
			Stream: ai.NewModels(p).Stream,
			ConvertToLLM: func(messages []agentcore.Message) []ai.Message {
				var out []ai.Message
				for _, m := range messages {
					switch m := m.(type) {
					case sensorReading:
						out = append(out, ai.UserText(fmt.Sprintf("[sensor] %.1f °C", m.celsius)))
					case ai.Message:
						out = append(out, m)
					}
				}
				return out
			},
		},
	})
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	answer, err := agent.Prompt(context.Background(),
		sensorReading{noon, 21.5},
		sensorReading{noon.Add(time.Hour), 24},
		ai.UserText("What is the trend?"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range p.Requests()[0].Call.Messages {
		fmt.Println("model sees:", ai.TextOf(m.(*ai.UserMessage).Content, ""))
	}
	fmt.Println(answer.Text())
	fmt.Println("first message of the transcript:", agent.State().Messages[0].Role())
	// Output:
	// model sees: [sensor] 21.5 °C
	// model sees: [sensor] 24.0 °C
	// model sees: What is the trend?
	// It is getting warmer.
	// first message of the transcript: sensor
}
