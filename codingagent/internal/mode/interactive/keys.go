package interactive

import (
	"runtime"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// platform is where the program runs, as far as keys differ.
type platform int

const (
	otherPlatform platform = iota
	macPlatform
	windowsPlatform
	wslPlatform // Linux in the terminal of Windows
)

func thisPlatform(getenv func(string) string) platform {
	switch {
	case runtime.GOOS == "windows":
		return windowsPlatform
	case runtime.GOOS == "darwin":
		return macPlatform
	case runtime.GOOS == "linux" && getenv("WSL_DISTRO_NAME") != "":
		return wslPlatform
	}
	return otherPlatform
}

// platformKeys are the keys that differ: the terminals of Windows keep some for
// themselves, and there is no job control.
func platformKeys(p platform) map[string][]string {
	switch p {
	case macPlatform:
		return map[string][]string{
			"app.tree.foldOrUp": {"alt+left", "ctrl+left"}, "app.tree.unfoldOrDown": {"alt+right", "ctrl+right"},
		}
	case windowsPlatform, wslPlatform:
		keys := map[string][]string{
			"tui.editor.undo": {"alt+z"}, "tui.altScreen.previousPrompt": {"ctrl+up"}, "tui.altScreen.nextPrompt": {"ctrl+down"},
			"tui.altScreen.search": {"ctrl+f"}, "app.clipboard.pasteImage": {"alt+v", "ctrl+v"}, "app.model.cycleBackward": {"alt+p"},
			"app.message.followUp": {"ctrl+q"}, "app.message.dequeue": {"alt+q"},
		}
		if p == windowsPlatform {
			keys["tui.editor.undo"], keys["app.suspend"] = []string{"ctrl+z"}, nil
		}
		return keys
	}
	return nil
}

// newBindings makes the usual keys of a platform.
func newBindings(p platform) *input.Bindings {
	own := platformKeys(p)
	lists := [][]input.Binding{tui.StandardBindings(), appBindings()}
	for _, list := range lists {
		for i := range list {
			if keys, ok := own[list[i].Action]; ok {
				list[i].Keys = keys
			}
		}
	}
	return input.NewBindings(lists...)
}

// appBindings are the keys of the program, beside those of the terminal
// library.
func appBindings() []input.Binding {
	return []input.Binding{
		{Action: "app.interrupt", Keys: []string{"escape"}, Help: "stop what is under way"},
		{Action: "app.clear", Keys: []string{"ctrl+c"}, Help: "clear the editor, stop; twice exits"},
		{Action: "app.exit", Keys: []string{"ctrl+d"}, Help: "exit (editor empty)"},
		{Action: "app.palette", Keys: []string{"alt+x", "f1"}, Help: "find a command by its name"},
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
		{Action: "app.session.preview", Keys: []string{"tab"}, Help: "show what was said last"},
		{Action: "app.session.rename", Keys: []string{"ctrl+r"}, Help: "rename the session"},
		{Action: "app.session.delete", Keys: []string{"ctrl+d"}, Help: "delete the session"},
		{Action: "app.session.deleteNoninvasive", Keys: []string{"ctrl+backspace"}, Help: "delete the session, or clear the filter"},
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
