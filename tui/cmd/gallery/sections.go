package main

import (
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/diffview"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/markdown"
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
func sections(th *theme.Theme, keys *input.Bindings) []section {
	para := tui.NewText("Text is wrapped at blanks, and " + th.Style("accent", "", text.Bold).Render("styles go on") +
		" over line ends. 한국어와 中文, emoji 👩‍🚀 and combining é́ have their true widths.")
	box := tui.NewText("A text on a background.")
	box.PadX, box.PadY, box.Background = 2, 1, th.Bg("userMessageBg")

	md := markdown.New(markdown.Options{Theme: markdown.ThemeOf(th)})
	md.SetText(document)

	diff := diffview.New(diffview.Compare(before, after, 2), diffview.Options{
		File: "main.go", Theme: diffview.ThemeOf(th),
	})

	list := tui.NewSelectList(keys,
		tui.ListItem{Value: "alpha", Description: "the first letter"},
		tui.ListItem{Value: "beta", Description: "the second letter"},
		tui.ListItem{Value: "gamma", Description: "the third letter"})
	list.Style = tui.ListStyleOf(th)

	in := tui.NewInput(keys)
	in.Placeholder, in.PlaceholderStyle = "one line of text", th.Fg("dim")

	ed := tui.NewEditor(keys)
	ed.Style.Border = th.Fg("borderAccent")
	ed.SetText("An editor of several lines,\nwith history, undo, and completion.")

	return []section{
		{"text", para},
		{"background", box},
		{"markdown", md},
		{"diff", diff},
		{"list", list},
		{"input", in},
		{"editor", ed},
		{"progress", &tui.ProgressBar{Done: 37, Total: 100, Label: "Loading", Style: th.Fg("accent"), Rest: th.Fg("borderMuted")}},
		{"frame", &tui.Frame{Child: tui.Lines{" a border around anything "}, Style: th.Fg("border"), Title: "frame"}},
	}
}
