package codingagent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/settings"
)

// withWindow makes a session with a model of a small window.
func withWindow(t *testing.T, window int64, change func(*settings.Settings)) *rig {
	t.Helper()
	var p *faux.Provider
	r := newRig(t, func(o *codingagent.Options) {
		p = faux.New(faux.Config{Models: []*ai.Model{{ID: "m", API: faux.APIID, ContextWindow: window, MaxTokens: 1000}}})
		o.Models, o.Model = ai.NewModels(p), p.Model()
		set := settings.Defaults()
		change(&set)
		o.Settings = &set
	})
	r.model = p
	return r
}

// What stays free when a branch is summed up leaves less room for what was said on it.
func TestBranchSummaryReserve(t *testing.T) {
	asked := func(reserve int64) int64 {
		r := withWindow(t, 100_000, func(s *settings.Settings) { s.BranchSummary.Reserve = reserve })
		for range 8 {
			r.model.Queue(faux.Say(strings.Repeat("All work and no play. ", 400)))
			r.prompt("go on")
		}
		r.model.Queue(faux.Say("summary"))
		if _, err := r.Navigate(t.Context(), r.Session().Stubs()[1].ID, harness.NavigateOptions{Summarize: true}); err != nil {
			t.Fatal(err)
		}
		requests := r.model.Requests()
		return ai.EstimateContext(requests[len(requests)-1].Call.Messages)
	}
	if all, some := asked(1000), asked(85_000); all <= 15_000 || some > 15_000 {
		t.Errorf("the model was asked with %d tokens, and with %d where 85000 of 100000 stay free", all, some)
	}
}

// A conversation is summed up when less is free than the settings say, those for its
// model first.
func TestCompactionReserve(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*settings.Settings)
		summary bool
	}{
		"enough is free": {func(s *settings.Settings) { s.Compaction.Reserve = 1000 }, false},
		"too little":     {func(s *settings.Settings) { s.Compaction.Reserve = 9000 }, true},
		"too little for this model": {func(s *settings.Settings) {
			s.Compaction.Reserve = 1000
			s.Compaction.Models = map[string]settings.CompactionOverride{"faux/m": {Reserve: new(int64(9000))}}
		}, true},
		"switched off": {func(s *settings.Settings) { s.Compaction.Reserve, s.Compaction.Enabled = 9000, false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := withWindow(t, 40_000, func(s *settings.Settings) {
				s.Compaction.KeepRecent = 1
				tc.change(s)
			})
			first, second := faux.Say("one"), faux.Say("two")
			first.Usage, second.Usage = &ai.Usage{Input: 100, Total: 100}, &ai.Usage{Input: 35_000, Total: 35_000}
			r.model.Queue(first, second, faux.Say("what was said"), faux.Say("and the beginning of the turn"))
			r.prompt("hi")
			r.prompt("again")
			if n := len(r.model.Requests()); (n > 2) != tc.summary {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// The queues are delivered as the settings say.
func TestQueueModesOfSettings(t *testing.T) {
	r := newRig(t, func(o *codingagent.Options) {
		set := settings.Defaults()
		set.SteeringMode, set.FollowUpMode = agentcore.QueueAll, agentcore.QueueAll
		o.Settings = &set
	})
	if st := r.State(); st.SteeringMode != agentcore.QueueAll || st.FollowUpMode != agentcore.QueueAll {
		t.Errorf("the modes are %s and %s", st.SteeringMode, st.FollowUpMode)
	}
}

// ~ in the path of a shell is the home directory.
func TestShellPathInHome(t *testing.T) {
	home := t.TempDir()
	shell := filepath.Join(home, "bin", "own-sh")
	if err := os.MkdirAll(filepath.Dir(shell), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(shell, []byte("#!/bin/sh\necho through the own shell\nexec /bin/sh \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *codingagent.Options) {
		set := settings.Defaults()
		set.ShellPath = "~/bin/own-sh"
		o.Home, o.Settings = home, &set
	})
	got, err := r.Bash(t.Context(), "echo and what was asked", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Output != "through the own shell\nand what was asked\n" {
		t.Errorf("the output is %q", got.Output)
	}
}
