package jsonobj

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		syntax   Syntax
		want     string // behind "f.json:"
	}{
		{"trailing comma", "{\"theme\":\"dark\",\n \"m\":\"m1\",}", Strict, "2:11: expected a key in double quotes after the comma, found }; remove the comma"},
		{"trailing comma in an array", "[1,\n]", Strict, "2:1: expected a value after the comma, found ]; remove the comma"},
		{"comment", "{\n  // note\n}", Strict, "2:3: expected a key in double quotes or }, found a comment, which is not allowed in this file"},
		{"cut in an object", "{\"a\": 1,\n \"b\"", Strict, `2:5: expected a colon after the key "b", found the end of the file`},
		{"cut behind a colon", `{"a":`, Strict, `1:6: expected a value for the key "a", found the end of the file`},
		{"cut in a string", `{"a":"bc`, Strict, `1:6: expected " at the end of the string that begins here, found the end of the file`},
		{"cut in an escape", `{"a":"b\`, Strict, `1:6: expected " at the end of the string that begins here, found the end of the file`},
		{"line break in a string", "{\"a\":\"b\nc\"}", Strict, `1:8: expected " at the end of the string, found the end of the line; a line break in a string is written \n`},
		{"bad \\u", `{"a":"\u00g0"}`, Strict, `1:7: expected four hexadecimal digits after \u`},
		{"columns count characters", `{"日本": "é" x}`, Strict, `1:12: expected a comma or } after the value, found "x"`},
		{"the byte order mark has no column", "\uFEFF{x}", Strict, `1:2: expected a key in double quotes or }, found "x"`},
		{"CRLF counts once", "{\r\n\r\n x}", Strict, `3:2: expected a key in double quotes or }, found "x"`},
		{"no comma", "{\"a\":1\n\"b\":2}", Strict, `2:1: expected a comma or } after the value, found "b"`},
		{"no colon", `{"a" 1}`, Strict, `1:6: expected a colon after the key "a", found "1"`},
		{"single quotes", `{'a':1}`, Strict, `1:2: expected a key in double quotes or }, found a single quote; strings are written in double quotes`},
		{"other language's literal", `{"a":True}`, Strict, `1:6: expected a value for the key "a", found "True"`},
		{"literal with a tail", `{"a":nullable}`, Strict, `1:6: expected a value for the key "a", found "nullable"`},
		{"number with a leading zero", `[01]`, Strict, `1:2: expected a number, found "01"`},
		{"number that stops", `[1.]`, Strict, `1:2: expected a number, found "1."`},
		{"plus", `[+1]`, Strict, `1:2: expected a value or ], found "+1"`},
		{"two commas", `[1,,2]`, Relaxed, `1:4: expected a value, found ,`},
		{"comma alone", `[,]`, Relaxed, `1:2: expected a value or ], found ,`},
		{"comma alone in an object", `{,}`, Relaxed, `1:2: expected a key in double quotes or }, found ,`},
		{"open comment", "{\n /* x", Relaxed, `2:2: expected */ at the end of the comment that begins here`},
		{"slash", `{/}`, Relaxed, `1:2: expected a key in double quotes or }, found "/"`},
		{"wrong bracket", `{"a":[1}`, Relaxed, `1:8: expected a comma or ] after the value, found }`},
		{"two values", `{} // x` + "\n{}", Relaxed, `2:1: expected the end of the file, found {`},
		{"not text", "{\"a\":\xff}", Strict, `1:6: expected a value for the key "a", found the byte 0xff`},
		{"long string in the wrong place", `{"a":1 "` + strings.Repeat("x", 100) + `"}`, Strict, `1:8: expected a comma or } after the value, found a string`},
		{"too deep", strings.Repeat("[", maxDepth+1), Strict, `1:10001: nested deeper than 10000 levels`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse("f.json", []byte(c.in), c.syntax)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != "f.json:"+c.want {
				t.Errorf("%.80q\n got %v\nwant f.json:%s", c.in, err, c.want)
			}
		})
	}
}

var syntaxSeeds = []string{
	`{}`, `[]`, ` {"a":[1,-2.5e+3,"x\n",true,false,null]} `, `{"a":1,}`, `[1,/* c */]`, "// x\n{\"a\"://y\n1}", "\uFEFF{}", `{"a":"\u12"}`, `01`, `1.`, `-`, `nul`, `{"a" 1}`, "\"\x01\"", `[1,]//`, `{"/*":"*/"}`, "1//\r\n", "/*\r\n\n*/[1,\n]",
}

// What the parser takes is what encoding/json takes, no more and no less.
func FuzzStrictSyntax(f *testing.F) {
	for _, s := range syntaxSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		_, err := parse("", in, Strict)
		if valid := json.Valid(bytes.TrimPrefix(in, byteOrderMark)); valid != (err == nil) {
			t.Errorf("%q: %v, valid for encoding/json: %v", in, err, valid)
		}
	})
}

func FuzzRelaxedSyntax(f *testing.F) {
	for _, s := range syntaxSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		tree, err := parse("", in, Relaxed)
		if err != nil {
			if json.Valid(in) {
				t.Errorf("%q: %v", in, err)
			}
			return
		}
		strict := tree.strict()
		if !json.Valid(strict) || len(strict) != len(in) || bytes.Count(strict, []byte{'\n'}) != bytes.Count(in, []byte{'\n'}) {
			t.Errorf("%q became %q", in, strict)
		}
	})
}

func TestRelaxLeavesBlankTextAlone(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", " \n": " \n", "\uFEFF\n": "   \n"} {
		if got, err := Relax([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", in, got, err)
		}
	}
}
