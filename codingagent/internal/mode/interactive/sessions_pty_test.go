//go:build unix

package interactive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// kept puts a session of a directory in its place.
func (c *console) kept(id, cwd, name string, texts ...string) {
	c.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-01-02T03:04:05.000Z","cwd":%q}`+"\n", id, cwd)
	parent := "null"
	for i, t := range texts {
		entry := fmt.Sprintf("%08x", i+1)
		role, extra := "user", ""
		if i%2 == 1 {
			role = "assistant"
			extra = `,"provider":"mock","model":"m","api":"openai-completions","stopReason":"stop","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
		}
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:%02d.000Z","message":{"role":%q,"content":[{"type":"text","text":%q}],"timestamp":%d%s}}`+"\n",
			entry, parent, i+6, role, t, 1767323046000+i*1000, extra)
		parent = fmt.Sprintf("%q", entry)
	}
	if name != "" {
		fmt.Fprintf(&b, `{"type":"session_info","id":"000000ff","parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","name":%q}`+"\n", parent, name)
	}
	place := "--" + strings.ReplaceAll(strings.Trim(cwd, "/"), "/", "-") + "--"
	c.put(agentFiles+"sessions/"+place+"/2026-01-02T03-04-05-000Z_"+id+".jsonl", b.String())
}

func TestResumePicker(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		other := filepath.Join(filepath.Dir(c.dir), "other")
		c.put("../other/.pi/prompts/theirs.md", "Theirs.\n")
		c.kept("aaaa1111", c.dir, "", "apples are red", "some are green, like the quetzal")
		c.kept("bbbb2222", c.dir, "Bananas", "bananas are yellow", "when they are ripe", "and before?", "green too")
		c.kept("cccc3333", other, "", "cherries elsewhere", "indeed")
		c.open(width, 40)
		c.keys("/resume", enter)
		c.wait("── Resume", "Bananas", "apples")
		c.keys(ctrlS) // by name
		c.until("in the order of names", func(s string) bool { return strings.Index(s, "apples") < strings.Index(s, "Bananas") })
		c.keys(ctrlS) // the longest first
		c.until("the longest first", func(s string) bool { return strings.Index(s, "Bananas") < strings.Index(s, "apples") })
		c.keys(ctrlN)
		c.gone("apples")
		c.keys("\t") // preview
		c.wait("said last", "green too")
		c.resized(width+8, 36, "said last", "green too")
		c.keys(ctrlN, "\t")
		c.gone("said last")
		c.wait("apples")
		c.keys("\x1b[200~quetz\n\x1b[201~") // pasted
		c.wait("filter: quetz", "→ apples")
		c.gone("Bananas")
		c.keys(escape)
		c.gone("filter:")
		c.wait("Bananas")
		c.keys("bana")
		c.wait("→ Bananas")
		c.keys(ctrlR)
		c.wait("New name")
		c.keys(ctrlU, "Plantains", enter)
		c.wait("Plantains")
		for range "bana" {
			c.keys("\x7f")
		}
		c.gone("filter:")
		c.keys("apples")
		c.wait("→ apples")
		c.keys(ctrlD)
		c.wait("for good?", "→ No, keep it")
		c.keys(escape)
		c.gone("for good?")
		c.keys(ctrlD)
		c.wait("for good?")
		c.keys(enter) // no
		c.gone("for good?")
		c.wait("apples")
		c.keys(ctrlD)
		if s := c.wait("for good?", "Yes, delete"); strings.Contains(s, "Deleted.") {
			t.Errorf("it was deleted without consent:\n%s", s)
		}
		c.keys(down, enter)
		c.wait("Deleted.", "No session")
		for range "apples" {
			c.keys("\x7f")
		}
		c.wait("Plantains")
		c.keys(ctrlP)
		c.wait("any directory", "cherries")
		c.keys("cherri")
		c.gone("Plantains")
		c.keys(enter)
		c.wait("cherries elsewhere", "indeed", "/trust") // its project is not trusted
		c.leave()
		if left, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*work*/*.jsonl")); err != nil || len(left) != 1 {
			t.Errorf("left are %v, %v", left, err)
		}
	})
}

// What is said after going to a session of another directory is kept with the
// sessions of that one, and its settings count.
func TestAnotherDirectory(t *testing.T) {
	t.Parallel()
	c := place(t)
	other := filepath.Join(filepath.Dir(c.dir), "other")
	c.put("../other/.pi/settings.json", `{"hideThinkingBlock": true, "theme": "nonsense"}`)
	c.put("../other/AGENTS.md", "Say meow.\n")
	c.put(agentFiles+"trust.json", fmt.Sprintf(`{%q: true}`, other))
	c.kept("cccc3333", other, "", "cherries elsewhere", "indeed")
	c.llm.Queue(mockllm.Say("meow"))
	c.open(80, 40)
	c.keys("/resume", enter)
	c.wait("── Resume")
	c.keys(ctrlP)
	c.wait("cherries")
	c.keys(enter)
	c.wait("indeed", "There is no theme \"nonsense\"", "/other")
	c.keys("/new", enter)
	c.wait("A new session.")
	c.ask("who are you", "meow")
	if body := string(c.llm.Requests()[0].Body); !strings.Contains(body, "Say meow.") {
		t.Error("the model does not have the instructions of the directory")
	}
	c.leave()
	if kept, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*other*/*.jsonl")); err != nil || len(kept) != 2 {
		t.Errorf("sessions of the other directory: %v, %v", kept, err)
	}
}

