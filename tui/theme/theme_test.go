package theme

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

func near(a, b text.Color, by int) bool {
	ar, ag, ab, ok1 := a.RGB()
	br, bg, bb, ok2 := b.RGB()
	d := func(x, y uint8) bool { return int(math.Abs(float64(x)-float64(y))) <= by }
	return ok1 && ok2 && d(ar, br) && d(ag, bg) && d(ab, bb)
}

func TestParseColor(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]text.Color{
		"":                              0,
		"#f80":                          text.RGB(255, 136, 0),
		"#0a1B2c":                       text.RGB(10, 27, 44),
		"ansi:7":                        text.Indexed(7),
		"oklch(62.8% 0.2577 29.23)":     text.RGB(255, 0, 0),
		"oklch(0.452 0.3132 264.05)":    text.RGB(0, 0, 255),
		"okhsl(29.23 100% 56.8%)":       text.RGB(255, 0, 0),
		"okhsl(142.4953 100% 84.4529%)": text.RGB(0, 255, 0),
		"okhsl(0 0% 50%)":               text.RGB(119, 119, 119),
		"okhsl(10 50% 100%)":            text.RGB(255, 255, 255),
		"okhsl(10 50% 0%)":              text.RGB(0, 0, 0),
	} {
		c, ok, err := ParseColor(s)
		if err != nil || !ok || c != want && !near(c, want, 3) {
			t.Errorf("ParseColor(%q) = %#x, %v, %v; want %#x", s, c, ok, err, want)
		}
	}
	for _, s := range []string{"#ff", "#gggggg", "okhsl(1 2)", "oklch(a b c)", "hsl(1 2 3)", "ansi:256"} {
		if _, _, err := ParseColor(s); err == nil {
			t.Errorf("ParseColor(%q) has no error", s)
		}
	}
	if _, ok, err := ParseColor("blue"); ok || err != nil {
		t.Errorf("a name is taken for a colour: %v, %v", ok, err)
	}
}

