//go:build unix

package interactive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/changelog"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// What is new is shown once after an update, in few lines.
func TestNewsAfterAnUpdate(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 9 {
		fmt.Fprintf(&body, "- Change %d of `pi`,\n  which takes two lines.\n", i+1)
	}
	sections := []changelog.Section{{Title: "Unreleased", Body: "- Not yet."}, {Title: "0.3.0 - 2026-03-01", Body: body.String()}, {Title: "0.2.0 - 2026-02-01", Body: "- Old."}}
	for _, tc := range []struct {
		name, last, version string
		short, quiet        bool
		want                string // in the first lines
		kept                string
	}{
		{"an update", "0.2.0", "0.3.0", false, false, "• Change 5 of pi, which takes two lines. … 4 more", "0.3.0"},
		{"in one line", "0.2.0", "0.3.0", true, false, "New in 0.3.0 · /changelog tells everything", "0.3.0"},
		{"quietly", "0.2.0", "0.3.0", false, true, "", "0.3.0"},
		{"the same version", "0.3.0", "0.3.0", false, false, "", ""},
		{"the first start", "", "0.3.0", false, false, "", "0.3.0"},
		{"a number of another program", "1.6.0", "0.3.0", false, false, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := sitAs(t, 80, 24, func(c *interactive.Config, _ *codingagent.Options) {
				c.Changes, c.Version = sections, tc.version
				c.Settings.LastChangelogVersion, c.Settings.CollapseChangelog, c.Settings.Terminal.QuietStartup = tc.last, tc.short, tc.quiet
			})
			s := d.wait("faux")
			if tc.want != "" {
				s = d.wait(tc.want)
			}
			if got := strings.Contains(s, "New in"); got != (tc.want != "") || strings.Contains(s, "Not yet") || strings.Contains(s, "Old.") || tc.short && strings.Contains(s, "Change 1") {
				t.Errorf("the screen shows\n%s", s)
			}
			file := filepath.Join(d.home, "agent", "settings.json")
			if tc.kept != "" {
				d.keys("x") // looks again
				d.until("it is kept", func(string) bool {
					data, err := os.ReadFile(file)
					if err != nil || !strings.Contains(string(data), fmt.Sprintf("%q", tc.kept)) {
						d.keys(".")
						return false
					}
					return true
				})
			} else if data, err := os.ReadFile(file); err == nil {
				t.Errorf("the settings are %s", data)
			}
		})
	}
}
