package interactive

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/manual"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/theme"
)

func manualPage(t *testing.T, name string) string {
	t.Helper()
	p, ok := manual.Find(name)
	if !ok {
		t.Fatalf("the manual has no page %s", name)
	}
	return p.Text
}

// The tables of keys are those of the program; -update writes them.
func TestManualKeys(t *testing.T) {
	const mark = "by a test. -->\n"
	text := manualPage(t, "keybindings")
	at := strings.Index(text, mark)
	if at < 0 {
		t.Fatal("the page has no place for the tables")
	}
	groups := []struct{ prefix, title string }{
		{"app.tree.", "The tree"},
		{"app.session.", "Sessions, and the list of them"},
		{"app.models.", "The list of models"},
		{"app.", "The chat"},
		{"tui.editor.", "The editor"},
		{"tui.input.", "Typing"},
		{"tui.select.", "Lists"},
		{"tui.", "The screen"},
	}
	tables := make([]strings.Builder, len(groups))
	b := input.NewBindings(tui.StandardBindings(), appBindings())
	for _, action := range b.Actions() {
		i := slices.IndexFunc(groups, func(g struct{ prefix, title string }) bool { return strings.HasPrefix(action, g.prefix) })
		if i < 0 {
			t.Fatalf("%s is in no group", action)
		}
		var keys []string
		for _, k := range b.Keys(action) {
			keys = append(keys, "`"+k.String()+"`")
		}
		tables[i].WriteString("| `" + action + "` | " + strings.Join(keys, ", ") + " | " + b.Help(action) + " |\n")
	}
	want := text[:at+len(mark)]
	for _, i := range []int{3, 4, 5, 6, 7, 1, 2, 0} {
		want += "\n## " + groups[i].title + "\n\n| action | keys | what it does |\n|---|---|---|\n" + tables[i].String()
	}
	if updating(t, "keybindings", want) {
		return
	}
	if text != want {
		t.Error("the tables of keybindings.md are not those of the program; -update writes them")
	}
}

// updating writes a page of the manual if the tests are run for that.
func updating(t *testing.T, name, text string) bool {
	t.Helper()
	f := flag.Lookup("update")
	if f == nil || f.Value.String() != "true" {
		return false
	}
	if err := os.WriteFile("../../../manual/pages/"+name+".md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}

// The manual has every command of the chat with its arguments, and no other;
// -update writes the table.
func TestManualCommands(t *testing.T) {
	const head = "| command | what it does |\n|---|---|\n"
	before, rest, ok := strings.Cut(manualPage(t, "interactive"), head)
	_, after, end := strings.Cut(rest, "\n\n")
	if !ok || !end {
		t.Fatal("the page has no place for the table")
	}
	var names []string
	var rows strings.Builder
	for _, c := range commands() {
		names = append(names, c.name)
		if !c.hidden {
			rows.WriteString("| `" + strings.TrimSpace("/"+c.name+" "+c.args) + "` | " + c.help + " |\n")
		}
	}
	want := before + head + rows.String() + "\n" + after
	if updating(t, "interactive", want) {
		return
	}
	if manualPage(t, "interactive") != want {
		t.Error("the table of commands in interactive.md is not that of the program; -update writes it")
	}
	// What the pages call a command has to be one, be it of an extension that comes
	// with pi; the rest are examples of templates and of names that nothing has.
	names = append(names, "mcp")
	examples := []string{"review", "name"}
	spoken := regexp.MustCompile("`/([a-z]+)[` ]")
	for _, topic := range manual.Topics() {
		for _, m := range spoken.FindAllStringSubmatch(topic.Text, -1) {
			if !slices.Contains(names, m[1]) && !slices.Contains(examples, m[1]) && m[1] != "tmp" {
				t.Errorf("%s speaks of /%s, which is no command", topic.Name, m[1])
			}
		}
	}
}

// Every action that a page names is one.
func TestManualActions(t *testing.T) {
	known := input.NewBindings(tui.StandardBindings(), appBindings()).Actions()
	spoken := regexp.MustCompile(`"?\b(app|tui)\.[a-zA-Z.]*[a-zA-Z]\b`)
	for _, topic := range manual.Topics() {
		for _, m := range spoken.FindAllString(topic.Text, -1) {
			if m = strings.Trim(m, `"`); !slices.Contains(known, m) {
				t.Errorf("%s speaks of %s, which is no action", topic.Name, m)
			}
		}
	}
}

// The tokens of a theme in the manual are those of the built-in ones.
func TestManualTokens(t *testing.T) {
	text := manualPage(t, "themes")
	_, table, _ := strings.Cut(text, "| group | tokens |")
	table, _, _ = strings.Cut(table, "\n\n") // the page goes on
	var named []string
	for _, m := range regexp.MustCompile("`([a-zA-Z]+)`").FindAllStringSubmatch(table, -1) {
		named = append(named, m[1])
	}
	slices.Sort(named)
	if want := theme.Dark().Tokens(); !slices.Equal(named, want) {
		t.Errorf("tokens of the manual\n%v\nof the program\n%v", named, want)
	}
}
