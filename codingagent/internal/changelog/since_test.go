package changelog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSince(t *testing.T) {
	t.Parallel()
	list := parse("## [Unreleased]\n\n- Later.\n\n## [0.10.0] - 2026-03-01\n\n- Ten,\n  in two lines.\n- More.\n\n## [0.2.0] - 2026-02-01\n\n- Two.\n\n## [0.1.0] - 2026-01-01\n\n- One.\n")
	for _, c := range []struct {
		last, now string
		want      []string
	}{
		{"0.1.0", "0.10.0", []string{"0.10.0 - 2026-03-01", "0.2.0 - 2026-02-01"}},
		{"0.1.0", "0.2.0", []string{"0.2.0 - 2026-02-01"}},
		{"0.10.0", "0.10.0", nil},
		{"1.6.0", "0.10.0", nil}, // another program keeps its number in the same place
		{"", "0.10.0", nil},      // the first start
		{"0.1.0", "devel", nil},
	} {
		var got []string
		for _, s := range Since(list, c.last, c.now) {
			got = append(got, s.Title)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("from %q to %q (-want +got):\n%s", c.last, c.now, diff)
		}
	}
	if diff := cmp.Diff([]string{"Ten, in two lines.", "More."}, list[1].Items()); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		version, than string
		want          bool
	}{{"0.2.0", "0.1.9", true}, {"0.2.0", "", true}, {"0.2.0", "0.2.0", false}, {"0.2.0", "1.6.0", false}, {"devel", "0.1.0", false}} {
		if got := Newer(c.version, c.than); got != c.want {
			t.Errorf("%q newer than %q: %v", c.version, c.than, got)
		}
	}
}
