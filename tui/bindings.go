package tui

import "github.com/pi-go/pi/tui/input"

// StandardBindings are the keys of this package's components: tui.editor… and
// tui.input… of the editor and the input, tui.select… of lists, trees, settings and
// forms, tui.altScreen… of a full-screen program. Programs add their own to them;
// users can change both, see [input.Bindings.Set]:
//
//	b := input.NewBindings(tui.StandardBindings(), []input.Binding{
//		{Action: "app.filter", Keys: []string{"ctrl+l"}, Help: "choose which lines are shown"},
//	})
//	for _, action := range b.Actions() {
//		fmt.Println(action, b.Text(action), b.Help(action))
//	}
func StandardBindings() []input.Binding {
	return []input.Binding{
		{Action: "tui.editor.cursorUp", Keys: []string{"up"}, Help: "line up"},
		{Action: "tui.editor.cursorDown", Keys: []string{"down"}, Help: "line down"},
		{Action: "tui.editor.historyPrevious", Help: "previous entry"},
		{Action: "tui.editor.historyNext", Help: "next entry"},
		{Action: "tui.editor.cursorLeft", Keys: []string{"left", "ctrl+b"}, Help: "character left"},
		{Action: "tui.editor.cursorRight", Keys: []string{"right", "ctrl+f"}, Help: "character right"},
		{Action: "tui.editor.cursorWordLeft", Keys: []string{"alt+left", "ctrl+left", "alt+b"}, Help: "word left"},
		{Action: "tui.editor.cursorWordRight", Keys: []string{"alt+right", "ctrl+right", "alt+f"}, Help: "word right"},
		{Action: "tui.editor.cursorLineStart", Keys: []string{"home", "ctrl+a"}, Help: "start of the line"},
		{Action: "tui.editor.cursorLineEnd", Keys: []string{"end", "ctrl+e"}, Help: "end of the line"},
		{Action: "tui.editor.jumpForward", Keys: []string{"ctrl+]"}, Help: "to the next character typed"},
		{Action: "tui.editor.jumpBackward", Keys: []string{"ctrl+alt+]"}, Help: "to the previous character typed"},
		{Action: "tui.editor.pageUp", Keys: []string{"pageUp", "ctrl+pageUp"}, Help: "page up"},
		{Action: "tui.editor.pageDown", Keys: []string{"pageDown", "ctrl+pageDown"}, Help: "page down"},
		{Action: "tui.editor.deleteCharBackward", Keys: []string{"backspace"}, Help: "delete to the left"},
		{Action: "tui.editor.deleteCharForward", Keys: []string{"delete", "ctrl+d"}, Help: "delete to the right"},
		{Action: "tui.editor.deleteWordBackward", Keys: []string{"ctrl+w", "alt+backspace"}, Help: "delete a word to the left"},
		{Action: "tui.editor.deleteWordForward", Keys: []string{"alt+d", "alt+delete"}, Help: "delete a word to the right"},
		{Action: "tui.editor.deleteToLineStart", Keys: []string{"ctrl+u"}, Help: "delete to the start of the line"},
		{Action: "tui.editor.deleteToLineEnd", Keys: []string{"ctrl+k"}, Help: "delete to the end of the line"},
		{Action: "tui.editor.yank", Keys: []string{"ctrl+y"}, Help: "insert what was deleted"},
		{Action: "tui.editor.yankPop", Keys: []string{"alt+y"}, Help: "insert what was deleted before that"},
		{Action: "tui.editor.undo", Keys: []string{"ctrl+-"}, Help: "undo"},
		{Action: "tui.editor.redo", Keys: []string{"alt+-"}, Help: "redo"},
		{Action: "tui.input.newLine", Keys: []string{"shift+enter", "ctrl+j"}, Help: "new line"},
		{Action: "tui.input.submit", Keys: []string{"enter"}, Help: "send"},
		{Action: "tui.input.tab", Keys: []string{"tab"}, Help: "complete"},
		{Action: "tui.input.copy", Keys: []string{"ctrl+c"}, Help: "copy"},
		{Action: "tui.select.up", Keys: []string{"up"}, Help: "up"},
		{Action: "tui.select.down", Keys: []string{"down"}, Help: "down"},
		{Action: "tui.select.pageUp", Keys: []string{"pageUp"}, Help: "page up"},
		{Action: "tui.select.pageDown", Keys: []string{"pageDown"}, Help: "page down"},
		{Action: "tui.select.confirm", Keys: []string{"enter"}, Help: "choose"},
		{Action: "tui.select.cancel", Keys: []string{"escape", "ctrl+c"}, Help: "cancel"},
		{Action: actionPageUp, Keys: []string{"pageUp"}, Help: "page up"},
		{Action: actionPageDown, Keys: []string{"pageDown"}, Help: "page down"},
		{Action: actionHalfPageUp, Help: "half a page up"},
		{Action: actionHalfPageDown, Help: "half a page down"},
		{Action: actionLineUp, Help: "line up"},
		{Action: actionLineDown, Help: "line down"},
		{Action: "tui.altScreen.previousPrompt", Keys: []string{"ctrl+shift+up", "ctrl+up"}, Help: "previous prompt"},
		{Action: "tui.altScreen.nextPrompt", Keys: []string{"ctrl+shift+down", "ctrl+down"}, Help: "next prompt"},
		{Action: "tui.altScreen.search", Keys: []string{"ctrl+shift+f"}, Help: "search"},
		{Action: "tui.altScreen.searchNext", Keys: []string{"enter", "ctrl+g"}, Help: "next match"},
		{Action: "tui.altScreen.searchPrevious", Keys: []string{"shift+enter", "ctrl+shift+g"}, Help: "previous match"},
		{Action: "tui.altScreen.searchClose", Keys: []string{"escape"}, Help: "end the search"},
		{Action: actionTop, Keys: []string{"ctrl+home"}, Help: "to the top"},
		{Action: actionBottom, Keys: []string{"ctrl+end"}, Help: "to the bottom"},
	}
}
