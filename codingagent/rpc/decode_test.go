package rpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCommand reads any line: it never panics, an accepted command names
// itself, and whatever id it has can be sent back as JSON.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{
		`{"id":"a","type":"prompt","message":"hi","images":[{"type":"image","data":"AA==","mimeType":"image/png"}]}`,
		`{"id":7,"type":"bash","command":"ls","excludeFromContext":true}`, `null`, `[]`, `"x"`, `1`, `{`, `{"type":null}`,
		`{"type":"set_auto_retry","enabled":1}`, `{"id":{"a":[1]},"type":"get_state"}`, "{\"type\":\"a\u2028b\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return
		}
		c, err := parseCommand(line)
		if c.Type == "" {
			t.Errorf("%q has no name", line)
		}
		if err == nil && c.Type == "parse" && !bytes.Contains(line, []byte("parse")) && !bytes.Contains(line, []byte(`\u`)) {
			t.Errorf("%q is accepted under another name", line)
		}
		if len(c.ID) > 0 && !json.Valid(c.ID) {
			t.Errorf("id %q of %q is no JSON", c.ID, line)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("%q is refused without a reason", line)
		}
		if _, err := c.images(); err != nil && !strings.HasPrefix(err.Error(), "image ") {
			t.Errorf("images of %q: %v", line, err)
		}
	})
}

// FuzzLines splits any input: the lines joined are the input, and none holds
// a line feed but at its end.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\u2028c\x85"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("extension_ui_response")) {
			t.Skip("answers overtake other lines")
		}
		var got []byte
		for l := range readLines(t.Context(), bytes.NewReader(in), func(line []byte) { got = append(got, line...) }) {
			if l.err != nil {
				t.Fatal(l.err)
			}
			if i := bytes.IndexByte(l.text, '\n'); i >= 0 && i != len(l.text)-1 {
				t.Errorf("line %q", l.text)
			}
			got = append(got, l.text...)
		}
		if !bytes.Equal(got, in) {
			t.Errorf("got %q of %q", got, in)
		}
	})
}
