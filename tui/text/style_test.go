package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]Style{
		"":                 {},
		"1":                {Attr: Bold},
		"1;2;3":            {Attr: Bold | Faint | Italic},
		"1;22":             {},
		"31;42":            {Fg: Indexed(1), Bg: Indexed(2)},
		"97;100":           {Fg: Indexed(15), Bg: Indexed(8)},
		"38;5;200":         {Fg: Indexed(200)},
		"38;2;1;2;3":       {Fg: RGB(1, 2, 3)},
		"38:2::1:2:3":      {Fg: RGB(1, 2, 3)},
		"38:2:1:2:3;1":     {Fg: RGB(1, 2, 3), Attr: Bold},
		"48:5:9":           {Bg: Indexed(9)},
		"4":                {Underline: UnderlineSingle},
		"4:3":              {Underline: UnderlineCurly},
		"4:0":              {},
		"21":               {Underline: UnderlineDouble},
		"4;24":             {},
		"58;5;3;4":         {UnderlineColor: Indexed(3), Underline: UnderlineSingle},
		"53;7;9":           {Attr: Overline | Inverse | Strike},
		"1;0;3":            {Attr: Italic},
		"31;39":            {},
		"38;9;1":           {Attr: Bold},
		"999999999999;4;1": {Underline: UnderlineSingle, Attr: Bold},
	} {
		if got := (Style{}).Apply(params); got != want {
			t.Errorf("Apply(%q) = %+v, want %+v", params, got, want)
		}
	}
}

func styles() *rapid.Generator[Style] {
	color := rapid.Custom(func(t *rapid.T) Color {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return 0
		case 1:
			return Indexed(rapid.Uint8().Draw(t, "index"))
		}
		return RGB(rapid.Uint8().Draw(t, "r"), rapid.Uint8().Draw(t, "g"), rapid.Uint8().Draw(t, "b"))
	})
	return rapid.Custom(func(t *rapid.T) Style {
		return Style{
			Fg: color.Draw(t, "fg"), Bg: color.Draw(t, "bg"), UnderlineColor: color.Draw(t, "ul"),
			Attr:      Attr(rapid.Uint8().Draw(t, "attr")),
			Underline: Underline(rapid.IntRange(0, 5).Draw(t, "underline")),
		}
	})
}

func TestStyleSurvivesItsSequence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		st := styles().Draw(t, "style")
		seq := string(st.AppendSGR(nil))
		if seq == "" {
			if st != (Style{}) {
				t.Fatalf("%+v has no sequence", st)
			}
			return
		}
		if !isSGR(seq) {
			t.Fatalf("%q is no SGR sequence", seq)
		}
		if got := (Style{}).apply(seq); got != st {
			t.Fatalf("%q gives %+v, want %+v", seq, got, st)
		}
	})
}

func TestPaintGoesUnderOtherStyles(t *testing.T) {
	t.Parallel()
	bg := Style{Bg: Indexed(4)}
	got := bg.Paint("a\x1b[31mb\x1b[0mc")
	want := "\x1b[44ma\x1b[0m\x1b[31;44mb\x1b[0m\x1b[44mc\x1b[0m"
	if got != want {
		t.Errorf("Paint = %q, want %q", got, want)
	}
	if got := (Style{}).Paint("x"); got != "x" {
		t.Errorf("Paint with the default style = %q", got)
	}
}
