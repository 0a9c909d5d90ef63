package rpc_test

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/rpc"
	"github.com/pi-go/pi/codingagent/settings"
)

// A conversation of which only its summary is left can be copied like any other.
func TestCloneOfASummary(t *testing.T) {
	r := newRig(t, func(o *codingagent.Options, _ *rpc.Server) {
		o.Settings = &settings.Settings{Compaction: settings.Compaction{KeepRecent: 1}}
	})
	r.model.Queue(faux.Say("a story"), faux.Say("the summary"), faux.Say("the summary"))
	r.send(`{"id":"p","type":"prompt","message":"tell"}`)
	r.until("settled false")
	r.send(`{"id":"b","type":"bash","command":"echo kept"}`)
	r.until("b:bash")
	r.send(`{"id":"c","type":"compact"}`)
	r.until("c:compact")
	if l := r.ask(`{"type":"get_messages"}`); strings.Contains(l.raw, "a story") {
		t.Fatalf("more is left than the summary: %s", l.raw)
	}
	if l := r.ask(`{"id":"d","type":"clone"}`); string(l.Data) != `{"cancelled":false}` {
		t.Errorf("the copy: %s", l.raw)
	}
	r.close()
}
