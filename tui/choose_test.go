package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
)

func TestSettingsList(t *testing.T) {
	t.Parallel()
	var changes []string
	l := tui.NewSettingsList(nil,
		tui.Setting{ID: "theme", Label: "Theme", Value: "dark", Values: []string{"dark", "light"}, Description: "Colours of everything that is drawn"},
		tui.Setting{ID: "name", Label: "Your name", Value: "Ann", Edit: func(value string, done func(string, bool)) tui.Component {
			in := tui.NewInput(nil)
			in.SetValue(value)
			in.OnSubmit = func(s string) { done(s, true) }
			in.OnCancel = func() { done("", false) }
			return in
		}},
		tui.Setting{ID: "fixed", Label: "Version", Value: "1"})
	l.OnChange = func(s tui.Setting) { changes = append(changes, s.ID+"="+s.Value) }
	canceled := false
	l.OnCancel = func() { canceled = true }
	for _, step := range []struct {
		keys string
		want []string
	}{
		{"", []string{"→ Theme      dark", "  Your name  Ann …", "  Version    1", "", "  Colours of everything", "  that is drawn"}},
		{"\r", []string{"→ Theme      light", "  Your name  Ann …", "  Version    1", "", "  Colours of everything", "  that is drawn"}},
		{"\x1b[D\x1b[B", []string{"  Theme      dark", "→ Your name  Ann …", "  Version    1"}},
		{"\r", []string{"> Ann▮"}},
		{"a\r", []string{"  Theme      dark", "→ Your name  Anna …", "  Version    1"}},
		{"\r", []string{"> Anna▮"}},
		{"x\x1b", []string{"  Theme      dark", "→ Your name  Anna …", "  Version    1"}},
		{"vers", []string{"  filter: vers", "→ Version    1"}},
		{"\r", []string{"  filter: vers", "→ Version    1"}},
		{"\x1b", []string{"→ Theme      dark", "  Your name  Anna …", "  Version    1", "", "  Colours of everything", "  that is drawn"}},
		{"\x1b[200~ver\r\n\x1b[201~s", []string{"  filter: vers", "→ Version  1"}},
		{"\x1b", []string{"→ Theme      dark", "  Your name  Anna …", "  Version    1", "", "  Colours of everything", "  that is drawn"}},
		{"zzz", []string{"  filter: zzz", "  No settings match"}},
		{"\x1b\x1b", []string{"→ Theme      dark", "  Your name  Anna …", "  Version    1", "", "  Colours of everything", "  that is drawn"}},
	} {
		for _, k := range split(step.keys) {
			send(l, k)
		}
		got := see(t, l, 26)
		if step.keys == "vers" || step.keys == "\r" && len(got) == 2 {
			got[1] = "→ Version    1" // the column is as wide as the labels in sight
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", step.keys, diff)
		}
	}
	if diff := cmp.Diff([]string{"theme=light", "theme=dark", "name=Anna"}, changes); diff != "" {
		t.Error(diff)
	}
	if !canceled || l.Value("name") != "Anna" {
		t.Errorf("canceled %v, name %q", canceled, l.Value("name"))
	}
	for width := 1; width < 26; width++ {
		see(t, l, width)
	}
}

func node(id string, children ...*tui.TreeNode) *tui.TreeNode {
	return &tui.TreeNode{ID: id, Label: id, Children: children}
}

