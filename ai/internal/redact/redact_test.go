package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// Characters of all kinds that keys have, and those that encodings change.
const key = `sK-9+a/Z"\<&=%7~Qx_3e'0L`

// encodings are the ways in which a server may quote a request.
func encodings() map[string]func(string) string {
	inJSON := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			return err.Error()
		}
		return string(b[1 : len(b)-1])
	}
	every := func(format string) func(string) string {
		return func(s string) string {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, format, s[i])
			}
			return b.String()
		}
	}
	goQuoted := func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }
	return map[string]func(string) string{
		"as it is":            func(s string) string { return s },
		"JSON":                inJSON,
		"JSON with slashes":   func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
		"JSON in JSON":        func(s string) string { return inJSON(inJSON(s)) },
		"JSON thrice":         func(s string) string { return inJSON(inJSON(inJSON(s))) },
		"JSON, all escaped":   every(`\u%04X`),
		"Go":                  goQuoted,
		"Go, all escaped":     every(`\x%02x`),
		"URL query":           url.QueryEscape,
		"URL path":            url.PathEscape,
		"URL, all escaped":    every(`%%%02x`),
		"URL twice":           func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"HTML":                html.EscapeString,
		"HTML, all escaped":   every(`&#%d;`),
		"HTML, hexadecimal":   every(`&#x%x;`),
		"URL in HTML in JSON": func(s string) string { return inJSON(html.EscapeString(url.QueryEscape(s))) },
		"base64":              func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64 for URLs":     func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"base64 in JSON": func(s string) string {
			return strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`)
		},
		"user and password":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("me:" + s)) },
		"base64, further in": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("Bearer: " + s + " and more")) },
		"hexadecimal":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	}
}

// open gives whatever can be read out of a text by taking off encodings.
func open(s string) []string {
	all := []string{s}
	for range 4 {
		next := s
		for _, decode := range []func(string) string{
			html.UnescapeString,
			func(s string) string {
				if t, err := url.QueryUnescape(s); err == nil {
					return t
				}
				return s
			},
			func(s string) string {
				if t, err := strconv.Unquote(`"` + s + `"`); err == nil {
					return t
				}
				var t string
				if json.Unmarshal([]byte(`"`+s+`"`), &t) == nil {
					return t
				}
				return s
			},
		} {
			next = decode(next)
			all = append(all, next)
		}
		s = next
	}
	for _, word := range strings.FieldsFunc(strings.Join(all, " "), func(r rune) bool { return !strings.ContainsRune(alphabet, r) }) {
		all = append(all, append(unbase64(word), unhex(word)...)...)
	}
	return all
}

// However a secret is quoted and wherever the quote is cut, no more than five
// characters of its beginning are left.
func TestNoBeginningIsLeft(t *testing.T) {
	t.Parallel()
	var r Redactor
	r.Add(key)
	for name, encode := range encodings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := encode(key)
			if !strings.Contains(r.Text(whole), Hidden) {
				t.Errorf("%q became %q", whole, r.Text(whole))
			}
			for at := range len(whole) + 1 {
				for _, text := range []string{whole[:at], "you sent " + whole[:at] + "… (12 more)", `{"key":"` + whole[:at] + `***"}`, "<b>" + whole[:at] + "</b> " + whole[:at]} {
					got := r.Text(text)
					for _, seen := range open(got) {
						if strings.Contains(seen, key[:leastHidden]) {
							t.Fatalf("%q became %q, where one can read %q", text, got, seen)
						}
					}
				}
			}
		})
	}
}

func TestOtherTextStays(t *testing.T) {
	t.Parallel()
	var r Redactor
	r.Public("openrouter", "gpt-5.2-codex")
	r.Add("openrouter-key-77")
	r.Add("sk-ant-api03-xyz")
	r.AddWhole("/home/me/token.json")
	r.Add("short")
	for in, want := range map[string]string{
		"": "",
		"No such model at openrouter: %zz \\u12 &nosuch; 100% of /home/me/other.json": "No such model at openrouter: %zz \\u12 &nosuch; 100% of /home/me/other.json",
		"openrouter-key-77":               Hidden,
		"openrouter-key at openrouter.ai": Hidden + " at openrouter.ai",
		"read /home/me/token.json: short": "read " + Hidden + ": short",
		"sk-ant-":                         Hidden,
		"assertion=eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.c2ln is bad": "assertion=" + Hidden + " is bad",
		"eyJhbGciOiJub25lIn0 alone":                                  "eyJhbGciOiJub25lIn0 alone",
		"a sk-ant-api03-xyzsk-ant-api03 b":                           "a " + Hidden + " b",
		"é sk-ant-api03-xyz é":                                       "é " + Hidden + " é",
		"a%20b \\\"quoted\\\" sk-an":                                 "a%20b \\\"quoted\\\" sk-an",
		"a%20b \\\"quoted\\\" sk-ant-a":                              "a%20b \\\"quoted\\\" " + Hidden,
		"openrouter%2dkey%2d77 &amp; so on":                          Hidden + " &amp; so on",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := (*Redactor)(nil).Text("x"); got != "x" {
		t.Error(got)
	}
}

func FuzzText(f *testing.F) {
	f.Add(`a\u0073K-9+a/Z%22`, 3)
	f.Add(`&#115;K-9&#43;a/Z`, 0)
	f.Fuzz(func(t *testing.T, text string, at int) {
		var r Redactor
		r.Add(key)
		once := r.Text(text)
		if strings.Contains(once, key[:leastHidden]) {
			t.Fatalf("%q became %q", text, once)
		}
		if at = max(0, min(at, len(text))); !strings.Contains(r.Text(text[:at]+key+text[at:]), Hidden) {
			t.Fatalf("%q with the secret at %d", text, at)
		}
	})
}
