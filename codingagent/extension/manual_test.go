package extension

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/manual"
)

// The manual names every event and every function that registers something.
func TestManual(t *testing.T) {
	page, _ := manual.Find("extensions")
	_, table, _ := strings.Cut(page.Text, "| about | events |")
	table, _, _ = strings.Cut(table, "\n## ")
	var named []string
	for _, m := range regexp.MustCompile("`([A-Z][A-Za-z]+)`").FindAllStringSubmatch(table, -1) {
		named = append(named, m[1])
	}
	var known []string
	for f := range reflect.TypeFor[Events]().Fields() {
		if f.IsExported() {
			known = append(known, f.Name)
		}
	}
	for _, k := range known {
		if !slices.Contains(named, k) {
			t.Errorf("the manual lacks the event %s", k)
		}
	}
	for _, n := range named {
		if !slices.Contains(known, n) {
			t.Errorf("the manual has the event %s, which is none", n)
		}
	}
	api := reflect.TypeFor[*API]()
	for _, m := range regexp.MustCompile("`(Register[A-Za-z]+|Flag)`").FindAllStringSubmatch(page.Text, -1) {
		if _, ok := api.MethodByName(m[1]); !ok {
			t.Errorf("the manual has %s, which the API lacks", m[1])
		}
	}
}
