package partialjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFinal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		problem        string // part of the error's text, "" for none
	}{
		{"nothing", "", "{}", ""},
		{"blank", " \n\t", "{}", ""},
		{"an object stays byte for byte", `{ "b":1.50, "a" : "\u00e9" }`, `{ "b":1.50, "a" : "\u00e9" }`, ""},
		{"white space around it goes", "\n {} \r\n", "{}", ""},
		{"line feed in a string", "{\"a\":\"x\ny\"}", `{"a":"x\ny"}`, ""},
		{"bad escape", `{"re":"\d+\."}`, `{"re":"\\d+\\."}`, ""},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "{\"a\":\"\uFFFD\"}", ""},

		{"cut", `{"path":"a`, "{}", "not valid JSON: unexpected end of the text"},
		{"cut at a point where it could be closed", `{"path":"a"`, "{}", "unexpected end"},
		{"cut behind a backslash", `{"path":"a\`, "{}", "unexpected end"},
		{"trailing comma", `{"a":1,}`, "{}", "invalid character '}'"},
		{"two objects", `{"a":1}{"b":2}`, "{}", "after top-level value at byte 8"},
		{"array", `[1]`, "{}", "not an array"},
		{"string", `"x"`, "{}", "not a string"},
		{"number", `-1`, "{}", "not a number"},
		{"boolean", `true`, "{}", "not a boolean"},
		{"null", `null`, "{}", "not null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Final(c.in)
			if string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if c.problem == "" {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			var argErr *ArgumentsError
			if !errors.As(err, &argErr) || argErr.Received != c.in {
				t.Fatalf("error %#v does not carry the received text", err)
			}
			if msg := err.Error(); !strings.Contains(msg, c.problem) || !strings.HasSuffix(msg, c.in) {
				t.Errorf("message %q lacks %q or the text", msg, c.problem)
			}
		})
	}
}

func TestLongTextIsQuotedInPart(t *testing.T) {
	t.Parallel()
	in := `{"a":"` + strings.Repeat("é", 5000)
	_, err := Final(in)
	if err == nil {
		t.Fatal("no error")
	}
	msg := err.Error()
	if len(msg) > maxQuoted+200 || !utf8.ValidString(msg) || !strings.HasSuffix(msg, "more bytes)") {
		t.Errorf("%d bytes, ends in %q", len(msg), msg[len(msg)-30:])
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                        ``,
		`{"a":"b\n\u00e9"}`:       `{"a":"b\n\u00e9"}`,
		"{\n\t\"a\": 1\n}":        "{\n\t\"a\": 1\n}",
		"{\"a\":\"\x00\n\t\x1f\"": `{"a":"\u0000\n\t\u001f"`,
		`{"a":"\d\"\\d"}`:         `{"a":"\\d\"\\d"}`,
		`{"a":"\u12"}`:            `{"a":"\\u12"}`,
		`{"a":"x\`:                `{"a":"x\\`,
		`{"a":"x\u1`:              `{"a":"x\\u1`,
		`\d{"a":"b"}\`:            `\d{"a":"b"}\`,
		"{\"a\":\"\\\n\"}":        `{"a":"\\\n"}`,
		`{"a\q":"b"}`:             `{"a\\q":"b"}`,
	} {
		if got := string(Repair([]byte(in))); got != want {
			t.Errorf("Repair(%q)\n got %q\nwant %q", in, got, want)
		}
	}
	same := []byte(`{"a":"b"}`)
	if got := Repair(same); &got[0] != &same[0] {
		t.Error("a text that needs nothing was copied")
	}
}

func FuzzFinal(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"a":"b\d"}`, "{\"a\":\"\n\"}", `{"a":"\`, `[1]`, "\"\xff\"", `{"a":1e999}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := Final(in)
		if !json.Valid(got) || got[0] != '{' || !utf8.Valid(got) {
			t.Fatalf("Final(%q) is %q", in, got)
		}
		if err != nil && string(got) != "{}" {
			t.Errorf("Final(%q) is %q with error %v", in, got, err)
		}
		if json.Valid([]byte(in)) {
			if strings.Trim(in, " \t\r\n")[0] == '{' {
				if err != nil {
					t.Errorf("Final(%q): %v", in, err)
				}
			} else if err == nil {
				t.Errorf("Final(%q) took what is no object", in)
			}
			if string(Repair([]byte(in))) != in {
				t.Errorf("Repair changed the valid %q", in)
			}
		}
		once := Repair([]byte(in))
		if twice := Repair(once); string(twice) != string(once) {
			t.Errorf("Repair of %q is %q, and again %q", in, once, twice)
		}
	})
}
