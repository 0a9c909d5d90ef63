package main

import (
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func TestBookkeeper(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(
		faux.Calls(
			faux.Call("record", map[string]any{"what": "lunch", "amount": 12.5}),
			faux.Call("record", map[string]any{"what": "train", "amount": "8"}), // models do this; it is converted
			faux.Call("record", map[string]any{"what": "refund", "amount": -3}), // does not fit the schema
		),
		faux.Calls(faux.Call("total", nil)),
		faux.Say("You spent 20.50 euros."),
	)
	var l ledger
	answer, err := l.ask(t.Context(), ai.NewModels(p).Stream, p.Model(), "Lunch was 12.50, the train 8.")
	if err != nil {
		t.Fatal(err)
	}
	if answer != "You spent 20.50 euros." || len(l.expenses) != 2 || l.expenses[1].Amount != 8 {
		t.Errorf("answer %q, ledger %v", answer, l.expenses)
	}
	last := p.Requests()[2].Call.Messages
	result, ok := last[len(last)-1].(*ai.ToolResultMessage)
	if !ok || ai.TextOf(result.Content, "") != "20.50 euros in 2 expenses" {
		t.Errorf("the model was told %+v", last[len(last)-1])
	}
}
