//go:build unix

package interactive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A settings file that can not be read stays as it is, whatever is changed on the
// screen, and the person is told where it is wrong.
func TestASettingsFileThatIsNotQuiteJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		kept       bool
		says       string
	}{
		{"a comma too many", "{\n\"theme\":\"dark\",\n}", true, "line 3"},
		{"a note", "{\n// mine\n\"theme\":\"dark\"}", true, "line 2"},
		{"cut off", "{\"theme\":\"dark\",\"stays\":", true, "line 1"},
		{"a mark of its encoding", "\ufeff{\"theme\":\"dark\",\"stays\":{\"x\":1}}", false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.put(agentFiles+"settings.json", tc.text)
			c.open(200, 30)
			if tc.says != "" {
				c.until("it is told where the file is wrong", func(s string) bool {
					s = strings.Join(strings.Fields(s), " ") // wherever it was wrapped
					return strings.Contains(s, tc.says) && strings.Contains(s, "the file is left as it is")
				})
			}
			c.keys("/theme light", enter)
			if tc.kept {
				c.wait("Error: ", "settings.json")
			} else {
				c.until("it is written", func(string) bool { return strings.Contains(c.file(agentFiles+"settings.json"), `"light"`) })
			}
			c.leave()
			got := c.file(agentFiles + "settings.json")
			if tc.kept && got != tc.text {
				t.Errorf("the file is now %q", got)
			}
			if !tc.kept && !strings.Contains(strings.Join(strings.Fields(got), ""), `"stays":{"x":1}`) {
				t.Errorf("a key that nobody knows is gone: %s", got)
			}
		})
	}
}

// Links that lead in circles, to themselves or nowhere do not keep files from being
// found, once each.
func TestFilesAmongLoopsOfLinks(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("t/needle.txt", "x")
	c.put("real/needle-too.txt", "x")
	for name, to := range map[string]string{"t/loop": "..", "t/self": "self", "t/broken": "nowhere", "t/d": "../real"} {
		if err := os.Symlink(to, filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c.open(80, 24)
	c.keys("see @needle")
	s := c.wait("t/needle.txt", "needle-too.txt")
	if strings.Contains(s, "loop/") || strings.Count(s, "t/needle.txt") != 1 {
		t.Errorf("a path leads through a loop, or is there twice:\n%s", s)
	}
	c.keys("\t")
	c.wait("see @t/needle.txt")
	c.leave(ctrlC)
}