// edit returns the dark theme's file with something changed.
func edit(t *testing.T, change func(m map[string]any)) []byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(darkJSON, &m); err != nil {
		t.Fatal(err)
	}
	change(m)
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParse(t *testing.T) {
	t.Parallel()
	colors := func(m map[string]any) map[string]any { return m["colors"].(map[string]any) }
	for name, tc := range map[string]struct {
		change func(m map[string]any)
		want   string
	}{
		"no name":       {func(m map[string]any) { delete(m, "name") }, "no name"},
		"slash":         {func(m map[string]any) { m["name"] = "a/b" }, "slash"},
		"reserved":      {func(m map[string]any) { m["name"] = "system" }, "reserved"},
		"unknown field": {func(m map[string]any) { m["colours"] = 1 }, "colours"},
		"missing":       {func(m map[string]any) { delete(colors(m), "accent"); delete(colors(m), "mdHr") }, "missing: accent, mdHr"},
		"unknown token": {func(m map[string]any) { colors(m)["acent"] = "#fff" }, `no colour "acent"`},
		"no variable":   {func(m map[string]any) { colors(m)["accent"] = "nope" }, `colour "accent": "nope"`},
		"cycle": {func(m map[string]any) {
			m["vars"] = map[string]any{"a": "b", "b": "a"}
			for k := range colors(m) {
				colors(m)[k] = ""
			}
			colors(m)["accent"] = "a"
		}, "a, b, a refer to each other"},
		"number":     {func(m map[string]any) { colors(m)["accent"] = 256 }, "0 to 255"},
		"appearance": {func(m map[string]any) { m["appearance"] = "dim" }, "dark or light"},
		"export":     {func(m map[string]any) { m["export"] = map[string]any{"bg": "#fff"} }, "pageBg"},
	} {
		_, err := Parse(edit(t, tc.change))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
		}
	}
	th, err := Parse(edit(t, func(m map[string]any) {
		m["name"] = "mine"
		delete(m, "appearance")
		colors(m)["accent"] = 5
		m["export"] = map[string]any{"pageBg": "blue"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if th.Color("accent") != text.Indexed(5) || !th.Dark() || th.Name() != "mine" {
		t.Errorf("accent %#x, dark %v, name %q", th.Color("accent"), th.Dark(), th.Name())
	}
	if _, ok := th.Export("pageBg"); !ok {
		t.Error("export has no pageBg")
	}
	if th.Color("scrollbarTrack") != th.Color("muted") {
		t.Error("an optional colour has no stand-in")
	}
}

func TestBuiltinThemes(t *testing.T) {
	t.Parallel()
	if len(Dark().Tokens()) != 56 || len(Light().Tokens()) != 56 {
		t.Errorf("%d and %d colours, want 56", len(Dark().Tokens()), len(Light().Tokens()))
	}
	if !Dark().Dark() || Light().Dark() {
		t.Error("the appearances are wrong")
	}
	white, black := text.RGB(0xee, 0xee, 0xee), text.RGB(0x11, 0x11, 0x11)
	for _, token := range Dark().Tokens() {
		if strings.HasSuffix(token, "Bg") {
			if c := Contrast(Dark().Color(token), white); c < 4.5 {
				t.Errorf("dark %s: contrast %.1f to text", token, c)
			}
			if c := Contrast(Light().Color(token), black); c < 4.5 {
				t.Errorf("light %s: contrast %.1f to text", token, c)
			}
		}
	}
	// Without the field, the appearance is seen from the colours.
	for _, data := range [][]byte{darkJSON, lightJSON} {
		data = bytes.Replace(data, []byte(`"appearance"`), []byte(`"$schema"`), 1)
		th, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if th.Dark() != (th.Name() == "dark") {
			t.Errorf("%s is taken for dark: %v", th.Name(), th.Dark())
		}
	}
}

func TestSystem(t *testing.T) {
	t.Parallel()
	th := System(Palette{}, true)
	if th.Color("accent") != text.Indexed(4) || th.Color("userMessageBg") != 0 || len(th.Tokens()) != 56 {
		t.Error("without a palette the theme is not made of indexes")
	}
	p := Palette{Foreground: text.RGB(200, 200, 200), Background: text.RGB(40, 40, 40)}
	for i := range p.ANSI {
		p.ANSI[i] = text.RGB(50, 50, uint8(60+i))
	}
	th = System(p, true)
	for _, token := range th.Tokens() {
		c := th.Color(token)
		switch {
		case strings.HasSuffix(token, "Bg"):
			if Contrast(c, p.Foreground) < 4.5 {
				t.Errorf("%s: contrast %.1f to the text", token, Contrast(c, p.Foreground))
			}
		case c != 0:
			if Contrast(c, p.Background) < 2.9 {
				t.Errorf("%s: contrast %.1f to the background", token, Contrast(c, p.Background))
			}
		}
	}
}

func TestForDepth(t *testing.T) {
	t.Parallel()
	if _, ok := Dark().For(term.Colors256).Color("accent").Index(); !ok {
		t.Error("256 colours have a colour that is no index")
	}
	if Dark().For(term.NoColor).Color("accent") != 0 {
		t.Error("no colour is a colour")
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		setting string
		dark    bool
		want    string
	}{{"mine", true, "mine"}, {"light/dark", true, "dark"}, {"a/b", false, "a"}} {
		if got, err := Select(tc.setting, tc.dark); err != nil || got != tc.want {
			t.Errorf("Select(%q, %v) = %q, %v", tc.setting, tc.dark, got, err)
		}
	}
	for _, s := range []string{"/a", "a/", "a/b/c"} {
		if _, err := Select(s, true); err == nil {
			t.Errorf("Select(%q) has no error", s)
		}
	}
}

func TestHighContrast(t *testing.T) {
	t.Parallel()
	for _, dark := range []bool{true, false} {
		th := HighContrast(dark)
		if th.Dark() != dark || th.Name() != map[bool]string{true: "high-contrast-dark", false: "high-contrast-light"}[dark] {
			t.Errorf("%s is dark: %v", th.Name(), th.Dark())
		}
		// Terminals are seldom all black or white.
		backgrounds := map[string]text.Color{"black": text.RGB(0, 0, 0), "nearly black": text.RGB(30, 30, 30)}
		if !dark {
			backgrounds = map[string]text.Color{"white": text.RGB(255, 255, 255), "nearly white": text.RGB(245, 245, 245)}
		}
		for _, token := range th.Tokens() {
			if strings.HasSuffix(token, "Bg") && token != "searchMatchBg" {
				backgrounds[token] = th.Color(token)
			}
		}
		for _, token := range th.Tokens() {
			switch {
			case strings.HasSuffix(token, "Bg"):
				continue
			case token == "searchMatchText":
				if got := Contrast(th.Color(token), th.Color("searchMatchBg")); got < 7 {
					t.Errorf("%s: a match has a contrast of %.1f", th.Name(), got)
				}
				continue
			}
			least := 7.0
			if th.Color(token) == th.Color("border") {
				least = 4.5 // lines, no text
			}
			for name, bg := range backgrounds {
				if got := Contrast(th.Color(token), bg); got < least {
					t.Errorf("%s: %s has a contrast of %.1f to %s, want %.1f", th.Name(), token, got, name, least)
				}
			}
		}
	}
}
