package models_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
)

func TestScope(t *testing.T) {
	var available []*ai.Model
	for _, ref := range []string{"one/sonnet-4", "one/sonnet-5", "two/sonnet-5", "two/vendor/deep-1", "two/gpt[5]", "three/gpt-6"} {
		provider, id, _ := strings.Cut(ref, "/")
		available = append(available, &ai.Model{Provider: provider, ID: id})
	}
	catalog := models.Catalog{Providers: []string{"one", "two", "three"}, Configured: func(string) bool { return true }}
	for _, tc := range []struct {
		patterns string
		want     string
		note     string
	}{
		{"one/*", "one/sonnet-4 one/sonnet-5", ""},
		{"two/*", "two/sonnet-5 two/gpt[5]", ""},
		{"two/**", "two/sonnet-5 two/vendor/deep-1 two/gpt[5]", ""},
		{"*sonnet*", "one/sonnet-4 one/sonnet-5 two/sonnet-5", ""},
		{"*SONNET-5:high", "one/sonnet-5:high two/sonnet-5:high", ""},
		{"sonnet-5", "one/sonnet-5 two/sonnet-5", ""},
		{"one/sonnet", "one/sonnet-5", ""},
		{"gpt[5]", "two/gpt[5]", ""},
		{"gpt[5]:low", "two/gpt[5]:low", ""},
		{"gpt-6:bogus", "three/gpt-6", "bogus"},
		{"three/{gpt,sonnet}-?", "three/gpt-6", ""},
		{"three/gpt-6|*", "three/gpt-6 one/sonnet-4 one/sonnet-5 two/sonnet-5 two/gpt[5]", ""},
		{"nothing", "", `no models match "nothing"`},
		{"[", "", `no models match "["`},
		{"", "", `no models match ""`},
	} {
		list, notes := models.Scope(catalog, available, strings.Split(tc.patterns, "|"))
		var got []string
		for _, c := range list {
			ref := c.Model.Ref()
			if c.Thinking != "" {
				ref += ":" + string(c.Thinking)
			}
			got = append(got, ref)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.patterns, diff)
		}
		if joined := strings.Join(notes, "; "); !strings.Contains(joined, tc.note) || (tc.note == "") != (joined == "") {
			t.Errorf("%q: notes %q, want %q", tc.patterns, joined, tc.note)
		}
	}
}
