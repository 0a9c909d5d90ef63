package jsonobj

import "testing"

func TestErrorAt(t *testing.T) {
	d, err := Open("f.json", []byte("{ // comment\n  \"a\": [1, {\"b c\": true}],\n  \"d\": {}\n}"), Relaxed)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		got  *SyntaxError
		want string
	}{
		{d.ErrorAt("no", "a", 1, "b c"), `f.json:2:20: a[1]["b c"]: no`},
		{d.KeyErrorAt("no", "a", 1, "b c"), `f.json:2:13: a[1]["b c"]: no`},
		{d.ErrorAt("no", "a", 0), `f.json:2:9: a[0]: no`},
		{d.ErrorAt("is missing", "d", "e"), `f.json:3:8: d.e: is missing`},
		{d.ErrorAt("is missing", "a", 7, "x"), `f.json:2:8: a[7].x: is missing`},
		{d.ErrorAt("no"), `f.json:1:1: no`},
	} {
		if c.got.Error() != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}
