package fuzzy

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		query, s string
		want     bool
	}{
		{"", "anything", true},
		{"abc", "a-b-c", true},
		{"ABC", "xaxbxc", true},
		{"acb", "abc", false},
		{"55", "opus-5.5", true},
		{"55", "opus-5-5", true},
		{"55", "sonnet-4-5-20250929", false},
		{"opus 55", "claude-opus-5-5", true},
		{"55 opus", "claude-opus-5-5", true},
		{"opus 55", "claude-sonnet-4-5-20250929", false},
		{"한국", "대한민국 한국어", true},
		{"longer than", "short", false},
	} {
		if _, ok := Match(tc.query, tc.s); ok != tc.want {
			t.Errorf("Match(%q, %q) = %v, want %v", tc.query, tc.s, ok, tc.want)
		}
	}
}

func TestPositionsAreOfTheBestPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		query, s string
		want     []int
	}{
		{"main", "domain/main.go", []int{7, 8, 9, 10}},
		{"sm", "some/sub/model.go", []int{0, 9}},
		{"go x", "x.go", []int{0, 2, 3}},
	} {
		r, ok := Match(tc.query, tc.s)
		if diff := cmp.Diff(tc.want, r.Positions); !ok || diff != "" {
			t.Errorf("Match(%q, %q) (-want +got):\n%s", tc.query, tc.s, diff)
		}
	}
}

func TestFilterPutsTheBestFirst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		query string
		items []string
		want  []string
	}{
		{"model", []string{"remodeling", "my-model", "model", "m-o-d-e-l", "other"}, []string{"model", "my-model", "remodeling", "m-o-d-e-l"}},
		{"read", []string{"thread.go", "internal/read.go", "read.go"}, []string{"read.go", "internal/read.go", "thread.go"}},
		{" ", []string{"b", "a"}, []string{"b", "a"}},
	} {
		got := Filter(tc.items, tc.query, func(s string) string { return s })
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("Filter %q (-want +got):\n%s", tc.query, diff)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("abc 12", "a-b-c 1.2")
	f.Add("\xff", "\xff\xfe")
	f.Fuzz(func(t *testing.T, query, s string) {
		r, ok := Match(query, s)
		if !ok {
			return
		}
		for i, p := range r.Positions {
			if p < 0 || p >= len(s) || i > 0 && p <= r.Positions[i-1] {
				t.Fatalf("positions %v of %q in %q", r.Positions, query, s)
			}
		}
	})
}

// slow finds the best score by trying every way to match a word.
func slow(q, t []letter, i, last, j int) int {
	if i == len(q) {
		return 0
	}
	best := -1 << 30
	for ; j < len(t); j++ {
		if t[j].r != q[i].r {
			continue
		}
		score := scoreLetter
		if t[j].boundary {
			score += scoreBoundary
		}
		if j == 0 {
			score += scoreStart
		}
		switch {
		case i == 0:
			score -= min(j*costGap, maxGapCost)
		case last == j-1:
			score += scoreConsecutive
		default:
			score -= min((j-last-1)*costGap, maxGapCost)
		}
		best = max(best, score+slow(q, t, i+1, j, j+1))
	}
	return best
}

func TestScoreIsTheBestOfAllWays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("abAB-/ ")), 0, 30, -1).Draw(t, "text")
		q := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 1, 4, -1).Draw(t, "query")
		var m matcher
		m.text, m.word = runes(nil, s), runes(nil, q)
		r, ok := m.matchWord(m.word, m.text)
		want := slow(m.word, m.text, 0, -1, 0)
		if ok != (want >= 0) {
			t.Fatalf("%q in %q: %v, want %v", q, s, ok, want >= 0)
		}
		if ok && r.Score != want && r.Score != want+scoreWhole {
			t.Fatalf("%q in %q: score %d, want %d", q, s, r.Score, want)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	var files []string
	for i := range 10000 {
		files = append(files, fmt.Sprintf("codingagent/internal/mode/part%d/interactive/transcript%d.go", i%97, i))
	}
	b.ReportAllocs()
	for b.Loop() {
		Filter(files, "intmod77", func(s string) string { return s })
	}
}

func BenchmarkMatch(b *testing.B) {
	for b.Loop() {
		Match("intmod", "codingagent/internal/mode/interactive/transcript.go")
	}
}