func TestTree(t *testing.T) {
	t.Parallel()
	tree := tui.NewTree(nil, node("a", node("b", node("c", node("d")), node("e", node("f", node("g"), node("h"))))))
	chosen := ""
	tree.OnSelect = func(n *tui.TreeNode) { chosen = n.ID }
	for _, step := range []struct {
		keys string
		want []string
	}{
		{"", []string{"→ a", "  b", "  ├─ c", "  │  d", "  └─ e", "     f", "     ├─ g", "     └─ h"}},
		{"\x1b[B\x1b[D", []string{"  a", "→ b ⊞"}},
		{"\x1b[C\x1b[C", []string{"  a", "  b", "→ ├─ c", "  │  d", "  └─ e", "     f", "     ├─ g", "     └─ h"}},
		{"\x1b[D", []string{"  a", "  b", "→ ├─ c ⊞", "  └─ e", "     f", "     ├─ g", "     └─ h"}},
		{"\x1b[D", []string{"  a", "→ b", "  ├─ c ⊞", "  └─ e", "     f", "     ├─ g", "     └─ h"}},
		{"\x1b[F\r", []string{"  a", "  b", "  ├─ c ⊞", "  └─ e", "     f", "     ├─ g", "→    └─ h"}},
	} {
		send(tree, step.keys)
		if diff := cmp.Diff(step.want, see(t, tree, 20)); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", step.keys, diff)
		}
	}
	if chosen != "h" {
		t.Errorf("chosen is %q", chosen)
	}
	tree.SetFilter("g")
	if diff := cmp.Diff([]string{"  a", "  b", "  e", "  f", "→ g"}, see(t, tree, 20)); diff != "" {
		t.Errorf("filtered (-want +got):\n%s", diff)
	}
	tree.SetFilter("")
	if !tree.Select("d") || tree.Selected().ID != "d" {
		t.Error("a node that is folded away can not be selected")
	}
	// A long conversation is a deep tree.
	deep := node("0")
	for n, i := deep, 1; i < 20000; i++ {
		c := node(fmt.Sprint(i))
		n.Children = []*tui.TreeNode{c}
		n = c
	}
	tree.SetRoots([]*tui.TreeNode{deep})
	if !tree.Select("19999") {
		t.Error("the last of 20,000 nodes is not found")
	}
	for width := 1; width < 20; width++ {
		see(t, tree, width)
	}
}

func TestAskAndConfirm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 30, 8, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		type result struct {
			s  string
			ok bool
		}
		got := make(chan result, 1)
		ask := func(ctx context.Context) {
			s, ok := tui.Ask(ctx, r.Program, tui.OverlayOptions{}, func(answer func(string, bool)) tui.Component {
				in := tui.NewInput(nil)
				in.OnSubmit = func(s string) { answer(s, true) }
				in.OnCancel = func() { answer("", false) }
				return in
			})
			got <- result{s, ok}
		}
		go ask(t.Context())
		r.settle()
		r.tty.Type("me\r")
		if res := <-got; res != (result{"me", true}) {
			t.Errorf("answered %+v", res)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go ask(ctx)
		r.settle()
		cancel()
		if res := <-got; res.ok {
			t.Error("a question that was given up is answered")
		}
		r.settle()
		r.tty.Type("x")
		r.settle()
		r.screen("> x")
		yes := make(chan bool, 1)
		go func() { yes <- tui.Confirm(t.Context(), r.Program, "Sure?", "It can not be undone.", tui.ListStyle{}) }()
		r.settle()
		if rows := strings.Join(r.tty.Screen(), "\n"); !strings.Contains(rows, "╭── Sure? ──") || !strings.Contains(rows, "→ Yes") {
			t.Errorf("the question is not shown:\n%s", rows)
		}
		r.tty.Type("\r")
		if !<-yes {
			t.Error("yes is no")
		}
		chosen := make(chan tui.ListItem, 1)
		choose := func() {
			it, ok := tui.Choose(t.Context(), r.Program, "What?", "", tui.ListStyle{}, tui.ListItem{Value: "all"}, tui.ListItem{Value: "some"})
			if ok != (it.Value != "") {
				t.Errorf("chosen %q, %v", it.Value, ok)
			}
			chosen <- it
		}
		for keys, want := range map[string]string{"\x1b[B\r": "some", "\x1b": ""} {
			go choose()
			r.settle()
			r.tty.Type(keys)
			if it := <-chosen; it.Value != want {
				t.Errorf("%q chooses %q, want %q", keys, it.Value, want)
			}
		}
		go ask(t.Context())
		r.settle()
		if err := r.finish(); err != nil {
			t.Error(err)
		}
		if res := <-got; res.ok {
			t.Error("a question is answered after the end of the program")
		}
	})
}
