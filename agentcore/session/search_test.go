package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine,
		userLine("u", "", "Where is the PARSER of streams, Straße?"),
		messageLine("a", "u", `{"role":"assistant","content":[{"type":"thinking","thinking":"let me see"},{"type":"text","text":"Reading."},{"type":"toolCall","id":"1","name":"read","arguments":{"path":"/project/internal/parse.go","limit":5}}],"stopReason":"toolUse"}`),
		messageLine("t", "a", `{"role":"toolResult","toolCallId":"1","toolName":"read","content":[{"type":"text","text":"package parse // \u0050\u0041rser"}]}`),
		`{"type":"custom","id":"m","parentId":"u","timestamp":"2026-11-29T19:01:57.951Z","customType":"pi.leaf","data":{"from":"parser"}}`,
		messageLine("b", "u", `{"role":"bashExecution","command":"grep -r token .","output":"none"}`),
		`{"type":"compaction","id":"c","parentId":"b","timestamp":"2026-11-29T19:01:57.951Z","summary":"The parser was read.","firstKeptEntryId":"c","tokensBefore":1,"details":{"readFiles":["internal/parse.go"],"modifiedFiles":[]}}`,
		`{"type":"label","id":"l","parentId":"c","timestamp":"2026-11-29T19:01:57.951Z","targetId":"u","label":"parser question"}`,
		messageLine("s", "l", `{"role":"system","content":"You know parsers."}`),
		messageLine("x", "s", `{"role":"user","content":5}`),
	))
	tests := []struct {
		name string
		q    Query
		want []string
	}{
		{"nothing asked", Query{}, nil},
		{"text, any case", Query{Text: "parser"}, []string{"u PARSER", "t PArser", "c parser", "l parser"}},
		{"text of a call", Query{Text: "parse.go"}, []string{"a parse.go"}},
		{"thinking", Query{Text: "LET me"}, []string{"a let me"}},
		{"foreign letters", Query{Text: "STRA\u1e9eE"}, []string{"u Straße"}},
		{"a kind of its own", Query{Text: "token"}, []string{"b token"}},
		{"not there", Query{Text: "parsers"}, nil},
		{"punctuation only", Query{Text: "?"}, []string{"u ?"}},
		{"tool", Query{Tool: "read"}, []string{"a read", "t read"}},
		{"part of a tool's name", Query{Tool: "rea"}, nil},
		{"end of a path", Query{Path: "parse.go"}, []string{"a /project/internal/parse.go", "c internal/parse.go"}},
		{"whole path", Query{Path: "/project/internal/parse.go"}, []string{"a /project/internal/parse.go"}},
		{"directory", Query{Path: "/project"}, []string{"a /project/internal/parse.go"}},
		{"inner directory", Query{Path: "internal/"}, []string{"a /project/internal/parse.go", "c internal/parse.go"}},
		{"part of a name", Query{Path: "arse.go"}, nil},
		{"all of it", Query{Text: "reading", Tool: "read", Path: "parse.go"}, []string{"a Reading"}},
		{"one is missing", Query{Text: "reading", Tool: "write"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openPath(t, path, ReadOnly)
			for range 2 { // not decoded, decoded
				var got []string
				for m, err := range s.Search(t.Context(), tt.q) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, m.ID+" "+m.Text[m.Offset:m.Offset+m.Len])
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if _, err := s.Context(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The look at the stored text never hides what the look at the decoded entry
// would find.
func TestSearchHint(t *testing.T) {
	t.Parallel()
	letters := rapid.SampledFrom([]rune("aAbBkKsS\u017f\u212aß\u1e9e東 \n\"\\.1"))
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(letters, 0, 20).Draw(t, "text"))
		runes := []rune(text)
		needle := string(rapid.SliceOfN(letters, 1, 4).Draw(t, "needle"))
		if len(runes) > 0 && rapid.Bool().Draw(t, "inside") {
			from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
			needle = strings.ToUpper(string(runes[from:rapid.IntRange(from+1, len(runes)).Draw(t, "to")]))
		}
		f := newFinder(Query{Text: needle})
		line := []byte(userLine("a", "", text))
		e, err := DecodeEntry(line, nil)
		if err != nil {
			return // %q writes escapes JSON does not have
		}
		_, found := f.find(e)
		if found && !f.mayFit(line) {
			t.Fatalf("%q is in %q, but %s was passed over", needle, text, line)
		}
		folded := string(fold(text))
		if want := strings.Contains(folded, string(f.text)); want != found {
			t.Fatalf("%q in %q: %v, want %v", needle, text, found, want)
		}
	})
}

func TestSearchStops(t *testing.T) {
	t.Parallel()
	s := stored(t, userLine("a", "", "x"), userLine("b", "a", "x"))
	n := 0
	for range s.Search(t.Context(), Query{Text: "x"}) {
		n++
		say(t, s, "x, too") // the session can be used meanwhile
		break
	}
	if n != 1 || !slices.Contains(seen(t, s), "user x, too") {
		t.Errorf("%d matches", n)
	}
}
