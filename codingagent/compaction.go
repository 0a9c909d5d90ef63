package codingagent

import (
	"encoding/json"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/ai"
)

// compaction gives the settings for a model.
func (s *AgentSession) compaction(m *ai.Model) compaction.Settings {
	set := s.shape.Load().settings
	reserve, keep := set.Compaction.For(m.Ref())
	return compaction.Settings{Enabled: set.Compaction.Enabled, Reserve: reserve, KeepRecent: keep, BranchReserve: set.BranchSummary.Reserve}
}

// touchedFiles lists what the file tools were called on.
func touchedFiles(messages []agentcore.Message) compaction.Files {
	var f compaction.Files
	for _, m := range messages {
		a, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range a.ToolCalls() {
			var args struct{ Path string }
			if json.Unmarshal(c.Arguments, &args) != nil || args.Path == "" {
				continue
			}
			switch c.Name {
			case "read":
				f.Read = append(f.Read, args.Path)
			case "write", "edit":
				f.Modified = append(f.Modified, args.Path)
			}
		}
	}
	return f
}
