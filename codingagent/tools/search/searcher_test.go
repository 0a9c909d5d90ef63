package search

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/linematch"
)

// naive is the result of a search by looking at one line after the other.
func naive(text string, match func(string) bool, q Query) (lines []Line, count int, more bool) {
	all := strings.SplitAfter(strings.TrimPrefix(text, "\uFEFF"), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	isMatch, wanted := map[int]bool{}, map[int]bool{}
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\n")
		if !match(all[i]) {
			continue
		}
		if count == q.Limit {
			more = true
			break
		}
		count++
		isMatch[i] = true
		for j := max(0, i-q.Context); j <= min(len(all)-1, i+q.Context); j++ {
			wanted[j] = true
		}
	}
	for i, line := range all {
		line = strings.TrimSuffix(line, "\n")
		if wanted[i] {
			lines = append(lines, Line{Number: i + 1, Text: strings.TrimSuffix(line, "\r"), Match: isMatch[i]})
		}
	}
	return lines, count, more
}

// A file is searched in pieces, whatever their size, as if it were in one.
func TestRollingBuffer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.StringOfN(rapid.RuneFrom([]rune("aabx\r")), 0, 9, -1)
		text := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(rt, "lines"), "\n")
		if rapid.Bool().Draw(rt, "newline at the end") && text != "" {
			text += "\n"
		}
		if rapid.Bool().Draw(rt, "mark") {
			text = "\uFEFF" + text
		}
		q := Query{
			Pattern: rapid.SampledFrom([]string{"x", "a+b", "^$", "xx|bb"}).Draw(rt, "pattern"),
			Context: rapid.IntRange(0, 4).Draw(rt, "context"),
			Limit:   rapid.IntRange(1, 12).Draw(rt, "limit"),
		}
		m, err := linematch.Compile(q.Pattern, linematch.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		oracle := m.Scanner()
		matches := func(line string) bool {
			oracle.Reset([]byte(line + "\n"))
			_, _, ok := oracle.Next()
			return ok
		}
		env := execenv.Memory(nil)
		env.FS.(*execenv.MemoryFS).Put("/work/f", text)
		s := newSearcher(t.Context(), Tree{Env: env, Root: "/work"}, m, q)
		s.buf = make([]byte, rapid.SampledFrom([]int{4, 16, 64, 4096}).Draw(rt, "buffer"))
		lines, err := s.file("/work/f")
		if err != nil {
			rt.Fatal(err)
		}
		var got Matches
		if len(lines) > 0 {
			got.add(FileMatches{"f", lines}, q)
		}
		wantLines, count, more := naive(text, matches, q)
		var gotLines []Line
		if len(got.Files) > 0 {
			gotLines = got.Files[0].Lines
		}
		if fmt.Sprint(gotLines) != fmt.Sprint(wantLines) || got.Count != count || got.More != more {
			rt.Fatalf("%q in %q, %+v:\n got %v %d %v\nwant %v %d %v", q.Pattern, text, q, gotLines, got.Count, got.More, wantLines, count, more)
		}
	})
}
