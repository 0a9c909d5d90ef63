//go:build unix

package interactive_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/manual"
	"github.com/pi-go/pi/tui/input"
)

// spareKeys are for the actions that have no key of their own.
var spareKeys = map[string]string{
	"app.session.new": "f2", "app.session.tree": "f3", "app.session.fork": "f4", "app.session.resume": "f5",
	"tui.editor.historyPrevious": "f6", "tui.editor.historyNext": "f7",
	"tui.altScreen.halfPageUp": "f8", "tui.altScreen.halfPageDown": "f9", "tui.altScreen.lineUp": "f10", "tui.altScreen.lineDown": "f11",
	"tui.input.copy": "f12", // ctrl+c is app.clear's, too
}

// documentedKeys gives the first key of every action of the manual, whose tables another
// test ties to the program.
func documentedKeys(t *testing.T) map[string]string {
	t.Helper()
	page, ok := manual.Find("keybindings")
	if !ok {
		t.Fatal("the manual has no page about keys")
	}
	keys := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-zA-Z.]+)` \\| (?:`([^`]+)`)?").FindAllStringSubmatch(page.Text, -1) {
		keys[m[1]] = m[2]
	}
	maps.Copy(keys, spareKeys)
	return keys
}

// keySequence is what a terminal sends for a key.
func keySequence(t *testing.T, key string) string {
	t.Helper()
	id, err := input.Parse(key)
	if err != nil {
		t.Fatal(err)
	}
	mods := 1
	for mod, bit := range map[input.Mod]int{input.Shift: 1, input.Alt: 2, input.Ctrl: 4} {
		if id.Mods&mod != 0 {
			mods += bit
		}
	}
	letters := map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F", "f1": "P", "f2": "Q", "f4": "S"}
	numbers := map[string]int{"delete": 3, "pageUp": 5, "pageDown": 6, "f3": 13, "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24}
	codes := map[string]int{"enter": 13, "tab": 9, "escape": 27, "backspace": 127, "space": 32}
	if l, ok := letters[id.Name]; ok {
		return fmt.Sprintf("\x1b[1;%d%s", mods, l)
	}
	if n, ok := numbers[id.Name]; ok {
		return fmt.Sprintf("\x1b[%d;%d~", n, mods)
	}
	code, ok := codes[id.Name]
	if !ok {
		code = int([]rune(id.Name)[0])
	}
	return fmt.Sprintf("\x1b[%d;%du", code, mods)
}

// presser presses the keys of actions and keeps in mind which were pressed.
type presser struct {
	*console
	bound   map[string]string
	pressed map[string]bool
}

// press does an action by its key and waits until the screen shows some texts.
func (p *presser) press(action string, texts ...string) {
	p.t.Helper()
	key, ok := p.bound[action]
	if !ok || key == "" {
		p.t.Fatalf("%s has no key", action)
	}
	p.pressed[action] = true
	p.keys(keySequence(p.t, key))
	p.wait(texts...)
}

// edits writes a text into the empty editor, presses keys, types an X, and waits until
// the editor has some lines.
func (p *presser) edits(text string, actions []string, lines ...string) {
	p.t.Helper()
	p.keys(text)
	for _, a := range actions {
		if key, typed := strings.CutPrefix(a, "type "); typed {
			p.keys(key)
			continue
		}
		p.press(a)
	}
	p.keys("X")
	p.wait("─\n" + strings.Join(lines, "\n") + "\n─")
	p.press("app.clear")
	p.wait("─\n\n─")
}

// without presses the key of an action and waits until a text is gone.
func (p *presser) without(action, text string) {
	p.t.Helper()
	p.wait(text)
	p.press(action)
	p.gone(text)
}

// cancel leaves what takes the editor's place, and waits until its text is gone: an
// escape and what follows it at once would be one key.
func (p *presser) cancel(text string) {
	p.t.Helper()
	p.keys(escape)
	p.gone(text)
}

// Every action that the manual lists does something that can be seen when its key is
// pressed.
func TestEveryKeyAction(t *testing.T) {
	t.Parallel()
	bound := documentedKeys(t)
	config, err := json.Marshal(spareKeys)
	if err != nil {
		t.Fatal(err)
	}
	pressed := map[string]bool{}
	for _, part := range []struct {
		name string
		run  func(p *presser)
	}{
		{"editor", editorActions},
		{"transcript", transcriptActions},
		{"lists", listActions},
		{"models", modelActions},
		{"sessions", sessionActions},
		{"tree", treeActions},
		{"run", runActions},
	} {
		ok := t.Run(part.name, func(t *testing.T) {
			c := place(t)
			c.put(agentFiles+"keybindings.json", string(config))
			part.run(&presser{console: c, bound: bound, pressed: pressed})
		})
		if !ok {
			t.FailNow()
		}
	}
	for _, action := range slices.Sorted(maps.Keys(bound)) {
		if !pressed[action] {
			t.Errorf("nothing shows what %s does", action)
		}
	}
}

func editorActions(p *presser) {
	p.open(80, 40)
	const e = "tui.editor."
	start, left := e+"cursorLineStart", e+"cursorLeft"
	p.edits("ab", []string{left}, "aXb")
	p.edits("ab", []string{start, e + "cursorRight"}, "aXb")
	p.edits("one two", []string{e + "cursorWordLeft"}, "one Xtwo")
	p.edits("one two", []string{start, e + "cursorWordRight"}, "oneX two")
	p.edits("ab", []string{start}, "Xab")
	p.edits("ab", []string{start, e + "cursorLineEnd"}, "abX")
	p.edits("ab", []string{"tui.input.newLine", "type cd", e + "cursorUp"}, "abX", "cd")
	p.edits("ab", []string{"tui.input.newLine", "type cd", e + "cursorUp", e + "cursorDown"}, "ab", "cdX")
	p.edits("abcabc", []string{start, e + "jumpForward", "type c"}, "abXcabc")
	p.edits("abcabc", []string{e + "jumpBackward", "type b"}, "abcaXbc")
	p.edits("ab", []string{e + "deleteCharBackward"}, "aX")
	p.edits("ab", []string{start, e + "deleteCharForward"}, "Xb")
	p.edits("one two", []string{e + "deleteWordBackward"}, "one X")
	p.edits("one two", []string{start, e + "deleteWordForward"}, "X two")
	p.edits("ab", []string{left, e + "deleteToLineStart"}, "Xb")
	p.edits("ab", []string{start, "tui.editor.cursorRight", e + "deleteToLineEnd"}, "aX")
	p.edits("ab", []string{e + "deleteToLineStart", e + "yank", e + "yank"}, "ababX")
	p.edits("one", []string{e + "deleteToLineStart", "type two", e + "deleteToLineStart", e + "yank", e + "yankPop"}, "oneX")
	p.edits("one two", []string{e + "deleteWordBackward", e + "undo"}, "one twoX")
	p.edits("one two", []string{e + "deleteWordBackward", e + "undo", e + "redo"}, "one X")
	p.keys("/hotk")
	p.wait("→ /hotkeys")
	p.press("tui.input.tab", "─\n/hotkeys\n")
	p.press("app.clear")
	p.wait("─\n\n─")

	// Pages are those of the editor where the transcript does not want the keys.
	p.bound = maps.Clone(p.bound)
	p.bound[e+"pageUp"], p.bound[e+"pageDown"] = "ctrl+pageUp", "ctrl+pageDown"
	for i := range 30 {
		p.keys(fmt.Sprintf("line %02d", i))
		p.press("tui.input.newLine")
	}
	p.wait("line 29\n")
	p.press(e + "pageUp")
	p.keys("X")
	p.until("the X is further up", func(s string) bool {
		return regexp.MustCompile(`(?m)^(line \d\dX|Xline \d\d)$`).MatchString(s)
	})
	p.press(e+"undo", "")
	p.press(e + "pageDown")
	p.keys("Y")
	p.until("the Y is at the end", func(s string) bool { return strings.Contains(s, "line 29\nY\n") })
	p.press("app.clear")
	p.wait("─\n\n─")

	p.llm.Queue(mockllm.Say("it has arrived"))
	p.keys("a message")
	p.press("tui.input.submit", "it has arrived")
	p.gone("Working")
	p.press(e+"historyPrevious", "─\na message\n─")
	p.press(e+"historyNext", "─\n\n─")
	p.press("app.message.copy", "Copied the last answer.")

	p.press("app.palette", "── Commands")
	p.press("tui.select.cancel", "─\n\n─")
	p.press("app.clipboard.pasteImage", "lipboard")
	p.press("app.exit")
	p.finish(0)
}

func transcriptActions(p *presser) {
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("row %03d", i)
	}
	p.put(agentFiles+"settings.json", `{"theme":"dark","fullscreenCopyOnSelect":false,"fullscreenPinPrompt":false}`)
	p.llm.Queue(mockllm.Say("~~~\n"+strings.Join(lines, "\n")+"\n~~~"), mockllm.Say("short"))
	p.open(80, 30)
	p.ask("first prompt", "row 199")
	p.ask("second prompt", "short")
	const a = "tui.altScreen."
	top := regexp.MustCompile(`row \d\d\d`)
	first := ""
	moves := func(action string) {
		p.t.Helper()
		first = top.FindString(p.wait("row"))
		p.press(a + action)
		p.until(action+" has scrolled", func(s string) bool { f := top.FindString(s); return f != "" && f != first })
	}
	up := func(action, back string) {
		p.t.Helper()
		moves(action)
		was := first
		moves(back)
		p.until(back+" has gone back", func(s string) bool { return top.FindString(s) == was })
	}
	up("pageUp", "pageDown")
	up("halfPageUp", "halfPageDown")
	up("lineUp", "lineDown")
	p.press(a+"top", "first prompt", "row 000")
	p.press(a+"bottom", "second prompt", "short")
	p.press(a + "previousPrompt")
	p.press(a+"previousPrompt", "first prompt")
	p.press(a+"nextPrompt", "second prompt", "short")
	p.press(a+"search", "Search:")
	p.keys("prompt")
	p.wait("Search: prompt", "second prompt")
	p.press(a+"searchPrevious", "first prompt")
	p.press(a+"searchNext", "second prompt")
	p.without(a+"searchClose", "Search:")
	p.press(a+"bottom", "short")
	s := strings.Split(p.wait("second prompt"), "\n")
	row := 1 + slices.IndexFunc(s, func(l string) bool { return strings.Contains(l, "second prompt") })
	p.keys(fmt.Sprintf("\x1b[<0;2;%dM\x1b[<32;8;%dM\x1b[<0;8;%dm", row, row, row))
	p.press("tui.input.copy", "Copied the selection.")
	p.until("it is on the clipboard", func(string) bool { return strings.Contains(p.screen.Clipboard(), "secon") })
	p.leave()
}

