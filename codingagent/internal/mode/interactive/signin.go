package interactive

import (
	"context"
	"os/exec"
	"runtime"
	"strings"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// dialogs asks what a login wants to know. Its methods are called on the
// login's goroutine.
type dialogs struct {
	ui     *ui
	title  string
	cancel context.CancelFunc
	// address is the page to open, "" as long as there is none. The program's
	// goroutine only.
	address string
}

// Prompt asks, and waits.
func (d *dialogs) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
	type reply struct {
		text string
		err  error
	}
	answered := make(chan reply, 1)
	title := oneLine(d.title + ": " + p.Message)
	d.ui.p.Do(func() {
		if ctx.Err() != nil {
			return // the browser was quicker
		}
		no := func() {
			d.ui.back()
			answered <- reply{err: errCancelled}
		}
		if p.Kind == auth.PromptSelect {
			var items []tui.ListItem
			for _, o := range p.Options {
				items = append(items, tui.ListItem{Value: o.ID, Label: oneLine(o.Label), Description: oneLine(o.Description)})
			}
			d.ui.pick(title, items, func(it tui.ListItem) { answered <- reply{text: it.Value} }).list.OnCancel = no
			return
		}
		q := d.ui.ask(title, "", p.Kind == auth.PromptSecret, func(s string) { answered <- reply{text: strings.TrimSpace(s)} }, no)
		q.line.Placeholder = oneLine(p.Placeholder)
		if p.Kind == auth.PromptCode && d.address != "" {
			q.title = oneLine(d.title + ": paste what the browser shows at the end")
			q.hint = d.hints("enter takes it")
			q.keys = d.key
		}
	})
	select {
	case r := <-answered:
		if r.err != nil {
			d.cancel()
		}
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Notify shows what a login has to say, and opens the page it needs. Until it asks
// something the person can only wait, copy the address, or stop.
func (d *dialogs) Notify(ctx context.Context, n auth.Notification) {
	parts := []string{}
	for _, s := range []string{n.Message, n.URL} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if n.UserCode != "" {
		parts = append(parts, "Code: "+n.UserCode)
	}
	u := d.ui
	u.p.Do(func() {
		if ctx.Err() != nil {
			return
		}
		u.note("accent", strings.Join(parts, "\n"))
		if n.Kind != auth.NoteAuthURL && n.Kind != auth.NoteDevice || n.URL == "" {
			return
		}
		d.address = n.URL
		w := &waiting{ui: u, title: oneLine(d.title + ": waiting for the browser"), hint: d.hints(""), keys: d.key}
		if n.UserCode != "" {
			w.says = "Type the code " + oneLine(n.UserCode) + " there."
		}
		w.stop = func() {
			u.back()
			d.cancel()
		}
		u.show(w)
		if u.p.Terminal().Facts().SSH {
			u.hint("Open the page on your own machine.")
			return
		}
		u.spawn(func() {
			if err := openPage(u.ctx, u.cfg.Getenv, n.URL); err == nil {
				u.p.Do(func() { u.hint("Your browser opens the page.") })
			}
		})
	})
}

func (d *dialogs) hints(first string) []string {
	var hints []string
	if first != "" {
		hints = append(hints, first)
	}
	if k := d.ui.keys.Text("app.message.copy"); k != "" {
		hints = append(hints, k+" copies the address")
	}
	return append(hints, "escape stops")
}

// key copies the address of the page.
func (d *dialogs) key(k input.Key) bool {
	if !d.ui.keys.Is(k, "app.message.copy") {
		return false
	}
	d.ui.copy(d.address, "Copied the address.")
	return true
}

// waiting takes the editor's place while something outside has to happen.
type waiting struct {
	ui    *ui
	title string
	says  string
	hint  []string
	keys  func(k input.Key) bool
	stop  func()
}

// Render gives the lines.
func (w *waiting) Render(width int) []string {
	l := w.ui.look
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", w.title)}
	out := append([]string(nil), rule.Render(width)...)
	if w.says != "" {
		for _, line := range text.Wrap(w.says, max(width-2, 1)) {
			out = append(out, " "+l.fg("text", line))
		}
	}
	return append(out, l.hints(w.hint, width)...)
}

// HandleInput stops the waiting.
func (w *waiting) HandleInput(ev input.Event) bool {
	k, ok := ev.(input.Key)
	if !ok || k.Action == input.Release {
		return false
	}
	if w.keys != nil && w.keys(k) {
		return true
	}
	if w.ui.keys.Is(k, "tui.select.cancel") {
		w.stop()
	}
	return true
}

// openPage opens a page in the browser of the person's desktop, or the one that the
// variable BROWSER names.
func openPage(ctx context.Context, getenv func(string) string, address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	if getenv != nil {
		if b := strings.Fields(getenv("BROWSER")); len(b) == 1 {
			command = []string{b[0], address}
		}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	return exec.CommandContext(ctx, path, command[1:]...).Run()
}
