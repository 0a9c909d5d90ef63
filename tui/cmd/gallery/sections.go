package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/diffview"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/picture"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

// section is a component with its name.
type section struct {
	title     string
	component tui.Component
}

const document = "## Markdown\n\nText with **bold**, *italic*, `code`, ~~struck~~ words and a [link](https://example.org).\n\n" +
	"1. first\n2. second\n   - nested\n   - [x] done\n\n> A quote.\n\n| Language | Typed | Year |\n|:---------|:-----:|-----:|\n| Go | yes | 2009 |\n| 한국어 🙂 | wide | 42 |\n\n" +
	"```go\n// Sum adds numbers.\nfunc Sum(n ...int) (total int) {\n\tfor _, v := range n {\n\t\ttotal += v\n\t}\n\treturn total // \"done\"\n}\n```\n"

const before = "package main\n\nfunc main() {\n\tx := compute(1)\n\tprintln(x)\n}\n"

const after = "package main\n\nfunc main() {\n\tx := compute(2, 3)\n\tprintln(\"x is\", x)\n\tcheck()\n}\n"

// sections are all components with something to show.
func sections(th *theme.Theme, keys *input.Bindings, caps term.Capabilities, send func(string)) ([]section, error) {
	pic, err := colours(th, caps, send)
	if err != nil {
		return nil, err
	}
	return append(documents(th), append(dialogs(th, keys),
		section{"progress", &tui.ProgressBar{Done: 37, Total: 100, Label: "Loading", Style: th.Fg("accent"), Rest: th.Fg("borderMuted")}},
		section{"loader", loader(th)},
		section{"image", pic},
		section{"frame", &tui.Frame{Child: tui.Lines{" a border around anything "}, Style: th.Fg("border"), Title: "frame"}},
	)...), nil
}

// documents are the components that are read.
func documents(th *theme.Theme) []section {
	para := tui.NewText("Text is wrapped at blanks, and " + th.Style("accent", "", text.Bold).Render("styles go on") +
		" over line ends. 한국어와 中文, emoji 👩‍🚀 and combining é́ have their true widths.")

	// Text from elsewhere must be cleaned; what it would have done is seen instead.
	hostile := tui.NewText(text.Sanitize("a screen \x1b[2Jcleared, a bell\a rung, and a tab\tstop"))

	box := tui.NewBox(2, 1, th.Bg("userMessageBg"), tui.NewText("A box: components on a background."), tui.NewText("This is the second one."))

	columns := &tui.Columns{
		Left: tui.NewText("Two components beside each other,"), Right: tui.NewText("or below each other where there is no room."), Gap: 2,
	}

	md := markdown.New(markdown.Options{Theme: markdown.ThemeOf(th)})
	md.SetText(document)

	diff := diffview.New(diffview.Compare(before, after, 2), diffview.Options{
		File: "main.go", Theme: diffview.ThemeOf(th),
	})
	return []section{
		{"text", para},
		{"text that can not be trusted", hostile},
		{"box", box},
		{"columns", columns},
		{"markdown", md},
		{"diff", diff},
	}
}

// dialogs are the components that take input.
func dialogs(th *theme.Theme, keys *input.Bindings) []section {
	list := tui.NewSelectList(keys,
		tui.ListItem{Value: "alpha", Description: "the first letter"},
		tui.ListItem{Value: "beta", Description: "the second letter"},
		tui.ListItem{Value: "gamma", Description: "the third letter"})
	list.Style = tui.ListStyleOf(th)

	settings := tui.NewSettingsList(keys,
		tui.Setting{ID: "theme", Label: "Theme", Value: "dark", Values: []string{"dark", "light"}, Description: "colours of everything"},
		tui.Setting{ID: "wrap", Label: "Wrap long lines", Value: "on", Values: []string{"on", "off"}})
	settings.Style = tui.SettingsStyle{Selected: th.Style("accent", "", text.Bold), Value: th.Fg("muted"), Description: th.Fg("dim"), Hint: th.Fg("dim")}

	tree := tui.NewTree(keys, &tui.TreeNode{ID: "1", Label: "a question", Children: []*tui.TreeNode{
		{ID: "2", Label: "an answer", Children: []*tui.TreeNode{{ID: "3", Label: "more of it"}}},
		{ID: "4", Label: "another answer", Folded: true, Children: []*tui.TreeNode{{ID: "5", Label: "hidden"}}},
	}})
	tree.Style = tui.TreeStyle{Selected: th.Style("accent", "", text.Bold), Lines: th.Fg("borderMuted"), Hint: th.Fg("dim")}

	in := tui.NewInput(keys)
	in.Placeholder, in.PlaceholderStyle = "one line of text", th.Fg("dim")

	form := newForm(th, keys)

	ed := tui.NewEditor(keys)
	ed.Style.Border = th.Fg("borderAccent")
	ed.SetText("An editor of several lines,\nwith history, undo, and completion.")
	return []section{{"list", list}, {"settings", settings}, {"tree", tree}, {"input", in}, {"form", form}, {"editor", ed}}
}

func newForm(th *theme.Theme, keys *input.Bindings) *tui.Form {
	form := tui.NewForm(keys,
		tui.Field{ID: "name", Label: "Name", Placeholder: "who you are", Check: func(s string) error {
			if strings.TrimSpace(s) == "" {
				return errors.New("a name is needed")
			}
			return nil
		}},
		tui.Field{ID: "word", Label: "Password", Value: "secret", Masked: true})
	form.Style = tui.FormStyle{Label: th.Fg("muted"), Focused: th.Fg("accent"), Placeholder: th.Fg("dim"), Error: th.Fg("error"), Hint: th.Fg("dim")}
	form.Hint = "tab goes on, enter submits, escape cancels"
	return form
}

// loader is one that stands still; /load has one that moves.
func loader(th *theme.Theme) *tui.Loader {
	l := tui.NewLoader(nil, "something is going on")
	l.Style, l.MessageStyle = th.Fg("accent"), th.Fg("muted")
	return l
}

// colours is a picture that was never a file.
func colours(th *theme.Theme, caps term.Capabilities, send func(string)) (*picture.Picture, error) {
	img := image.NewRGBA(image.Rect(0, 0, 180, 72))
	for y := range 72 {
		for x := range 180 {
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(3 * y), uint8(255 - x), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw a picture: %w", err)
	}
	return picture.New(b.Bytes(), picture.Options{Name: "colours.png", Capabilities: caps, Send: send, Style: th.Fg("muted"), MaxHeight: 4})
}