func listActions(p *presser) {
	p.open(80, 24)
	p.press("app.palette", "→ /model")
	p.press("tui.select.down", "→ /thinking")
	p.press("tui.select.up", "→ /model")
	p.without("tui.select.pageDown", "→ /model")
	p.press("tui.select.pageUp", "→ /model")
	p.keys("hotkeys")
	p.wait("→ /hotkeys")
	p.press("tui.select.confirm", "take queued messages")
	p.leave()
}

func modelActions(p *presser) {
	p.thinker()
	p.put(agentFiles+"settings.json", `{"theme":"dark","enabledModels":["mock/t:low","mock/o"]}`)
	p.start(120, 40, "--model", "mock/o")
	p.wait("of 128k")
	p.press("app.model.cycleForward", "The model is mock/t")
	p.press("app.model.cycleBackward", "The model is mock/o")
	p.press("app.model.cycleForward", "The model is mock/t")
	p.press("app.thinking.cycle", "t · medium")
	p.press("app.thinking.toggle", "Thinking is")
	p.keys("/thinking", enter)
	p.wait("── Thinking")
	p.press("app.thinking.save", "Kept as the default")
	p.until("it is a setting", func(string) bool { return strings.Contains(p.file(agentFiles+"settings.json"), "defaultThinkingLevel") })
	p.press("app.model.select", "── Model")
	p.press("app.models.save", "Kept as the default.")
	p.keys("/scoped-models", enter)
	p.wait("[x] mock/t", "[ ] mock/n")
	p.without("app.models.enableAll", "[ ]")
	p.without("app.models.clearAll", "[x]")
	p.without("app.models.toggleProvider", "[ ]")
	before := func(a, b string) func(string) bool {
		return func(s string) bool { return strings.Index(s, "[x] mock/"+a) < strings.Index(s, "[x] mock/"+b) }
	}
	p.until("t is before o", before("t", "o"))
	p.press("app.models.reorderDown")
	p.until("o is before t", before("o", "t"))
	p.press("app.models.reorderUp")
	p.until("t is before o again", before("t", "o"))
	p.cancel("[x]")
	p.leave()
}

