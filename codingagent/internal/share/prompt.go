package share

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent"
)

// tool is a tool as an entry has it.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// WithPrompt adds to the lines of a session an entry with the prompt and the tools
// that are in force, for viewers that show them.
func WithPrompt(lines []byte, s *codingagent.AgentSession) ([]byte, error) {
	lines = bytes.TrimRight(lines, "\n")
	var last struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(lines[bytes.LastIndexByte(lines, '\n')+1:], &last); err != nil || last.ID == "" {
		return nil, errors.Join(errors.New("the last entry of the session can not be read"), err)
	}
	var sections []string
	for _, section := range s.SystemPrompt() {
		sections = append(sections, section.Text)
	}
	tools := []tool{}
	for _, t := range s.PromptTools() {
		tools = append(tools, tool{t.Name, t.Description, t.Parameters})
	}
	data, err := json.Marshal(map[string]any{"systemPrompt": strings.Join(sections, "\n\n"), "tools": tools})
	if err != nil {
		return nil, err
	}
	id := make([]byte, 4)
	_, _ = rand.Read(id) // it never fails
	entry := session.CustomEntry{
		Meta:       session.Meta{ID: hex.EncodeToString(id), Parent: last.ID, Time: time.Now()},
		CustomType: "pi.share", Data: data,
	}
	if lines, err = entry.AppendJSON(append(lines, '\n')); err != nil {
		return nil, err
	}
	return append(lines, '\n'), nil
}
