package tools

import (
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// A window over a stream shows what a plain walk over the lines in memory shows.
func TestExcerptProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		content := rapid.StringOf(rapid.RuneFrom([]rune("ab\n\n\u6771"))).Draw(rt, "content")
		w := window{
			first: rapid.IntRange(1, 6).Draw(rt, "first"),
			most:  rapid.SampledFrom([]int{-1, 1, 2, 3, 5}).Draw(rt, "most"),
			limits: truncate.Limits{
				Lines: rapid.IntRange(1, 5).Draw(rt, "lines"),
				Bytes: rapid.IntRange(1, 12).Draw(rt, "bytes"),
			},
		}
		cut := rapid.IntRange(0, len(content)).Draw(rt, "head")
		got, err := w.excerpt(t.Context(), []byte(content[:cut]), iotest.OneByteReader(strings.NewReader(content[cut:])))
		if err != nil {
			rt.Fatal(err)
		}

		lines := strings.SplitAfter(content, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		selected := lines[min(w.first-1, len(lines)):]
		rest := 0
		if w.most >= 0 && w.most < len(selected) {
			rest = len(selected) - w.most
			selected = selected[:w.most]
		}
		want := excerpt{first: w.first, fileLines: len(lines)}
		want.cut.MaxLines, want.cut.MaxBytes = w.limits.Lines, w.limits.Bytes
		want.cut.TotalLines = len(selected)
		want.cut.TotalBytes = len(strings.Join(selected, ""))
		for i, line := range selected {
			line = strings.TrimSuffix(line, "\n")
			if i > 0 {
				line = "\n" + line
			}
			if i == w.limits.Lines {
				want.cut.TruncatedBy = truncate.ByLines
			} else if len(want.text)+len(line) > w.limits.Bytes {
				want.cut.TruncatedBy = truncate.ByBytes
				if i == 0 {
					want.longLine = int64(len(line))
				}
			}
			if want.cut.TruncatedBy != "" {
				want.cut.Truncated = true
				want.cut.FirstLineExceedsLimit = i == 0
				break
			}
			want.text += line
			want.cut.OutputLines++
		}
		if !want.cut.Truncated && rest == 0 && len(selected) > 0 && strings.HasSuffix(selected[len(selected)-1], "\n") {
			want.text += "\n"
		}
		want.cut.OutputBytes = len(want.text)
		if got != want {
			rt.Fatalf("%q, %+v:\n got %+v\nwant %+v", content, w, got, want)
		}
	})
}