func TestADirectoryThatIsGone(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		gone := filepath.Join(filepath.Dir(c.dir), "gone")
		c.kept("dddd4444", gone, "", "dates from nowhere", "indeed")
		c.open(width, 30)
		c.keys("/resume", enter)
		c.wait("── Resume")
		c.keys(ctrlP)
		c.wait("dates")
		c.keys(enter)
		c.wait("Its directory is gone", "→ Go on here")
		c.resized(width+6, 28, "Go on with a copy")
		c.keys(escape)
		c.gone("directory is gone")
		c.keys("/resume", enter)
		c.wait("── Resume")
		c.keys(ctrlP)
		c.wait("dates")
		c.keys(enter)
		c.wait("directory is gone")
		c.keys(down, enter)
		c.wait("indeed", "a copy")
		c.leave()
		if kept, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*work*/*.jsonl")); err != nil || len(kept) != 1 {
			t.Errorf("sessions of this directory: %v, %v", kept, err)
		}
	})
}

func TestImportCommand(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.kept("eeee5555", c.dir, "", "elderberries", "indeed")
		from, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*/*.jsonl"))
		if err != nil || len(from) != 1 {
			t.Fatal(from, err)
		}
		if err := os.Rename(from[0], filepath.Join(c.dir, "my session.jsonl")); err != nil {
			t.Fatal(err)
		}
		c.put("other.txt", "no session\n")
		c.open(width, 30)
		c.keys("/import nothing.jsonl", enter)
		c.wait("── Import nothing", "→ Go on with it")
		c.keys(enter)
		c.wait("nothing.jsonl", "no such file")
		c.keys("/import other.txt", enter)
		c.wait("── Import other")
		c.keys(enter)
		c.wait("no session")
		c.keys(`/import "my session.jsonl"`, enter)
		c.wait("── Import my session")
		c.resized(width+9, 26, "→ Go on with it")
		c.keys(enter)
		c.wait("elderberries", "indeed")
		c.leave()
		kept, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*/*.jsonl"))
		if err != nil || len(kept) != 1 || !strings.Contains(c.file("my session.jsonl"), "elderberries") {
			t.Errorf("kept are %v, %v", kept, err)
		}
	})
}

func TestTreePicker(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.llm.Queue(
			mockllm.Say("answer one"), mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"echo tooled"}`)), mockllm.Say("answer two"),
			mockllm.Say("a branch about two"),
		)
		c.put(agentFiles+"settings.json", `{"theme":"dark","treeFilterMode":"no-tools"}`)
		c.open(width, 40)
		c.ask("question one", "answer one")
		c.ask("question two", "answer two")
		c.keys("/tree", enter)
		c.wait("Tree · without tools", "you: question two")
		if s := c.wait("answer two ←"); strings.Contains(s, "pi: bash") {
			t.Errorf("calls are shown:\n%s", s)
		}
		c.keys(ctrlD)
		c.wait("usual entries", "pi: bash")
		c.keys(ctrlA)
		c.wait("all entries", "bash: tooled")
		c.keys(ctrlU)
		c.wait("only yours")
		c.gone("pi: bash")
		c.keys(ctrlL)
		c.wait("only labelled")
		c.gone("question one ")
		c.keys(ctrlO, ctrlO)
		c.wait("usual entries", "you: question one")
		c.keys("question one")
		c.wait("filter: question one")
		c.gone("pi: bash")
		c.keys("L")
		c.wait("── Label")
		c.keys("start", enter)
		c.wait("[start]")
		c.keys("T")
		c.wait("[start just now]")
		c.resized(width+10, 36, "[start just now]", "── Tree")
		c.keys(escape)
		c.gone("filter:")
		c.wait("pi: bash")
		c.keys("\x1b[1;5D") // fold
		c.until("what is below is folded", func(s string) bool { return !strings.Contains(s, "pi: bash") })
		c.keys(ctrlT)
		c.wait("without tools")
		c.keys(ctrlD)
		c.wait("usual entries")
		if s := c.wait("── Tree"); strings.Contains(s, "pi: bash") {
			t.Errorf("another filter has unfolded it:\n%s", s)
		}
		c.keys("\x1b[1;5C")
		c.wait("pi: bash")
		c.keys("question two")
		c.wait("filter: question two", "→ you: question two")
		c.keys(enter)
		c.wait("Leave this branch", "→ Go there")
		c.keys(escape)
		c.wait("── Tree")
		c.keys(enter)
		c.wait("Leave this branch")
		c.keys(down, down, enter)
		c.wait("What matters")
		c.keys("two", enter)
		c.gone("answer two")
		c.wait("branch that was left", "question two")
		c.leave(ctrlC)
		requests := c.llm.Requests()
		if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "two") {
			t.Errorf("the summary was asked for with\n%s", body)
		}
	})
}

// A session that another program has is gone on with in a copy, and the same is said
// for a shell.
func TestASessionInUse(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.kept("aaaa1111", c.dir, "", "apples are red", "some are green")
		files, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*work*/*.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		held, err := session.OpenFile(t.Context(), files[0], session.ReadWrite, session.Header{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = held.Close() })
		c.open(width, 30)
		c.keys("/resume", enter)
		c.wait("→ apples")
		c.keys("\x12") // ctrl+r
		c.wait("── New name")
		c.keys("fruit", enter)
		refused := func(times int) {
			t.Helper()
			c.until("it is said what to do", func(s string) bool {
				const says = "End that, or go on with a copy: pi --fork aaaa1111"
				return strings.Count(strings.Join(strings.Fields(s), " "), says) == times && strings.Contains(s, "→ apples")
			})
		}
		refused(1)
		c.keys("\x04") // ctrl+d
		c.wait("Delete this session for good?")
		c.keys("yes", enter)
		refused(2)
		c.keys(enter)
		c.wait("Another program has", "→ Go on with a copy", "pi --fork aaaa1111")
		c.resized(width+9, 26, "→ Go on with a copy")
		c.keys(enter)
		c.wait("some are green", "This is a copy")
		c.leave()
	})
}

