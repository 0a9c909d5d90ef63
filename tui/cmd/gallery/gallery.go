package main

import (
	"context"
	"strings"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/picture"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/theme"
)

// gallery is the program.
type gallery struct {
	*tui.Program
	th     *theme.Theme
	editor *tui.Editor
	status *tui.Text

	picture     *picture.Picture
	pictureItem *tui.Item
}

// commands are what the editor completes after a slash.
var commands = []tui.ListItem{
	{Value: "/stream", Description: "a text that arrives in pieces"},
	{Value: "/list", Description: "a list over the page"},
	{Value: "/form", Description: "questions over the page"},
	{Value: "/load", Description: "something that takes time"},
	{Value: "/full", Description: "full-screen, or back"},
	{Value: "/panic", Description: "a mistake; the terminal is restored"},
	{Value: "/quit", Description: "end"},
}

func newGallery(p *tui.Program, th *theme.Theme) *gallery {
	g := &gallery{Program: p, th: th, editor: tui.NewEditor(p.Bindings()), status: tui.NewText("")}
	g.editor.Style = tui.EditorStyle{Border: th.Fg("borderAccent"), Paste: th.Fg("accent"), Placeholder: th.Fg("dim"), List: tui.ListStyleOf(th)}
	g.editor.Placeholder = "type something, or / for commands"
	g.editor.OnSubmit = g.submit
	g.editor.SetCompletion(tui.CompletionOptions{Runner: p, Completer: tui.CompleterFunc(complete)})
	g.status.SetText(th.Fg("dim").Render("enter sends · shift+enter new line · ctrl+d ends"))
	p.Bottom.Add(g.editor, g.status)
	p.SetFocus(g.editor)
	p.Filter(func(ev input.Event) bool {
		k, ok := ev.(input.Key)
		if !ok || k.Action == input.Release {
			return false
		}
		switch {
		case k.Is(input.MustParse("ctrl+d")) && g.editor.Text() == "", k.Is(input.MustParse("ctrl+c")):
			p.Quit(nil)
			return true
		case k.Is(input.MustParse("ctrl+z")):
			_ = p.Suspend()
			return true
		}
		return false
	})
	return g
}

func complete(_ context.Context, r tui.CompletionRequest) (*tui.Suggestions, error) {
	if !strings.HasPrefix(r.Before, "/") || strings.Contains(r.Before, " ") {
		return nil, nil
	}
	s := &tui.Suggestions{Prefix: r.Before}
	for _, c := range commands {
		if strings.HasPrefix(c.Value, r.Before) {
			s.Items = append(s.Items, c)
		}
	}
	return s, nil
}

// fill puts every component on the page.
func (g *gallery) fill() error {
	all, err := sections(g.th, g.Bindings(), g.Capabilities(), g.Send)
	if err != nil {
		return err
	}
	for _, s := range all {
		item := g.Transcript.Append(tui.NewContainer(
			&tui.Rule{Style: g.th.Fg("border"), Title: g.th.Fg("accent").Render(s.title)}, s.component, tui.Spacer(1)))
		if pic, ok := s.component.(*picture.Picture); ok {
			g.picture, g.pictureItem = pic, item
		}
	}
	return nil
}

// learned shows the picture once the terminal has told that it can.
func (g *gallery) learned(c term.Capabilities) {
	if g.picture != nil {
		g.picture.SetCapabilities(c)
		g.pictureItem.Touch()
	}
}

func (g *gallery) submit(s string) {
	switch strings.TrimSpace(s) {
	case "":
	case "/quit":
		g.Quit(nil)
	case "/full":
		if err := g.SetFullScreen(!g.Terminal().FullScreen()); err != nil {
			g.say(err.Error())
		}
	case "/panic":
		g.Go(func() { panic("a mistake in a goroutine") })
	case "/list":
		g.list()
	case "/form":
		g.form()
	case "/load":
		g.load()
	case "/stream":
		g.stream()
	default:
		g.say(s)
	}
}

func (g *gallery) say(s string) {
	t := tui.NewText(s)
	t.PadX, t.PadY, t.Background = 1, 1, g.th.Bg("userMessageBg")
	g.Transcript.Append(t)
}

func (g *gallery) list() {
	l := tui.NewSelectList(g.Bindings())
	l.Style, l.Typing, l.MaxRows = tui.ListStyleOf(g.th), true, 6
	for _, token := range g.th.Tokens() {
		l.SetItems(append(l.Items(), tui.ListItem{Value: token, Description: g.th.Fg(token).Render("■■■")}))
	}
	o := g.ShowOverlay(&tui.Frame{Child: l, Style: g.th.Fg("borderAccent"), Title: "colours"}, tui.OverlayOptions{Width: tui.Cells(44)})
	l.OnCancel = o.Hide
	l.OnSelect = func(it tui.ListItem) {
		o.Hide()
		g.say("You chose " + it.Value)
	}
}

func (g *gallery) form() {
	f := newForm(g.th, g.Bindings())
	o := g.ShowOverlay(&tui.Frame{Child: f, Style: g.th.Fg("borderAccent"), Title: "form"}, tui.OverlayOptions{Width: tui.Cells(50)})
	f.OnCancel = o.Hide
	f.OnSubmit = func(values map[string]string) {
		o.Hide()
		g.say("Hello, " + values["name"])
	}
}

func (g *gallery) load() {
	bar := &tui.ProgressBar{Total: 40, Label: "Working", Style: g.th.Fg("accent"), Rest: g.th.Fg("borderMuted")}
	loader := tui.NewLoader(g.Program, "please wait")
	loader.Style = g.th.Fg("accent")
	both := tui.NewContainer(loader, bar)
	g.Bottom.Insert(0, both)
	loader.Start()
	var stop func()
	stop = g.Every(50*time.Millisecond, func() {
		if bar.Done++; bar.Done >= bar.Total {
			stop()
			loader.Stop()
			g.Bottom.Remove(both)
			g.say("done")
		}
	})
}

func (g *gallery) stream() {
	md := markdown.New(markdown.Options{Theme: markdown.ThemeOf(g.th)})
	md.SetStreaming(true)
	item := g.Transcript.Append(md)
	at := 0
	var stop func()
	stop = g.Every(15*time.Millisecond, func() {
		at = min(at+4, len(document))
		for at < len(document) && document[at]&0xc0 == 0x80 {
			at++
		}
		md.SetText(document[:at])
		item.Touch()
		if at == len(document) {
			md.SetStreaming(false)
			stop()
		}
	})
}
