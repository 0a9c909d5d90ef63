package agentcore

import (
	"strings"
	"testing"
)

func goldenName(name string) string { return strings.ReplaceAll(name, " ", "-") }

// endedMessages lists what message_end lines name.
func endedMessages(lines []string) []string {
	var out []string
	for _, l := range lines {
		if m, ok := strings.CutPrefix(l, "message_end "); ok {
			out = append(out, m)
		}
	}
	return out
}

// checkShape holds what is true of every run, whatever happens in it: turns
// and messages are bracketed, tools run between an answer and its results,
// every call that starts ends once and has one result.
func checkShape(t *testing.T, lines []string) {
	t.Helper()
	var inTurn, inMessage, answered bool
	started, ended, results := map[string]int{}, map[string]int{}, map[string]int{}
	for i, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		id, _, _ := strings.Cut(rest, " ")
		bad := ""
		switch kind {
		case "agent_start":
			if i != 0 {
				bad = "not first"
			}
		case "agent_end":
			if i != len(lines)-1 || inTurn || inMessage {
				bad = "not last, or something is open"
			}
		case "turn_start":
			if inTurn {
				bad = "in a turn"
			}
			inTurn, answered = true, false
			clear(started)
			clear(ended)
			clear(results)
		case "turn_end":
			if !inTurn || !answered || inMessage {
				bad = "no turn, no answer, or an open message"
			}
			for id := range started {
				want := 1
				if strings.Contains(id, "/") { // made by a tool
					want = 0
				}
				if ended[id] != 1 || results[id] != want {
					bad = "call " + id + " has not one end and one result"
				}
			}
			inTurn = false
		case "message_start":
			if !inTurn || inMessage {
				bad = "outside a turn or in a message"
			}
			inMessage = true
		case "message_update":
			if !inMessage {
				bad = "outside a message"
			}
		case "message_end":
			if !inMessage {
				bad = "without a start"
			}
			inMessage = false
			if id == "assistant" {
				if answered {
					bad = "second answer of a turn"
				}
				answered = true
			}
			if role, rest, _ := strings.Cut(rest, " "); role == "toolResult" {
				call, _, _ := strings.Cut(rest, " ")
				results[call]++
				if ended[call] != 1 {
					bad = "result of a call that has not ended"
				}
			}
		case "tool_execution_start":
			if !answered || inMessage {
				bad = "before the answer or in a message"
			}
			started[id]++
		case "tool_execution_update", "tool_execution_end":
			if started[id] != 1 || ended[id] != 0 {
				bad = "of a call that is not running"
			}
			if kind == "tool_execution_end" {
				ended[id]++
			}
		}
		if bad != "" {
			t.Errorf("event %d, %q: %s", i, line, bad)
		}
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[len(lines)-1], "agent_end") {
		t.Error("the run has no agent_end")
	}
}
