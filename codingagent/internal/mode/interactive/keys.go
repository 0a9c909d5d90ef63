package interactive

import (
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// appBindings are the keys of the program, beside those of the terminal
// library.
func appBindings() []input.Binding {
	return []input.Binding{
		{Action: "app.interrupt", Keys: []string{"escape"}, Help: "stop what is under way"},
		{Action: "app.clear", Keys: []string{"ctrl+c"}, Help: "clear the editor, stop; twice exits"},
		{Action: "app.exit", Keys: []string{"ctrl+d"}, Help: "exit (editor empty)"},
		{Action: "app.suspend", Keys: []string{"ctrl+z"}, Help: "suspend to the shell"},
		{Action: "app.editor.external", Keys: []string{"ctrl+g"}, Help: "write in an editor of your own"},
		{Action: "app.clipboard.pasteImage", Keys: []string{"ctrl+v"}, Help: "paste an image"},
		{Action: "app.session.new", Help: "new session"},
		{Action: "app.session.tree", Help: "tree of the session"},
		{Action: "app.session.fork", Help: "fork from a message"},
		{Action: "app.session.resume", Help: "resume a session"},
		{Action: "app.session.togglePath", Keys: []string{"ctrl+p"}, Help: "show all directories"},
		{Action: "app.session.toggleSort", Keys: []string{"ctrl+s"}, Help: "change the order"},
		{Action: "app.session.toggleNamedFilter", Keys: []string{"ctrl+n"}, Help: "only named sessions"},
		{Action: "app.session.rename", Keys: []string{"ctrl+r"}, Help: "rename the session"},
		{Action: "app.session.delete", Keys: []string{"ctrl+d"}, Help: "delete the session"},
		{Action: "app.session.deleteNoninvasive", Keys: []string{"ctrl+backspace"}, Help: "delete the session (filter empty)"},
		{Action: "app.model.select", Keys: []string{"ctrl+l"}, Help: "choose a model"},
		{Action: "app.model.cycleForward", Keys: []string{"ctrl+p"}, Help: "next model"},
		{Action: "app.model.cycleBackward", Keys: []string{"shift+ctrl+p"}, Help: "previous model"},
		{Action: "app.models.save", Keys: []string{"ctrl+s"}, Help: "keep as the default"},
		{Action: "app.models.enableAll", Keys: []string{"ctrl+a"}, Help: "all models"},
		{Action: "app.models.clearAll", Keys: []string{"ctrl+x"}, Help: "no models"},
		{Action: "app.models.toggleProvider", Keys: []string{"ctrl+p"}, Help: "all models of the provider"},
		{Action: "app.models.reorderUp", Keys: []string{"alt+up"}, Help: "move up"},
		{Action: "app.models.reorderDown", Keys: []string{"alt+down"}, Help: "move down"},
		{Action: "app.thinking.save", Keys: []string{"ctrl+s"}, Help: "keep as the default"},
		{Action: "app.thinking.cycle", Keys: []string{"shift+tab"}, Help: "next thinking level"},
		{Action: "app.thinking.toggle", Keys: []string{"ctrl+t"}, Help: "show or hide thinking"},
		{Action: "app.tools.expand", Keys: []string{"ctrl+o"}, Help: "unfold or fold output"},
		{Action: "app.message.copy", Keys: []string{"ctrl+x"}, Help: "copy the last answer"},
		{Action: "app.message.followUp", Keys: []string{"alt+enter"}, Help: "send when the agent is done"},
		{Action: "app.message.dequeue", Keys: []string{"alt+up"}, Help: "take queued messages back"},
		{Action: "app.tree.foldOrUp", Keys: []string{"ctrl+left", "alt+left"}, Help: "fold, or up"},
		{Action: "app.tree.unfoldOrDown", Keys: []string{"ctrl+right", "alt+right"}, Help: "unfold, or down"},
		{Action: "app.tree.editLabel", Keys: []string{"shift+l"}, Help: "label the entry"},
		{Action: "app.tree.toggleLabelTimestamp", Keys: []string{"shift+t"}, Help: "times of labels"},
		{Action: "app.tree.filter.default", Keys: []string{"ctrl+d"}, Help: "usual entries"},
		{Action: "app.tree.filter.noTools", Keys: []string{"ctrl+t"}, Help: "without tools"},
		{Action: "app.tree.filter.userOnly", Keys: []string{"ctrl+u"}, Help: "only your messages"},
		{Action: "app.tree.filter.labeledOnly", Keys: []string{"ctrl+l"}, Help: "only labelled entries"},
		{Action: "app.tree.filter.all", Keys: []string{"ctrl+a"}, Help: "all entries"},
		{Action: "app.tree.filter.cycleForward", Keys: []string{"ctrl+o"}, Help: "next filter"},
		{Action: "app.tree.filter.cycleBackward", Keys: []string{"shift+ctrl+o"}, Help: "previous filter"},
	}
}

// readBindings makes the keys, with what the person's file (keybindings.json)
// says. Faults of the file come back as notices; what is good in it is in
// force.
func readBindings(data []byte) (*input.Bindings, []string) {
	b := input.NewBindings(tui.StandardBindings(), appBindings())
	if len(data) == 0 {
		return b, nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return b, []string{fmt.Sprintf("keybindings.json is not JSON (%v); the usual keys are in force", err)}
	}
	config := map[string][]string{}
	var notes []string
	for action, v := range raw {
		if action == "$schema" {
			continue
		}
		var one string
		var many []string
		switch {
		case json.Unmarshal(v, &many) == nil:
			config[action] = many
		case json.Unmarshal(v, &one) == nil:
			config[action] = []string{one}
		default:
			notes = append(notes, fmt.Sprintf("keybindings.json: %s: expected a key or a list of keys", oneLine(action)))
		}
	}
	for _, err := range b.Set(config) {
		notes = append(notes, "keybindings.json: "+oneLine(err.Error()))
	}
	return b, notes
}