// A search in the tree of a conversation without branches shows what it finds, and not
// what was said before; a search for a label finds it.
func TestASearchInTheTree(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.kept("aaaa1111", c.dir, "", "apples are red", "like cherries", "what of pears?", "they are green", "and plums?", "blue")
	c.open(80, 40, "-c")
	c.wait("blue")
	c.keys("/tree", enter)
	c.wait("── Tree", "you: apples")
	c.keys("\x1b[H", "\x1b[1;5D") // all below the first is folded
	c.gone("you: and plums?")
	c.keys("\x1b[200~plums\n\x1b[201~") // pasted
	c.wait("filter: plums", "→ you: and plums?")
	if s := c.wait("filter: plums"); strings.Contains(s, "pi: like cherries") || strings.Contains(s, "you: apples") {
		t.Errorf("what was said before is in the way:\n%s", s)
	}
	c.keys("L")
	c.wait("── Label")
	c.keys("ripe", enter)
	c.wait("[ripe]")
	for range "plums" {
		c.keys("\x7f")
	}
	c.gone("filter:")
	c.keys("ripe")
	c.wait("filter: ripe", "→ [ripe] you: and plums?")
	c.keys(escape)
	c.gone("filter:")
	c.wait("── Tree", "you: apples")
	c.keys(escape)
	c.gone("── Tree")
	c.leave()
}

// A session file that another program has cut takes nothing more: what was typed comes
// back, and the message says what can be done.
func TestASessionFileThatIsCut(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("one answer"), mockllm.Say("another"))
	c.open(100, 30)
	c.ask("one question", "one answer")
	files, err := filepath.Glob(filepath.Join(c.dir, agentFiles, "sessions/*/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("sessions: %v, %v", files, err)
	}
	if err := os.Truncate(files[0], 100); err != nil {
		t.Fatal(err)
	}
	c.keys("a second one", enter)
	c.wait("it was cut from", "/export writes", "─\na second one\n─")
	c.keys(ctrlC)
	c.wait("─\n\n─")
	c.keys("/export saved.html", enter)
	c.wait("Written to saved.html")
	if page := c.file("saved.html"); !strings.Contains(page, "one answer") {
		t.Error("the page does not have what was on the screen")
	}
	c.keys("/new", enter)
	c.wait("A new session.")
	c.ask("a second one", "another")
	c.leave()
}