func sessionActions(p *presser) {
	p.kept("aaaa1111", p.dir, "", "apples are red", "yes")
	p.kept("bbbb2222", p.dir, "Bananas", "bananas are yellow", "when ripe", "and before?", "green too")
	p.kept("cccc3333", p.dir+"-other", "", "cherries elsewhere", "indeed")
	p.open(120, 40)
	p.press("app.session.resume", "── Resume", "Bananas", "apples")
	p.press("app.session.toggleSort")
	p.until("in the order of names", func(s string) bool { return strings.Index(s, "apples") < strings.Index(s, "Bananas") })
	p.without("app.session.toggleNamedFilter", "apples")
	p.press("app.session.preview", "said last", "green too")
	p.press("app.session.preview")
	p.press("app.session.togglePath", "any directory")
	p.press("app.session.togglePath")
	p.gone("any directory")
	p.press("app.session.toggleNamedFilter", "apples")
	p.keys("bana")
	p.wait("→ Bananas")
	p.press("app.session.rename", "New name")
	p.keys(ctrlU, "Plantains", enter)
	p.wait("Plantains")
	p.press("app.session.deleteNoninvasive") // a filter is there: it goes
	p.gone("filter:")
	p.press("app.session.deleteNoninvasive", "for good?")
	p.cancel("for good?")
	p.press("app.session.delete", "for good?")
	p.cancel("for good?")
	p.keys("apples")
	p.wait("→ apples")
	p.keys(enter)
	p.wait("apples are red", "yes")
	p.press("app.session.tree", "── Tree")
	p.cancel("── Tree")
	p.press("app.session.fork", "── Fork from")
	p.cancel("── Fork from")
	p.press("app.session.new", "A new session.")
	p.leave()
}

