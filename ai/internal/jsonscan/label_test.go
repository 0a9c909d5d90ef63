package jsonscan

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestLabel(t *testing.T) {
	var l Label
	for _, data := range []string{`"a"`, `"a"`, `"\u0061"`, `"\\u0061"`, `"b\\u0061"`, `"b\\u0061"`, `""`, `"é"`, `null`, `"\ud83e"`} {
		want := string(l)
		if err := json.Unmarshal([]byte(data), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(data), &l); err != nil || string(l) != want {
			t.Errorf("%s gave %q, want %q (%v)", data, l, want, err)
		}
	}
	if err := json.Unmarshal([]byte(`1`), &l); err == nil {
		t.Error("a number is no label")
	}
	l = "msg_1"
	data := []byte(`"msg_1"`)
	if n := testing.AllocsPerRun(100, func() {
		if err := l.UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations for the same label", n)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{`"a"`, `"\n"`, `"\ud83e"`, `""`, `1`, `"\x"`, `"` + "\xff" + `"`, `null`, `"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || len(bytes.TrimSpace(data)) != len(data) {
			return // encoding/json hands over no white space around a value
		}
		text, ok := Text(data)
		var want string
		wantOK := json.Unmarshal(data, &want) == nil && data[0] == '"'
		if ok != wantOK || text != want {
			t.Errorf("%q gave %q %v, want %q %v", data, text, ok, want, wantOK)
		}
	})
}
