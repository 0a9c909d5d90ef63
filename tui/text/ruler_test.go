package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, s string
		want    int
	}{
		{"empty", "", 0},
		{"ascii", "plain text", 10},
		{"hangul", "한", 2},
		{"han and ascii", "a中b", 4},
		{"combining", "e\u0301", 1},
		{"combining after precomposed", "\u00e9\u0301x", 2},
		{"VS16 on a text symbol", "❄\ufe0f", 2},
		{"VS15 on a text symbol", "✏\ufe0e", 1},
		{"VS15 on a wide base", "⌚\ufe0e", 2},
		{"VS16 on a letter", "a\ufe0f", 1},
		{"ZWJ sequence", "👩\u200d🚀", 2},
		{"family", "👨\u200d👩\u200d👧", 2},
		{"heart on fire", "❤\ufe0f\u200d🔥", 2},
		{"skin tone", "👍🏽", 2},
		{"skin tone on a text symbol", "⛹🏽", 2},
		{"flag", "🇯🇵", 2},
		{"two flags", "🇯🇵🇰🇷", 4},
		{"keycap", "1\ufe0f\u20e3", 2},
		{"keycap without selector", "1\u20e3", 1},
		{"thai mark", "ก\u0e49", 1},
		{"thai sara am", "กำ", 2},
		{"half-width katakana", "ｱ", 1},
		{"half-width with voiced mark", "ｶﾞ", 1},
		{"full-width letter", "Ａ", 2},
		{"zero width space", "\u200b", 0},
		{"soft hyphen", "\u00ad", 0},
		{"emoji of Unicode 16", "\U0001fae9", 2},
		{"emoji of Unicode 17", "\U0001faea", 2},
		{"emoji of 2023", "\U0001fa75", 2},
		{"text-style pictograph", "🌡", 1},
		{"two-em dash", "⸺", 1},
		{"box drawing", "─│┌", 3},
		{"ambiguous, narrow by default", "αж§", 3},
		{"SGR", "\x1b[31mab\x1b[0m", 2},
		{"OSC 8 with BEL", "\x1b]8;;https://go.dev\ago\x1b]8;;\a", 2},
		{"OSC 8 with ST", "\x1b]8;;https://go.dev\x1b\\go\x1b]8;;\x1b\\", 2},
		{"APC", "\x1b_mark\x1b\\x", 1},
		{"tab", "\t", 4},
		{"control characters", "a\x00\x07\rb", 2},
		{"invalid UTF-8", "a\xffb", 3},
		{"cut-off sequence", "ab\x1b[3", 2},
		{"signs before a digit", "\u070f\u070f0", 3},
		{"syllable and final consonant", "가\u11a8", 2},
		{"leading consonants", "\u1100\u1100가", 6},
		{"jamo", "\u1112\u1161\u11ab", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Width(tc.s); got != tc.want {
				t.Errorf("Width(%q) = %d, want %d", tc.s, got, tc.want)
			}
			cached := NewRuler(RulerOptions{})
			for range 2 { // measured, then remembered
				if got := cached.Width(tc.s + "!"); got != tc.want+1 && !strings.HasPrefix(tc.name, "cut-off") {
					t.Errorf("cached Width(%q!) = %d, want %d", tc.s, got, tc.want+1)
				}
			}
		})
	}
}

func TestRulerOptions(t *testing.T) {
	t.Parallel()
	r := NewRuler(RulerOptions{AmbiguousWide: true, Tab: 8})
	for s, want := range map[string]int{"§": 2, "α": 2, "ж": 2, "─": 2, "a": 1, "한": 2, "é": 2, "\t": 8, "①": 2} {
		if got := r.Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCacheStaysRightWhenItOverflows(t *testing.T) {
	t.Parallel()
	r := NewRuler(RulerOptions{})
	for i := range 3 * cacheEntries {
		s := string(rune('a'+i%26)) + "\u0301" + string(rune(0x1f300+i%0x300)) + string(rune(0x300+i/7%0x6f))
		if got, want := r.Width(s), Width(s); got != want {
			t.Fatalf("Width(%q) = %d with cache, %d without", s, got, want)
		}
	}
	if n := len(r.cache); n > cacheEntries {
		t.Errorf("the cache has %d entries, more than its limit %d", n, cacheEntries)
	}
}

func TestClusterNeverSplits(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"e\u0301", "👩\u200d🚀", "🇯🇵", "1\ufe0f\u20e3", "\x1b[1;31m", "กำ", "ｶﾞ"} {
		if n, _ := Cluster(s + "x"); n != len(s) {
			t.Errorf("Cluster(%q+x) takes %d bytes, want %d", s, n, len(s))
		}
	}
	if n, w := Cluster(""); n != 0 || w != 0 {
		t.Errorf("Cluster of nothing = %d, %d", n, w)
	}
}

// FuzzWidth checks that the fast paths and the cache agree with the segmenter.
func FuzzWidth(f *testing.F) {
	for _, s := range []string{"plain", "a\u0301b", "한e\u0301 ❄\ufe0f 1\ufe0f\u20e3", "ж\u0301", "ｱﾞ", "\x1b[1mx", "\u0600a", "\u070f\u070f0", "\u0600한", "가\u11a8", "©\u200d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := NewRuler(RulerOptions{})
		for rest := s; rest != ""; {
			fast := (*Ruler)(nil).next(rest)
			if fast.size == 0 {
				t.Fatalf("no progress at %q", rest)
			}
			if cached := r.next(rest); cached != fast {
				t.Fatalf("%q: %+v with cache, %+v without", rest, cached, fast)
			}
			if fast.kind == kindText && fast.width > 2 {
				t.Fatalf("%q: a cluster of %d columns", rest, fast.width)
			}
			if fast.kind == kindText && utf8.ValidString(rest) {
				if size, width := (*Ruler)(nil).cluster(rest); size != fast.size || width != fast.width {
					t.Fatalf("%q: %d bytes, %d columns; the segmenter says %d, %d", rest, fast.size, fast.width, size, width)
				}
			}
			rest = rest[fast.size:]
		}
		if a, b := Width(s), r.Width(s); a != b {
			t.Fatalf("Width = %d, with cache %d", a, b)
		}
	})
}

func BenchmarkWidth(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("the quick brown ", 7),
		"cjk":   strings.Repeat("한국어 中文 ", 8),
		"emoji": strings.Repeat("👩\u200d🚀 ok ❄\ufe0f ", 8),
		"sgr":   strings.Repeat("\x1b[31mred\x1b[0m plain ", 8),
	} {
		b.Run(name, func(b *testing.B) {
			r := NewRuler(RulerOptions{})
			b.ReportAllocs()
			for b.Loop() {
				r.Width(s)
			}
		})
	}
}
