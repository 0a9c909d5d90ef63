//go:build unix

package interactive_test

import (
	"strings"
	"testing"
)

// TestConfigScreen switches a resource of the user, one of a package, and one of the
// package for this project.
func TestConfigScreen(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../home/.pi/agent/settings.json", `{"theme":"dark","packages":["npm:@s/tools"]}`)
	root := "../home/.pi/agent/npm/node_modules/@s/tools/"
	c.put(root+"package.json", `{"name":"@s/tools","version":"1.0.0"}`)
	c.put(root+"skills/pdf/SKILL.md", "---\ndescription: reads PDF\n---\nX")
	c.put(root+"prompts/hello.md", "hello")
	c.put("../home/.pi/agent/prompts/own.md", "own")
	c.put("../home/.pi/agent/extensions/mine.ts", "")
	c.put(".pi/prompts/theirs.md", "theirs")
	c.start(80, 24, "config", "--approve")
	c.wait("Resources, in your settings", "[x] skills/pdf/SKILL.md", "[x] prompts/own.md")
	c.golden("config-80")
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
	c.wait("in the settings of this project")
	c.keys("\x7f", "\x7f", "\x7f")
	c.gone("filter:")
	c.wait("[x] prompts/theirs.md", "[x] skills/pdf/SKILL.md")
	c.golden("config-project-80")
	c.keys("pdf", enter)
	c.wait("[ ] skills/pdf/SKILL.md")
	if got := c.file(".pi/settings.json"); !strings.Contains(got, `"-skills/pdf/SKILL.md"`) || !strings.Contains(got, `"autoload"`) {
		t.Errorf("settings %s", got)
	}
	c.keys(escape)
	c.finish(0)
}
