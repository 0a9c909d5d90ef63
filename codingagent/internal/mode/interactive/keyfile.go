package interactive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/tui/input"
)

// keyFile is the person's own file of keys.
func (u *ui) keyFile() string { return filepath.Join(u.cfg.AgentDir, "keybindings.json") }

// readKeys puts the keys of the person's file in force, and says what is wrong
// with it.
func (u *ui) readKeys() []string {
	data, err := execenv.ReadConfig(u.ctx, u.cfg.Env.FS, u.keyFile())
	notes := setBindings(u.keys, data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		notes = []string{fmt.Sprintf("keybindings.json can not be read (%v); the usual keys are in force", err)}
	}
	if u.guests != nil {
		u.guests.tellKeys()
	}
	return notes
}

// setBindings puts what a file of keys says in force. Faults of the file come
// back as notices; what is good in it counts. Names of older versions are read
// as the ones of today.
func setBindings(b *input.Bindings, data []byte) []string {
	b.Reset()
	if len(data) == 0 {
		return nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return []string{fmt.Sprintf("keybindings.json is not JSON (%v); the usual keys are in force", err)}
	}
	config := map[string][]string{}
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if name == "$schema" {
			continue
		}
		action := actionName(name)
		if _, both := raw[action]; both && action != name {
			continue
		}
		var one string
		var many []string
		switch {
		case json.Unmarshal(raw[name], &many) == nil:
			config[action] = many
		case json.Unmarshal(raw[name], &one) == nil:
			config[action] = []string{one}
		default:
			notes = append(notes, fmt.Sprintf("keybindings.json: %s: expected a key or a list of keys", oneLine(name)))
		}
	}
	for _, err := range b.Set(config) {
		notes = append(notes, "keybindings.json: "+oneLine(err.Error()))
	}
	return notes
}

// actionName gives the name of today for one of an older version.
func actionName(name string) string {
	switch name {
	case "cursorUp", "cursorDown", "cursorLeft", "cursorRight", "cursorWordLeft", "cursorWordRight", "cursorLineStart", "cursorLineEnd",
		"jumpForward", "jumpBackward", "pageUp", "pageDown", "deleteCharBackward", "deleteCharForward", "deleteWordBackward",
		"deleteWordForward", "deleteToLineStart", "deleteToLineEnd", "yank", "yankPop", "undo":
		return "tui.editor." + name
	case "newLine", "submit", "tab", "copy":
		return "tui.input." + name
	case "selectUp", "selectDown", "selectPageUp", "selectPageDown", "selectConfirm", "selectCancel":
		short := strings.TrimPrefix(name, "select")
		return "tui.select." + strings.ToLower(short[:1]) + short[1:]
	case "interrupt", "clear", "exit", "suspend":
		return "app." + name
	case "cycleThinkingLevel":
		return "app.thinking.cycle"
	case "toggleThinking":
		return "app.thinking.toggle"
	case "cycleModelForward", "cycleModelBackward":
		return "app.model.cycle" + strings.TrimPrefix(name, "cycleModel")
	case "selectModel":
		return "app.model.select"
	case "expandTools":
		return "app.tools.expand"
	case "externalEditor":
		return "app.editor.external"
	case "followUp", "dequeue":
		return "app.message." + name
	case "pasteImage":
		return "app.clipboard.pasteImage"
	case "newSession":
		return "app.session.new"
	case "tree", "fork", "resume":
		return "app.session." + name
	case "toggleSessionNamedFilter", "toggleSessionPath", "toggleSessionSort":
		return "app.session.toggle" + strings.TrimPrefix(name, "toggleSession")
	case "renameSession", "deleteSession":
		return "app.session." + strings.TrimSuffix(name, "Session")
	case "deleteSessionNoninvasive":
		return "app.session.deleteNoninvasive"
	case "treeFoldOrUp", "treeUnfoldOrDown", "treeEditLabel", "treeToggleLabelTimestamp":
		short := strings.TrimPrefix(name, "tree")
		return "app.tree." + strings.ToLower(short[:1]) + short[1:]
	}
	return name
}