func treeActions(p *presser) {
	p.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"echo tooled"}`)), mockllm.Say("answer one"))
	p.open(120, 40)
	p.ask("question one", "answer one")
	p.press("app.session.tree", "── Tree", "usual entries", "pi: bash")
	const f = "app.tree.filter."
	p.press(f+"noTools", "without tools")
	p.press(f+"userOnly", "only yours")
	p.press(f+"labeledOnly", "only labelled")
	p.press(f+"all", "all entries")
	p.press(f+"cycleForward", "usual entries")
	p.press(f+"cycleBackward", "all entries")
	p.press(f+"default", "usual entries")
	p.keys("question one")
	p.wait("→ you: question one")
	p.press("app.tree.editLabel", "── Label")
	p.keys("start", enter)
	p.wait("[start]")
	p.press("app.tree.toggleLabelTimestamp", "[start just now]")
	p.cancel("filter:")
	p.without("app.tree.foldOrUp", "pi: bash")
	p.press("app.tree.unfoldOrDown", "pi: bash")
	p.cancel("── Tree")
	p.leave()
}

func runActions(p *presser) {
	hold := make(chan struct{})
	p.t.Cleanup(func() { close(hold) })
	p.llm.Queue(
		mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"seq 101 160"}`)), mockllm.Say("counted"),
		mockllm.Say("the first half", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}),
	)
	p.program("edit", "echo final >\"$1\"")
	p.shell = true
	p.env = append(p.env, "PS1=shell> ", "VISUAL=edit")
	p.open(80, 40)
	p.ask("count", "counted")
	p.press("app.tools.expand", "129")
	p.without("app.tools.expand", "129")
	p.keys("draft")
	p.press("app.editor.external", "─\nfinal\n─")
	p.press("app.suspend")
	p.until("the shell is back", func(s string) bool {
		return strings.HasSuffix(strings.TrimRight(s, "\n"), "shell>") && !p.screen.Mode(2004)
	})
	p.keys("fg", enter)
	p.wait("─\nfinal\n─", "of 100k")
	p.keys(enter)
	p.wait("Working")
	p.keys("later on")
	p.press("app.message.followUp", "then: later on")
	p.press("app.message.dequeue", "─\nlater on\n─")
	p.press("app.interrupt", "(stopped)")
	p.gone("Stopping")
	p.press("app.clear", "─\n\n─")
	p.keys("/exit", enter)
	p.until("the shell is back", func(s string) bool { return strings.HasSuffix(strings.TrimRight(s, "\n"), "shell>") })
	p.keys("exit", enter)
	p.finish(0)
}
