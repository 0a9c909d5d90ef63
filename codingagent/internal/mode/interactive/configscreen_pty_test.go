//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestConfigScreen switches a resource of the user, one of a package, and one of the
// package for this project.
func TestConfigScreen(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put("../home/.pi/agent/settings.json", `{"theme":"dark","packages":["npm:@s/tools"]}`)
		root := "../home/.pi/agent/npm/node_modules/@s/tools/"
		c.put(root+"package.json", `{"name":"@s/tools","version":"1.0.0"}`)
		c.put(root+"skills/pdf/SKILL.md", "---\ndescription: reads PDF\n---\nX")
		c.put(root+"prompts/hello.md", "hello")
		c.put("../home/.pi/agent/prompts/own.md", "own")
		c.put("../home/.pi/agent/extensions/mine.ts", "")
		c.put(".pi/prompts/theirs.md", "theirs")
		c.start(width, 24, "config", "--approve")
		c.wait("Resources, in your settings", "[x] skills/pdf/", "[x] prompts/own.md")
		c.golden(fmt.Sprintf("config-%d", width))
		c.resized(width+6, 22, "[x] prompts/own.md")
		c.resized(width, 24, "[x] prompts/own.md")
		c.keys("own")
		c.wait("filter: own")
		c.keys(enter)
		c.wait("[ ] prompts/own.md")
		if got := c.file("../home/.pi/agent/settings.json"); !strings.Contains(got, `"-prompts/own.md"`) {
			t.Errorf("settings %s", got)
		}
		c.keys(enter)
		c.wait("[x] prompts/own.md")
		c.keys("\t")
		c.wait("Resources, for this project")
		c.keys("\x7f", "\x7f", "\x7f")
		c.gone("filter:")
		c.wait("[x] prompts/th", "[x] skills/pdf/")
		c.golden(fmt.Sprintf("config-project-%d", width))
		c.keys("pdf", enter)
		c.wait("[ ] skills/pdf/")
		if got := c.file(".pi/settings.json"); !strings.Contains(got, `"-skills/pdf/SKILL.md"`) || !strings.Contains(got, `"autoload"`) {
			t.Errorf("settings %s", got)
		}
		c.keys(escape)
		c.finish(0)
	})
}
