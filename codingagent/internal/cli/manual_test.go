package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/codingagent/manual"
	"github.com/pi-go/pi/codingagent/tools"
)

// code gives the code of a page: spans, and the lines of blocks.
func code(text string) []string {
	var out []string
	fenced := false
	span := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced, strings.HasPrefix(line, "    "):
			line, _, _ = strings.Cut(line, " # ")
			for part := range strings.SplitSeq(line, "|") { // of a pipe
				out = append(out, strings.TrimSpace(part))
			}
		default:
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// flagsIn gives what looks like an option among the words before a prompt.
func flagsIn(words []string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, `"`) {
			break // what follows is for the model
		}
		// What begins with one dash and is long is an entry of a list: -name.
		if name, _, _ := strings.Cut(w, "="); regexp.MustCompile(`^(-[a-z]{1,3}|--[a-z][a-z-]*)$`).MatchString(name) {
			out = append(out, name)
		}
	}
	return out
}

// Every subcommand, action and option that the manual names is one.
func TestManualCommandLine(t *testing.T) {
	all := options()
	for _, c := range subcommands() {
		all = append(all, c.options...)
	}
	seen := map[string]bool{}
	for _, topic := range manual.Topics() {
		for _, text := range code(topic.Text) {
			words := strings.Fields(text)
			switch {
			case len(words) > 1 && words[0] == "pi" && regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]):
				c, _, ok := called(words[1:])
				if !ok {
					t.Errorf("%s: %q: there is no such subcommand", topic.Name, text)
					continue
				}
				seen[c.name] = true
				if len(words) > 2 && len(c.actions) > 0 && regexp.MustCompile(`^[a-z-]+$`).MatchString(words[2]) && words[2][0] != '-' && !slices.Contains(c.actions, words[2]) {
					t.Errorf("%s: %q: there is no such action", topic.Name, text)
				}
				own, _, _ := strings.Cut(strings.Join(words[2:], " "), " -- ") // what follows is for others
				for _, f := range flagsIn(strings.Fields(own)) {
					if lookup(c.all(), f) == nil {
						t.Errorf("%s: %q: pi %s has no option %s", topic.Name, text, c.name, f)
					}
				}
			case len(words) > 1 && words[0] == "pi":
				for _, f := range flagsIn(words[1:]) {
					if lookup(options(), f) == nil {
						t.Errorf("%s: %q: there is no option %s", topic.Name, text, f)
					}
				}
			case strings.HasPrefix(text, "-"):
				for _, f := range flagsIn(words) {
					if lookup(all, f) == nil {
						t.Errorf("%s: there is no option %s", topic.Name, f)
					}
				}
			}
		}
	}
	for _, c := range subcommands() {
		if !seen[c.name] {
			t.Errorf("no page speaks of pi %s", c.name)
		}
	}
	// Options are all on one page.
	page, _ := manual.Find("command-line")
	elsewhere := []string{"tui-mode", "use-theme", "export", "version", "help"}
	for _, o := range options() {
		if !strings.Contains(page.Text, "--"+o.long) && !slices.Contains(elsewhere, o.long) {
			t.Errorf("command-line.md lacks --%s", o.long)
		}
	}
}

func TestManualTools(t *testing.T) {
	page, _ := manual.Find("tools")
	_, table, _ := strings.Cut(page.Text, "| tool |")
	table, _, _ = strings.Cut(table, "\n\n")
	var named, usual []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|.*\\| (yes)? ?\\|$").FindAllStringSubmatch(table, -1) {
		named = append(named, m[1])
		if m[2] != "" {
			usual = append(usual, m[1])
		}
	}
	var known []string
	for _, d := range tools.New(tools.Options{}) {
		known = append(known, d.Name)
	}
	slices.Sort(named)
	slices.Sort(known)
	if !slices.Equal(named, known) {
		t.Errorf("tools of the manual %v, of the program %v", named, known)
	}
	if want := tools.DefaultNames(); !slices.Equal(usual, want) {
		t.Errorf("tools from the start %v, want %v", usual, want)
	}
}

// Variables of the manual are read somewhere in the repository.
func TestManualVariables(t *testing.T) {
	var source strings.Builder
	for _, module := range []string{"ai", "agentcore", "tui", "codingagent"} {
		root := filepath.Join("../../..", module)
		if _, err := os.Stat(root); err != nil {
			t.Skip("this is not the repository")
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			source.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all := source.String()
	for _, topic := range manual.Topics() {
		for _, name := range regexp.MustCompile("`([A-Z][A-Z_]+_[A-Z]+)`").FindAllStringSubmatch(topic.Text, -1) {
			// A key's variable may be put together of the vendor's name.
			// The library of Go reads those of proxies.
			if !strings.Contains(all, name[1]) && !strings.HasSuffix(name[1], "_API_KEY") && !strings.HasSuffix(name[1], "_PROXY") {
				t.Errorf("%s speaks of %s, which nothing reads", topic.Name, name[1])
			}
		}
	}
}

// The page of JSON mode names every event that is written.
func TestManualEvents(t *testing.T) {
	page, _ := manual.Find("json-mode")
	named := code(page.Text)
	for _, ev := range []agentcore.Event{
		&agentcore.AgentStart{}, &agentcore.AgentEnd{}, &agentcore.TurnStart{}, &agentcore.TurnEnd{}, &agentcore.MessageStart{},
		&agentcore.MessageUpdate{}, &agentcore.MessageEnd{}, &agentcore.ToolStart{}, &agentcore.ToolUpdate{}, &agentcore.ToolEnd{},
		&harness.CompactionStart{}, &harness.CompactionEnd{}, &harness.SummaryRetry{}, &harness.SummaryAttempt{}, &harness.SummaryRetryEnd{},
		&harness.Settled{}, &harness.QueueUpdate{}, &harness.EntryAppended{}, &harness.InfoChanged{}, &harness.ThinkingChanged{},
		&harness.RetryStart{}, &harness.RetryEnd{},
	} {
		if !slices.Contains(named, ev.EventType()) {
			t.Errorf("the event %s is not explained", ev.EventType())
		}
	}
}
