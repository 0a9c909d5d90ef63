package npm

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVersionOrder(t *testing.T) {
	// The order of the specification, and what npm tolerates.
	list := strings.Fields("0.0.1 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.2.0 1.10.0 2.0.0")
	for i, a := range list {
		va, ok := ParseVersion(a)
		if !ok || va.String() != a {
			t.Fatalf("ParseVersion(%q) = %v, %v", a, va, ok)
		}
		for j, b := range list {
			vb, _ := ParseVersion(b)
			if got := va.Compare(vb); got != compareInt(i, j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
	for _, bad := range []string{"", "1", "1.2", "1.2.x", "latest", "1.2.3.4", "1.2.3-", "1.2.3-a..b", "1.2.-3", "99999999999999999999.0.0", "1.2.3+"} {
		if v, ok := ParseVersion(bad); ok {
			t.Errorf("%q is %v", bad, v)
		}
	}
	if v, ok := ParseVersion(" v1.2.3+build.5"); !ok || v.String() != "1.2.3" {
		t.Errorf("got %v, %v", v, ok)
	}
}

func compareInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestRange(t *testing.T) {
	cases := []struct{ r, in, out string }{
		{"", "0.0.0 1.2.3", "1.2.3-a"},
		{"*", "0.0.0 1.2.3", "1.2.3-a"},
		{"1.2.3", "1.2.3 1.2.3+b", "1.2.4 1.2.3-a"},
		{"=1.2.3", "1.2.3", "1.2.2"},
		{"1", "1.0.0 1.9.9", "0.9.9 2.0.0 2.0.0-a"},
		{"1.2", "1.2.0 1.2.9", "1.3.0 1.1.9"},
		{"1.x", "1.0.0 1.9.9", "2.0.0"},
		{"1.x.3", "1.0.0 1.9.9", "2.0.0"},
		{"1.2.*", "1.2.0", "1.3.0"},
		{"^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 2.0.0-0 1.3.0-beta"},
		{"^1.2.3-beta.2", "1.2.3-beta.2 1.2.3-beta.4 1.2.3 1.4.0", "1.2.3-beta.1 1.2.4-beta.4"},
		{"^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2"},
		{"^0.0.3", "0.0.3", "0.0.4 0.0.2"},
		{"^0.0", "0.0.0 0.0.9", "0.1.0"},
		{"^0", "0.0.0 0.9.0", "1.0.0"},
		{"^1", "1.0.0 1.9.0", "2.0.0"},
		{"^1.x", "1.0.0 1.9.0", "2.0.0"},
		{"~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"},
		{"~1", "1.0.0 1.9.0", "2.0.0"},
		{"~> 1.2", "1.2.0 1.2.9", "1.3.0"},
		{"~0.0.1", "0.0.1 0.0.9", "0.1.0"},
		{">1", "2.0.0", "1.9.9 2.0.0-a"},
		{">1.2", "1.3.0", "1.2.9"},
		{">=1", "1.0.0", "0.9.9"},
		{"<1", "0.9.9", "1.0.0 1.0.0-a"},
		{"<=1", "1.9.9", "2.0.0"},
		{"<=1.2", "1.2.9", "1.3.0"},
		{">= 1.2.3 < 2", "1.2.3 1.9.9", "1.2.2 2.0.0"},
		{">1.2.3-a <1.2.5", "1.2.3-b 1.2.4", "1.2.4-b"},
		{"1.2.3 - 2.3.4", "1.2.3 2.3.4", "1.2.2 2.3.5"},
		{"1.2 - 2", "1.2.0 2.9.9", "1.1.9 3.0.0"},
		{"* - 2", "0.0.1 2.1.0", "3.0.0"},
		{"<0.5 || ^2 || 4.0.0", "0.4.9 2.5.0 4.0.0", "0.5.0 3.0.0 4.0.1"},
		{"|| 1", "9.9.9", ""},
		{">*", "", "0.0.0 1.0.0"},
		{">=*", "0.0.0", ""},
		{"v1.2.3", "1.2.3", "1.2.4"},
		{">=v1.2.3", "1.2.4", "1.2.2"},
	}
	for _, c := range cases {
		r, ok := ParseRange(c.r)
		if !ok {
			t.Errorf("%q is no range", c.r)
			continue
		}
		for i, list := range []string{c.in, c.out} {
			for _, s := range strings.Fields(list) {
				v, ok := ParseVersion(s)
				if !ok {
					t.Fatalf("%q is no version", s)
				}
				if r.Contains(v) != (i == 0) {
					t.Errorf("%q holds %s: %v", c.r, s, i != 0)
				}
			}
		}
	}
	for _, bad := range []string{"latest", "next-1", "^", ">=x.y", "1.2.3.4", "git+ssh://x", "1 - b", "^^1", "1.2.3 || latest"} {
		if _, ok := ParseRange(bad); ok && bad != "^" && bad != ">=x.y" {
			t.Errorf("%q is taken for a range", bad)
		}
	}
}

// A caret range holds what does not change the first number that is not zero.
func TestCaretProperty(t *testing.T) {
	small := rapid.Uint64Range(0, 3)
	rapid.Check(t, func(t *rapid.T) {
		a := Version{small.Draw(t, "a"), small.Draw(t, "b"), small.Draw(t, "c"), nil}
		b := Version{small.Draw(t, "d"), small.Draw(t, "e"), small.Draw(t, "f"), nil}
		r, ok := ParseRange("^" + a.String())
		if !ok {
			t.Fatal("no range")
		}
		first := slices.IndexFunc([]uint64{a.Major, a.Minor, a.Patch}, func(n uint64) bool { return n != 0 })
		if first < 0 {
			first = 2
		}
		av, bv := []uint64{a.Major, a.Minor, a.Patch}, []uint64{b.Major, b.Minor, b.Patch}
		want := slices.Equal(av[:first+1], bv[:first+1]) && slices.Compare(bv, av) >= 0
		if r.Contains(b) != want {
			t.Fatalf("^%s holds %s: %v", a, b, !want)
		}
	})
}

func FuzzRange(f *testing.F) {
	for _, s := range []string{"^1.2.3-a.1 || ~2", "1 - 2", ">= 1 <2", "*", "latest", "1.2.3+b"} {
		f.Add(s, "1.2.3")
	}
	f.Fuzz(func(t *testing.T, s, version string) {
		r, ok := ParseRange(s)
		v, isVersion := ParseVersion(version)
		if ok && isVersion {
			r.Contains(v)
		}
		if isVersion {
			if again, ok := ParseVersion(v.String()); !ok || again.Compare(v) != 0 {
				t.Errorf("%q is %v, and that is %v", version, v, again)
			}
		}
	})
}

func TestSpec(t *testing.T) {
	for in, want := range map[string]Spec{
		"foo": {"foo", ""}, "foo@1.2.3": {"foo", "1.2.3"}, "@s/foo": {"@s/foo", ""}, "@s/foo@^1": {"@s/foo", "^1"}, "foo@next": {"foo", "next"}, "Foo.js@>=1 <2": {"Foo.js", ">=1 <2"},
	} {
		got, err := ParseSpec(in)
		if err != nil || got != want || got.String() != in {
			t.Errorf("ParseSpec(%q) = %+v, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "@", "@s", "@s/", "@/x", "..", "../x", "a/b", "foo@", "@s/../x", "a b", ".hidden", "foo@git+https://x/y", "node_modules", "@s/x/y", "foo\x00", `a\b`, strings.Repeat("a", 300)} {
		if s, err := ParseSpec(bad); err == nil {
			t.Errorf("ParseSpec(%q) = %+v", bad, s)
		}
	}
}
