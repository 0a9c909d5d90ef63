package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// send gives a component the events of bytes, as a terminal would send them.
func send(h tui.Handler, bytes string) {
	var d input.Decoder
	for _, ev := range append(d.Feed([]byte(bytes)), d.Flush()...) {
		h.HandleInput(ev)
	}
}

// see draws a component and returns what a person would see, with "▮" at the
// cursor.
func see(t *testing.T, c tui.Component, width int) []string {
	t.Helper()
	lines := c.Render(width)
	term := tuitest.New(width, max(len(lines), 1))
	var out []string
	for i, l := range lines {
		if w := text.Width(l); w > width {
			t.Errorf("line %d is %d columns wide, more than %d: %q", i, w, width, l)
		}
		before, after, found := strings.Cut(l, tui.CursorMarker)
		if found {
			n, _ := text.Cluster(text.Strip(after))
			l = text.Strip(before) + "▮" + text.Strip(after)[n:]
			if text.Strip(after)[:n] != " " {
				l = text.Strip(before) + "▮" + text.Strip(after)
			}
			out = append(out, strings.TrimRight(l, " "))
			continue
		}
		fmt.Fprintf(term, "\x1b[H\x1b[2J%s", l)
		out = append(out, term.Screen()[0])
	}
	return out
}

func editor() *tui.Editor {
	e := tui.NewEditor(nil)
	e.Borderless = true
	e.SetFocused(true)
	return e
}

