package rpc_test

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/rpc"
)

// cycle_model goes through the scope of the session and says so.
func TestCycleModelInAScope(t *testing.T) {
	p := faux.New(faux.Config{ID: "x", Models: []*ai.Model{{ID: "a", API: faux.APIID}, {ID: "b", API: faux.APIID}, {ID: "c", API: faux.APIID, Reasoning: true}}})
	list := p.Models()
	r := newRig(t, func(o *codingagent.Options, _ *rpc.Server) {
		o.Models, o.Model = ai.NewModels(p), list[0]
		o.ScopedModels = []models.Choice{{Model: list[0]}, {Model: list[2], Thinking: "low"}}
	})
	r.send(`{"id":"c","type":"cycle_model"}`)
	var raw string
	for raw == "" {
		if l := r.next(); l.Type == "response" {
			raw = l.raw
		}
	}
	for _, want := range []string{`"id":"c"`, `"thinkingLevel":"low"`, `"isScoped":true`} {
		if !strings.Contains(raw, want) {
			t.Errorf("%s lacks %s", raw, want)
		}
	}
	r.close()
}
