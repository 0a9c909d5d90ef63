package truncate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pi-go/pi/codingagent/tools/truncate"
)

func TestHeadAndTail(t *testing.T) {
	t.Parallel()
	type result struct {
		content        string
		by             truncate.Reason
		lines, ofLines int
		partial, first bool
	}
	for _, c := range []struct {
		name         string
		text         string
		lines, bytes int
		head, tail   result
	}{
		{
			"fits", "a\nb\n", 2, 10,
			result{"a\nb\n", "", 2, 2, false, false},
			result{"a\nb\n", "", 2, 2, false, false},
		},
		{
			"empty", "", 2, 10,
			result{"", "", 0, 0, false, false},
			result{"", "", 0, 0, false, false},
		},
		{
			"the last newline is free", "abc\nde\n", 2, 6,
			result{"abc\nde\n", "", 2, 2, false, false},
			result{"abc\nde\n", "", 2, 2, false, false},
		},
		{
			"lines", "a\nb\nc\n", 2, 10,
			result{"a\nb", "lines", 2, 3, false, false},
			result{"b\nc", "lines", 2, 3, false, false},
		},
		{
			"bytes", "aaa\nbbb\nccc", 9, 7,
			result{"aaa\nbbb", "bytes", 2, 3, false, false},
			result{"bbb\nccc", "bytes", 2, 3, false, false},
		},
		{
			"one byte less", "aaa\nbbb\nccc", 9, 6,
			result{"aaa", "bytes", 1, 3, false, false},
			result{"ccc", "bytes", 1, 3, false, false},
		},
		{
			"both at the line limit", "aa\nbb\ncc\ndd", 2, 5,
			result{"aa\nbb", "lines", 2, 4, false, false},
			result{"cc\ndd", "lines", 2, 4, false, false},
		},
		{
			"one long line", "0123456789", 2, 4,
			result{"", "bytes", 0, 1, false, true},
			result{"6789", "bytes", 1, 1, true, false},
		},
		{
			"long first and last line", "0123456789\nb\n0123456789\n", 5, 4,
			result{"", "bytes", 0, 3, false, true},
			result{"6789", "bytes", 1, 3, true, false},
		},
		{
			"characters are not split", "aé漢", 2, 4,
			result{"", "bytes", 0, 1, false, true},
			result{"漢", "bytes", 1, 1, true, false},
		},
		{
			"empty lines", "\n\n\n", 2, 10,
			result{"\n", "lines", 2, 3, false, false},
			result{"\n", "lines", 2, 3, false, false},
		},
	} {
		l := truncate.Limits{Lines: c.lines, Bytes: c.bytes}
		for way, cut := range map[string]func(string, truncate.Limits) truncate.Result{"head": truncate.Head, "tail": truncate.Tail} {
			want := c.head
			if way == "tail" {
				want = c.tail
			}
			got := cut(c.text, l)
			full := truncate.Result{
				Content: want.content, Truncated: want.by != "", TruncatedBy: want.by,
				TotalLines: want.ofLines, TotalBytes: len(c.text),
				OutputLines: want.lines, OutputBytes: len(want.content),
				LastLinePartial: want.partial, FirstLineExceedsLimit: want.first,
				MaxLines: c.lines, MaxBytes: c.bytes,
			}
			if d := cmp.Diff(full, got); d != "" {
				t.Errorf("%s, %s (-want +got):\n%s", c.name, way, d)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x\n", 2001)
	if r := truncate.Head(text, truncate.Limits{}); r.OutputLines != 2000 || r.MaxBytes != 51200 {
		t.Errorf("got %d lines, limit %d bytes", r.OutputLines, r.MaxBytes)
	}
	if r := truncate.Head(text, truncate.Limits{Lines: truncate.Unlimited}); r.Truncated {
		t.Error("cut without a limit")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	cut := truncate.Head("a\nb", truncate.Limits{Lines: 1})
	fits := truncate.Head("a", truncate.Limits{Lines: truncate.Unlimited})
	got, err := json.Marshal([]truncate.Result{cut, fits})
	want := `[{"content":"a","truncated":true,"truncatedBy":"lines","totalLines":2,"totalBytes":3,"outputLines":1,"outputBytes":1,` +
		`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":1,"maxBytes":51200},` +
		`{"content":"a","truncated":false,"truncatedBy":null,"totalLines":1,"totalBytes":1,"outputLines":1,"outputBytes":1,` +
		`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":9007199254740991,"maxBytes":51200}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	var back []truncate.Result
	if err := json.Unmarshal(got, &back); err != nil || !cmp.Equal(back, []truncate.Result{cut, fits}) {
		t.Errorf("read back %+v, %v", back, err)
	}
}

// What is kept is made of whole lines of the text, within the limits, and as much
// as the limits allow.
func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab\n\né漢\U0001F9ED"))).Draw(t, "text")
		l := truncate.Limits{Lines: rapid.IntRange(1, 6).Draw(t, "lines"), Bytes: rapid.IntRange(1, 20).Draw(t, "bytes")}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" {
			lines = nil
		}
		head, tail := truncate.Head(text, l), truncate.Tail(text, l)
		for _, r := range []truncate.Result{head, tail} {
			body := strings.TrimSuffix(r.Content, "\n")
			if r.Truncated {
				body = r.Content
			}
			if len(body) > l.Bytes || r.OutputLines > l.Lines || !utf8.ValidString(r.Content) {
				t.Fatalf("over the limit: %+v", r)
			}
			if r.TotalLines != len(lines) || r.Truncated == (r.Content == text && r.OutputLines == len(lines)) {
				t.Fatalf("wrong account: %+v", r)
			}
		}
		longest := func(lines []string) (n int) {
			for n = range lines {
				if len(strings.Join(lines[:n+1], "\n")) > l.Bytes || n == l.Lines {
					return n
				}
			}
			return len(lines)
		}
		if want := longest(lines); head.OutputLines != want {
			t.Fatalf("head has %d lines, could have %d", head.OutputLines, want)
		}
		reversed := make([]string, len(lines))
		for i, line := range lines {
			reversed[len(lines)-1-i] = line
		}
		if want := longest(reversed); !tail.LastLinePartial && tail.OutputLines != want || tail.LastLinePartial && want != 0 {
			t.Fatalf("tail has %d lines, could have %d", tail.OutputLines, want)
		}
		if head.Truncated && strings.Join(lines[:head.OutputLines], "\n") != head.Content {
			t.Fatalf("head is %q", head.Content)
		}
		if tail.Truncated && !strings.HasSuffix(strings.Join(lines, "\n"), tail.Content) {
			t.Fatalf("tail is %q", tail.Content)
		}
	})
}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		limit int
		want  string
		cut   bool
	}{
		{"short", 5, "short", false},
		{"longer", 5, "longe" + truncate.LineMark, true},
		{"ééé", 3, "ééé", false},
		{"a\U0001F9EDb", 4, "a\U0001F9EDb", false},
		{"a\U0001F9EDb", 3, "a\U0001F9ED" + truncate.LineMark, true},
		{"a\U0001F9EDb", 2, "a" + truncate.LineMark, true},
	} {
		if got, cut := truncate.Line(c.line, c.limit); got != c.want || cut != c.cut {
			t.Errorf("Line(%q, %d) = %q, %v", c.line, c.limit, got, cut)
		}
	}
}

func TestFormatSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0B", 1023: "1023B", 1024: "1.0KB", 1536: "1.5KB", 51200: "50.0KB",
		1<<20 - 1: "1024.0KB", 1 << 20: "1.0MB", 5 << 30: "5120.0MB",
	} {
		if got := truncate.FormatSize(n); got != want {
			t.Errorf("FormatSize(%d) = %s, want %s", n, got, want)
		}
	}
}

func ExampleHead() {
	res := truncate.Head("one\ntwo\nthree\n", truncate.Limits{Lines: 2})
	fmt.Printf("%s\n(%d of %d lines)\n", res.Content, res.OutputLines, res.TotalLines)
	// Output:
	// one
	// two
	// (2 of 3 lines)
}