func TestEditorKeys(t *testing.T) {
	t.Parallel()
	const up, down, left = "\x1b[A", "\x1b[B", "\x1b[D"
	for _, tc := range []struct {
		name, keys string
		width      int
		want       []string
	}{
		{"typing", "hello", 20, []string{"hello▮"}},
		{"new line by shift+enter", "a\x1b[13;2ub", 20, []string{"a", "b▮"}},
		{"new line by ctrl+j", "a\nb", 20, []string{"a", "b▮"}},
		{"new line by a backslash", "a\\\rb", 20, []string{"a", "b▮"}},
		{"wrap at a blank", "one two three", 9, []string{"one two ", "three▮"}},
		{"wrap in a word", "abcdefghij", 5, []string{"abcd", "efgh", "ij▮"}},
		{"a full row", "abcd", 5, []string{"abcd▮"}},
		{"wide characters", "한국어", 5, []string{"한국", "어▮"}},
		{"up and down keep the column", "abcdef\nx\nabcdef" + up + up + down + down + left, 20, []string{"abcdef", "x", "abcde▮f"}},
		{"up over wrapped rows", "one two three" + up, 9, []string{"one t▮wo ", "three"}},
		{"up on the first row goes to its beginning", "abc" + up, 20, []string{"▮abc"}},
		{"down on the last row goes to its end", "abc" + up + down, 20, []string{"abc▮"}},
		{"kill and yank", "one two\x17\x01\x19", 20, []string{"two▮one "}},
		{"undo", "one\x1f", 20, []string{"▮"}},
		{"redo", "one\x1f\x1b-", 20, []string{"one▮"}},
		{"jump forward", "a.b.c\x01\x1d.", 20, []string{"a▮.b.c"}},
		{"jump backward", "a.b.c\x1b\x1d.", 20, []string{"a.b▮.c"}},
		{"control characters are visible", "\x1b[200~a\x1b[31m\x07\x1b[201~", 20, []string{"a␛[31m␇▮"}},
		{"a tab has its width", "\x1b[200~a\tb\x1b[201~", 20, []string{"a    b▮"}},
		{"pasted line ends", "\x1b[200~a\rb\r\nc\x1b[201~", 20, []string{"a", "b", "c▮"}},
		{"mark alone", "\u0301", 20, []string{"\ufffd▮"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := editor()
			for i := range tc.want {
				tc.want[i] = strings.TrimRight(tc.want[i], " ")
			}
			for _, key := range split(tc.keys) {
				e.Render(tc.width)
				send(e, key)
			}
			if diff := cmp.Diff(tc.want, see(t, e, tc.width)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// split cuts bytes into keys, so that a frame can be drawn after each.
func split(s string) (keys []string) {
	if strings.Contains(s, "\x1b[200~") {
		return []string{s}
	}
	var d input.Decoder
	for _, ev := range append(d.Feed([]byte(s)), d.Flush()...) {
		keys = append(keys, ev.(input.Key).Raw)
	}
	return keys
}

func TestEditorSubmitsAndRemembers(t *testing.T) {
	t.Parallel()
	e := editor()
	var sent []string
	e.OnSubmit = func(s string) { sent = append(sent, s) }
	for _, s := range []string{"one", "two", "two", " "} {
		send(e, s+"\r")
	}
	if diff := cmp.Diff([]string{"one", "two", "two", " "}, sent); diff != "" {
		t.Error(diff)
	}
	steps := []struct{ key, want string }{
		{"\x1b[A", "▮two"}, {"\x1b[A", "▮one"}, {"\x1b[A", "▮one"}, {"\x1b[B", "two▮"}, {"\x1b[B", "▮"},
	}
	for i, s := range steps {
		e.Render(20)
		send(e, s.key)
		if got := see(t, e, 20)[0]; got != s.want {
			t.Errorf("step %d shows %q, want %q", i, got, s.want)
		}
	}
	// What was being written comes back.
	send(e, "draft")
	e.Render(20)
	send(e, "\x01\x1b[A")
	if got := see(t, e, 20)[0]; got != "▮two" {
		t.Errorf("from the start of a draft, up shows %q", got)
	}
	e.Render(20)
	send(e, "\x1b[B")
	if got := e.Text(); got != "draft" {
		t.Errorf("after the history the text is %q, want the draft", got)
	}
}

// Ten thousand lines, pasted in reads of 4 KiB.
func TestEditorTakesALargePaste(t *testing.T) {
	t.Parallel()
	var in, want strings.Builder
	for i := range 10000 {
		line := fmt.Sprintf("row %05d", i)
		if i == 7 {
			line = "tab\there \x1b[31mred"
		}
		in.WriteString(line + "\r")
		want.WriteString(line + "\n")
	}
	e := editor()
	submitted := ""
	e.OnSubmit = func(s string) { submitted = s }
	var d input.Decoder
	rest := "x\x1b[200~" + in.String() + "\x1b[201~y"
	for len(rest) > 0 {
		n := min(4096, len(rest))
		if len(rest) > 3 && len(rest) < 4096+4 {
			n = len(rest) - 3 // inside the end marker
		}
		for _, ev := range d.Feed([]byte(rest[:n])) {
			e.HandleInput(ev)
		}
		rest = rest[n:]
	}
	if submitted != "" {
		t.Error("a line end in the paste has submitted")
	}
	if diff := cmp.Diff([]string{"x[paste #1 +10001 lines]y▮"}, see(t, e, 60)); diff != "" {
		t.Error(diff)
	}
	if got := see(t, e, 12); len(got) < 2 || strings.Contains(strings.Join(got, ""), "row") {
		t.Errorf("on a narrow terminal: %q", got)
	}
	send(e, "\x1f\x1f") // undo y, undo the paste
	if e.Text() != "x" {
		t.Errorf("after undo: %.40q", e.Text())
	}
	send(e, "\x1b-\x1b-")
	if e.Text() != "x"+want.String()+"y" {
		t.Error("after redo the text is not whole")
	}
	send(e, "\r")
	if submitted != "x"+want.String()+"y" {
		t.Error("what was submitted is not whole")
	}
}

func TestEditorScrolls(t *testing.T) {
	t.Parallel()
	e := tui.NewEditor(nil)
	e.MaxRows = 3
	e.SetFocused(true)
	e.SetText(strings.Join([]string(numbered(10)), "\n"))
	want := []string{"── ↑ 7 more ────────", "line 007", "line 008", "line 009▮", strings.Repeat("─", 20)}
	if diff := cmp.Diff(want, see(t, e, 20)); diff != "" {
		t.Error(diff)
	}
	for range 9 {
		e.Render(20)
		send(e, "\x1b[A")
	}
	want = []string{strings.Repeat("─", 20), "line 000▮", "line 001", "line 002", "── ↓ 7 more ────────"}
	if diff := cmp.Diff(want, see(t, e, 20)); diff != "" {
		t.Error(diff)
	}
}

func TestEditorTitles(t *testing.T) {
	t.Parallel()
	e := tui.NewEditor(nil)
	e.Title, e.Footer = "\x1b[1mworking\x1b[0m", "high"
	want := []string{"── working ─────────", "", "── high ────────────"}
	if diff := cmp.Diff(want, see(t, e, 20)); diff != "" {
		t.Error(diff)
	}
}

func TestEditorCompletes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := editor()
		release := make(chan struct{})
		var canceled int
		complete := func(ctx context.Context, r tui.CompletionRequest) (*tui.Suggestions, error) {
			if strings.HasSuffix(r.Before, "slow") {
				select {
				case <-release:
				case <-ctx.Done():
					canceled++
					return nil, ctx.Err()
				}
			}
			word := r.Before[strings.LastIndexByte(r.Before, ' ')+1:]
			s := &tui.Suggestions{Prefix: word}
			for _, v := range []string{"/help", "/quit", "/queue", "@src/", "@src/main.go", "@README.md"} {
				if strings.HasPrefix(v, word) && word != "" {
					s.Items = append(s.Items, tui.ListItem{Value: v})
				}
			}
			return s, nil
		}
		var sent []string
		e.OnSubmit = func(s string) { sent = append(sent, s) }
		r := run(t, 40, 12, tui.Options{}, false, func(p *tui.Program) {
			p.Bottom.Add(e)
			p.SetFocus(e)
			e.SetCompletion(tui.CompletionOptions{Completer: tui.CompleterFunc(complete), Runner: p})
		})
		r.tty.Type("/q")
		r.settle()
		r.screen("/q", "→ /quit", "  /queue")
		r.tty.Type("u")
		r.settle()
		r.tty.Type("\x1b[B\t")
		r.settle()
		r.screen("/queue")
		r.tty.Type(" @R")
		r.settle()
		r.screen("/queue @R", "→ @README.md")
		r.tty.Type("\r") // takes the suggestion, does not send
		r.settle()
		r.screen("/queue @README.md")
		r.tty.Type("\x15@s")
		r.settle()
		r.tty.Type("\t")
		r.settle()
		r.screen("@src/", "→ @src/", "  @src/main.go")
		r.tty.Type("\x1b")
		r.settle()
		r.screen("@src/")
		r.tty.Type("\x15/qui\r") // a command is taken and sent
		r.settle()
		if len(sent) != 0 && sent[0] != "/quit" && sent[0] != "/qui" {
			t.Errorf("sent %q", sent)
		}
		sent = nil
		r.tty.Type("\x15@README.md")
		r.settle()
		r.screen("@README.md", "→ @README.md")
		r.tty.Type("\r") // there is nothing left to complete
		r.settle()
		if len(sent) != 1 || sent[0] != "@README.md" {
			t.Errorf("sent %q", sent)
		}
		// An answer that comes too late is not shown.
		r.tty.Type("\x15@slow")
		r.settle()
		r.tty.Type("\x17R")
		r.settle()
		close(release)
		r.settle()
		r.screen("@R", "→ @README.md")
		if canceled == 0 {
			t.Error("the slow question was not given up")
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestInput(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, keys string
		width      int
		want       string
	}{
		{"typing", "abc", 20, "> abc▮"},
		{"in the middle", "abc\x1b[D", 20, "> ab▮c"},
		{"scrolls", "abcdefghij", 8, "> fghij▮"},
		{"scrolls back", "abcdefghij\x01", 8, "> ▮abcdef"},
		{"scrolls by cells", "한국어한국어", 8, "> 국어▮"},
		{"paste is one line", "\x1b[200~a\nb\r\n\x1b[201~", 20, "> a b▮"},
		{"narrow", "abc", 2, "c▮"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := tui.NewInput(nil)
			in.SetFocused(true)
			send(in, tc.keys)
			if got := see(t, in, tc.width); len(got) != 1 || strings.ReplaceAll(got[0], ">  ", "> ") != tc.want {
				t.Errorf("shows %q, want %q", got, tc.want)
			}
		})
	}
	in := tui.NewInput(nil)
	in.Masked = true
	send(in, "sécret")
	if got := see(t, in, 20); got[0] != "> ••••••" || in.Value() != "sécret" {
		t.Errorf("masked: %q, value %q", got, in.Value())
	}
}

// FuzzEditor types anything at any width: no line is ever too wide, and the
// cursor is always drawn once.
func FuzzEditor(f *testing.F) {
	f.Add("hello world\nmore \x1b[200~pasted\ttext\x1b[201~\x1b[A\x1b[A\x17\x19\x1by\x1f", 10)
	f.Add("한국어 👩\u200d🚀 e\u0301\x1b[D\x1b[D\x7f\u0301", 3)
	f.Fuzz(func(t *testing.T, keys string, width int) {
		width, keys = 1+int(uint(width)%100), keys[:min(len(keys), 2000)]
		e := editor()
		in := tui.NewInput(nil)
		in.SetFocused(true)
		var d input.Decoder
		for _, ev := range append(d.Feed([]byte(keys)), d.Flush()...) {
			e.HandleInput(ev)
			in.HandleInput(ev)
			for _, lines := range [][]string{e.Render(width), in.Render(width)} {
				marks := 0
				for _, l := range lines {
					if w := text.Width(l); w > width && width > 8 {
						t.Fatalf("%q at %d: line %q is %d columns wide", keys, width, l, w)
					}
					marks += strings.Count(l, tui.CursorMarker)
				}
				if marks != 1 {
					t.Fatalf("%q at %d: %d cursors in %q", keys, width, marks, lines)
				}
			}
		}
	})
}

func BenchmarkEditorKey(b *testing.B) {
	e := editor()
	e.SetText(strings.Repeat("a line of the text that is being edited, some words long\n", 2000))
	e.Render(80)
	key := input.Key{ID: input.ID{Name: "x"}, Text: "x"}
	b.ReportAllocs()
	for b.Loop() {
		e.HandleInput(key)
		e.Render(80)
	}
}

func TestEditorWithTheKeysOfVi(t *testing.T) {
	t.Parallel()
	const up = "\x1b[A"
	const esc = "\x1b[27u" // not the beginning of alt and the next key
	for _, tc := range []struct {
		name, keys string
		want       []string
	}{
		{"commands", "one two" + esc + "bcwsix" + esc, []string{"one si▮x"}},
		{"a character to find", "a.b.c" + esc + "0f.x", []string{"a▮b.c"}},
		{"keys that type nothing stay", "one\ntwo" + esc + up + "x", []string{"o▮n", "two"}},
		{"not behind a shorter row", "a\nbcd" + esc + up + "x", []string{"▮", "bcd"}},
		{"escape is two things", "ab" + esc + "2" + esc + "x", []string{"▮a"}},
		{"rows as they are seen", "one two three" + esc + "kx", []string{"one ▮wo", "three"}},
		{"redo", "ab" + esc + "xu\x12", []string{"▮a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := editor()
			e.SetVi(true)
			const width = 9
			for _, key := range split(tc.keys) {
				e.Render(width)
				send(e, key)
			}
			if diff := cmp.Diff(tc.want, see(t, e, width)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEditorTellsTheModeOfVi(t *testing.T) {
	t.Parallel()
	e := tui.NewEditor(nil)
	e.SetVi(true)
	var sent string
	e.OnSubmit = func(s string) { sent = s }
	footer := func() string { lines := e.Render(20); return text.Strip(lines[len(lines)-1]) }
	for _, step := range []struct{ keys, want string }{
		{"abc", "INSERT"}, {"\x1b", "NORMAL"}, {"2d", "NORMAL 2d"}, {"h", "NORMAL"}, {"\r", "INSERT"},
	} {
		send(e, step.keys)
		if got := footer(); !strings.Contains(got, step.want+" ") {
			t.Errorf("after %q the footer is %q, want %q", step.keys, got, step.want)
		}
	}
	if sent != "c" {
		t.Errorf("sent %q, want %q", sent, "c")
	}
	e.SetVi(false)
	send(e, "x\x1b[27ux")
	if got := e.Text(); got != "xx" {
		t.Errorf("without the keys of vi: %q", got)
	}
}

// late is a runner whose work is done when the test wants it.
type late struct{ work []func() }

func (l *late) Do(f func()) bool { f(); return true }
func (l *late) Go(f func())      { l.work = append(l.work, f) }

// An answer of a completer that was replaced meanwhile is not shown.
func TestReplacedCompleterIsNotHeard(t *testing.T) {
	t.Parallel()
	e := tui.NewEditor(nil)
	runner := &late{}
	offer := func(name string) {
		e.SetCompletion(tui.CompletionOptions{Runner: runner, Completer: tui.CompleterFunc(func(_ context.Context, r tui.CompletionRequest) (*tui.Suggestions, error) {
			return &tui.Suggestions{Prefix: r.Before, Items: []tui.ListItem{{Value: name}, {Value: name + " too"}}}, nil
		})})
	}
	offer("/old")
	send(e, "/")
	offer("/new")
	send(e, "o")
	if len(runner.work) != 2 {
		t.Fatalf("%d completers were asked, want 2", len(runner.work))
	}
	runner.work[0]()
	if e.Completing() {
		t.Errorf("the old completer is heard: %q", e.Render(40))
	}
	runner.work[1]()
	if !e.Completing() {
		t.Error("the new completer is not heard")
	}
}

// A list that is for what the line was before is not taken: what was typed since is
// not in it.
func TestSuggestionsForAnOlderTextAreNotTaken(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"\r", "\t"} {
		e := tui.NewEditor(nil)
		sent := ""
		e.OnSubmit = func(s string) { sent = s }
		runner := &late{}
		e.SetCompletion(tui.CompletionOptions{Runner: runner, Completer: tui.CompleterFunc(func(_ context.Context, r tui.CompletionRequest) (*tui.Suggestions, error) {
			_, arg, _ := strings.Cut(r.Before, " ")
			return &tui.Suggestions{Prefix: arg, Items: []tui.ListItem{{Value: "dark"}, {Value: "light"}}}, nil
		})})
		send(e, "/theme ")
		for _, f := range runner.work {
			f()
		}
		if !e.Completing() {
			t.Fatal("there is no list")
		}
		send(e, "light"+key)
		if got := sent + e.Text(); got != "/theme light" {
			t.Errorf("%q: the text is %q", key, got)
		}
	}
}

// Keys can come faster than frames: the rows are those of the text as it is now.
func TestEditorMovesInWhatWasNotDrawnYet(t *testing.T) {
	t.Parallel()
	e := editor()
	e.Render(20)
	send(e, "one\x1b[200~\ntwo\nthree\x1b[201~\x1b[A")
	if c := e.Buffer().Cursor(); c.Row != 1 {
		t.Errorf("after up the cursor is at %v", c)
	}
	send(e, "\x1b[200~\nx\x1b[201~\x1b[A\x1b[B")
	if c := e.Buffer().Cursor(); c.Row != 2 {
		t.Errorf("after up and down the cursor is at %v", c)
	}
	never := tui.NewEditor(nil)
	never.SetText("some words that are long\nb\nc")
	send(never, "\x1b[A\x1b[A")
	if c := never.Buffer().Cursor(); c.Row != 0 || c.Col != 1 {
		t.Errorf("in an editor that was never drawn the cursor is at %v", c)
	}
}

func TestEditorTakesALongLineAsAPaste(t *testing.T) {
	t.Parallel()
	e := editor()
	long := strings.Repeat("x", 1001)
	e.Paste(long)
	if got := see(t, e, 60); e.Text() != long || !strings.Contains(strings.Join(got, ""), "[") || len(got) != 1 {
		t.Errorf("a paste of 1001 bytes is seen as %q", got)
	}
}

func TestEditorForgetsTheOldestOfItsHistory(t *testing.T) {
	t.Parallel()
	e := editor()
	for i := range 210 {
		e.AddHistory(fmt.Sprint("entry ", i))
	}
	send(e, strings.Repeat("\x1b[A", 300))
	if e.Text() != "entry 10" {
		t.Errorf("the oldest entry is %q", e.Text())
	}
}

// What OnSubmit gets is the command, and not the blank that waits for arguments.
func TestACommandThatIsChosenIsSentWithoutABlank(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"/th\r": "/theme", "/th\t\r": "/theme ", "/th\tdark\r": "/theme dark"} {
		synctest.Test(t, func(t *testing.T) {
			e := editor()
			var sent []string
			e.OnSubmit = func(s string) { sent = append(sent, s) }
			r := run(t, 40, 12, tui.Options{}, false, func(p *tui.Program) {
				p.Bottom.Add(e)
				p.SetFocus(e)
				e.SetCompletion(tui.CompletionOptions{Completer: tui.CommandCompleter([]tui.ListItem{{Value: "theme"}, {Value: "help"}}), Runner: p})
			})
			for _, k := range []string{keys[:3], keys[3:]} {
				r.tty.Type(k)
				r.settle()
			}
			if len(sent) != 1 || sent[0] != want {
				t.Errorf("%q sends %q, want %q", keys, sent, want)
			}
			_ = r.finish()
		})
	}
}
