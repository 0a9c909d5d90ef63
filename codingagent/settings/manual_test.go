package settings

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/manual"
)

// The manual has every key, no other, and its defaults are those of the program.
func TestManual(t *testing.T) {
	page, ok := manual.Find("settings")
	if !ok {
		t.Fatal("there is no page of settings")
	}
	var described []string
	for line := range strings.Lines(page.Text) {
		if names, ok := strings.CutPrefix(line, "Written by programs: "); ok {
			for _, n := range strings.Split(names, ",") {
				described = append(described, strings.Trim(n, " `.\n"))
			}
		}
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		key := strings.Trim(cells[1], " `")
		described = append(described, key)
		// The key with its default is as good as no key.
		value := strings.Trim(strings.TrimSpace(cells[3]), "`")
		if value == "" {
			continue
		}
		if !json.Valid([]byte(value)) {
			t.Errorf("%s: the default %s is not JSON", key, value)
			continue
		}
		doc := value
		for _, part := range slices.Backward(strings.Split(key, ".")) {
			doc = `{"` + part + `":` + doc + `}`
		}
		files := execenv.NewMemoryFS()
		if err := files.WriteFile(t.Context(), "/s", []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		l := LoadAll(t.Context(), files, Source{User, "/s"})
		if want := Defaults(); !reflect.DeepEqual(normal(l.Settings), normal(want)) || len(l.Notes) > 0 {
			t.Errorf("%s is not the default: %v", doc, l.Notes)
		}
	}
	known := knownKeys()
	slices.Sort(described)
	for _, k := range known {
		if !slices.Contains(described, k) {
			t.Errorf("the manual lacks %s", k)
		}
	}
	for i, k := range described {
		if !slices.Contains(known, k) {
			t.Errorf("the manual has %s, which is no setting", k)
		}
		if i > 0 && described[i-1] == k {
			t.Errorf("the manual has %s twice", k)
		}
	}
}

// normal makes two settings comparable that say the same, whether or not it was
// said.
func normal(s Settings) Settings {
	s.ThinkingChosen = false
	if len(s.DefaultTools) == 0 {
		s.DefaultTools = nil
	}
	return s
}
