package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// scanned is the stub of a line that comes in pieces of n bytes.
func scanned(text []byte, n int) (Stub, string, bool, string) {
	var s scanner
	for p := range slices.Chunk(text, n) {
		s.feed(p)
	}
	stub := s.stub()
	stub.Parent = string(s.text(s.parent, memberParent))
	return stub, s.fault(), s.hasParent, string(s.messageAt)
}

func TestScannerPicksUpMembers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       Stub
		fault      string
	}{
		{
			"in the usual order", `{"type":"message","id":"a","parentId":"b","timestamp":"2026-11-29T19:01:57.951Z","message":{"role":"user","content":[]}}`,
			Stub{Type: "message", ID: "a", Parent: "b", At: 1795978917951, Role: "user"},
			"",
		},
		{
			"message first", `{"message":{"content":[{"type":"x","id":"no","role":"no"}],"role":"assistant"},"parentId":null,"id":"a","type":"message"}`,
			Stub{Type: "message", ID: "a", Role: "assistant"},
			"",
		},
		{
			"members of inner objects do not count", `{"data":{"id":"no","type":"no","message":{"role":"no"}},"type":"custom","customType":"pi.leaf","id":"a","details":[{"id":"no"}]}`,
			Stub{Type: "custom", CustomType: "pi.leaf", ID: "a"},
			"",
		},
		{"the last of repeated members counts", `{"id":"a","type":"x","id":"b","parentId":"p","parentId":null}`, Stub{Type: "x", ID: "b"}, ""},
		{"escapes", `{"\u0069d":"a\u0062\"\\","type":"x\\"}`, Stub{Type: `x\`, ID: `ab"\`}, ""},
		{"white space", " {\t\"id\" : \"a\" ,\"type\": \"x\" } \r", Stub{Type: "x", ID: "a"}, ""},
		{"invalid UTF-8", "{\"id\":\"a\xff\",\"type\":\"x\"}", Stub{Type: "x", ID: "a\uFFFD"}, ""},
		{"an id that is no string", `{"id":5,"type":"x"}`, Stub{Type: "x"}, ""},
		{"other time zones", `{"id":"a","type":"x","timestamp":"2026-11-29T20:01:57+01:00"}`, Stub{Type: "x", ID: "a", At: 1795978917000}, ""},
		{"torn", `{"type":"message","id":"a","message":{"role":"user"}`, Stub{}, "the line is torn: its JSON object does not end"},
		{"torn in a string", `{"type":"message","id":"a`, Stub{}, "the line is torn: its JSON object does not end"},
		{"NUL", "\x00\x00\x00", Stub{}, "not a JSON object"},
		{"a number", "42", Stub{}, "not a JSON object"},
		{"two objects", `{"id":"a"}{"id":"b"}`, Stub{}, "text after the JSON object"},
		{"a comma behind", `{"id":"a"},`, Stub{}, "text after the JSON object"},
		{"a list", `[{"id":"a"}]`, Stub{}, "not a JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for n := 1; n <= len(tt.line); n++ {
				got, fault, _, _ := scanned([]byte(tt.line), n)
				if fault != tt.fault {
					t.Fatalf("in pieces of %d: fault %q, want %q", n, fault, tt.fault)
				}
				if fault == "" && got != tt.want {
					t.Fatalf("in pieces of %d:\ngot  %+v\nwant %+v", n, got, tt.want)
				}
			}
		})
	}
}

func FuzzScanner(f *testing.F) {
	for _, l := range samples(f) {
		f.Add(l, 7)
	}
	f.Add([]byte(`{"message":{"role":"a","role":null,"timestamp":1e3},"id":"\ud800","parentId":"","type":"\\"}`), 1)
	f.Add([]byte(`{"id":"a"}}`), 3)
	f.Add([]byte(" {\"type\":\"\x80\"}\x00"), 2)
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		if bytes.IndexByte(text, '\n') >= 0 || len(text) == 0 {
			return
		}
		got, fault, hasParent, messageAt := scanned(text, max(n, 1))
		if whole, f2, hp2, at2 := scanned(text, len(text)); whole != got || f2 != fault || hp2 != hasParent || at2 != messageAt {
			t.Fatalf("pieces matter: %+v %q, %+v %q", got, fault, whole, f2)
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(text, &m) != nil || m == nil {
			return // the scanner may take what only looks like JSON
		}
		if fault != "" {
			t.Fatalf("good JSON refused: %s", fault)
		}
		str := func(m map[string]json.RawMessage, key string) string {
			var s string
			if v := m[key]; len(v) > 0 && v[0] == '"' && len(v) < maxCaptured && json.Unmarshal(v, &s) != nil {
				t.Fatal("a valid document with an invalid string")
			}
			return s
		}
		want := Stub{Type: Type(str(m, "type")), ID: str(m, "id"), Parent: str(m, "parentId"), CustomType: str(m, "customType"), At: scanTime([]byte(str(m, "timestamp")))}
		var inner map[string]json.RawMessage
		if v := m["message"]; len(v) > 0 && v[0] == '{' && json.Unmarshal(v, &inner) == nil {
			r := str(inner, "role")
			want.Role = got.Role
			if string(got.Role) != r {
				t.Fatalf("role %q, want %q", got.Role, r)
			}
		}
		if strings.Contains(string(m["timestamp"]), `\`) || !utf8.Valid(m["timestamp"]) {
			got.At, want.At = 0, 0 // times are plain ASCII where they are times
		}
		if got != want {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
		if _, has := m["parentId"]; has != hasParent {
			t.Fatalf("has a parent: %v, want %v", hasParent, has)
		}
		trimmed := bytes.TrimRight(text, " \t\r\n")
		for cut := range len(trimmed) { // no beginning of a whole line is whole
			if cut > 300 {
				break
			}
			if _, fault, _, _ := scanned(trimmed[:max(cut, 1)], len(trimmed)); fault == "" && cut > 0 {
				t.Fatalf("%q passes for whole", trimmed[:cut])
			}
		}
	})
}

func TestScanTime(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"2026-11-29T19:01:57.951Z", "2026-11-30T19:01:57.951Z", "2026-02-29T19:01:57.951Z", "2024-02-29T00:00:00.000Z", "2026-11-29T24:01:57.951Z",
		"2026-11-29T19:01:57Z", "2026-11-29T19:01:57.951+01:00", "", "x", "2026-1x-29T19:01:57.951Z", "9999-12-31T23:59:59.999Z",
	} {
		want := int64(0)
		if at := parseTime(s); !at.IsZero() {
			want = at.UnixMilli()
		}
		if got := scanTime([]byte(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
