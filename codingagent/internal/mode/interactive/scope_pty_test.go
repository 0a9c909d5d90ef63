//go:build unix

package interactive_test

import (
	"strings"
	"testing"
)

const (
	up    = "\x1b[A"
	down  = "\x1b[B"
	ctrlA = "\x01"
	ctrlB = "\x02"
	ctrlL = "\x0c"
	ctrlN = "\x0e"
	ctrlP = "\x10"
	ctrlR = "\x12"
	ctrlS = "\x13"
	ctrlU = "\x15"
	ctrlX = "\x18"
	altX  = "\x1bx"
	altDn = "\x1b[1;3B"
)

const agentFiles = "../home/.pi/agent/"

func TestModelsToCycleThrough(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.thinker()
		c.put(agentFiles+"settings.json", `{"theme":"dark","enabledModels":["gone/*","mock/t:low","o"]}`)
		c.start(width, 40, "--model", "mock/n")
		c.wait("of 128k")
		c.keys(ctrlP) // not one of them: the first
		c.wait("mock/t:low", "low")
		c.keys(ctrlP)
		c.wait("The model is mock/o.")
		c.keys("/scoped-models", enter)
		c.wait("[x] mock/t:low", "[x] mock/o", "[ ] mock/n")
		c.keys("mock/n")
		c.wait("filter: mock/n")
		c.keys(enter)
		c.wait("[x] mock/n")
		for range "mock/n" {
			c.keys("\x7f")
		}
		c.gone("filter:")
		c.keys(altUp)
		c.until("mock/n is before mock/o", func(s string) bool {
			return strings.Index(s, "[x] mock/n") < strings.Index(s, "[x] mock/o")
		})
		c.resized(width+5, 30, "── Models to cycle")
		c.keys(ctrlS)
		c.wait("Kept: mock/t:low, mock/n")
		c.until("the settings are written", func(string) bool {
			return strings.Contains(strings.Join(strings.Fields(c.file(agentFiles+"settings.json")), ""), `"enabledModels":["mock/t:low","mock/n","mock/o","gone/*"]`)
		})
		c.keys("/scoped-models", enter)
		c.wait("[x] mock/n")
		c.keys(ctrlX)
		c.gone("[x]")
		c.keys(ctrlP)
		c.gone("[ ]")
		c.keys(ctrlP)
		c.gone("[x]")
		c.keys(ctrlA)
		c.gone("[ ]")
		c.keys(ctrlX)
		c.gone("[x]")
		c.keys(ctrlS)
		c.wait("all models are cycled")
		c.until("the setting is gone", func(string) bool { return !strings.Contains(c.file(agentFiles+"settings.json"), "enabledModels") })
		c.leave()
	})
}

// The default of the list of models goes into the models to cycle through.
func TestADefaultModelIsCycledThrough(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.thinker()
	c.put(agentFiles+"settings.json", `{"theme":"dark","enabledModels":["mock/t"]}`)
	c.start(80, 30, "--model", "mock/t")
	c.wait("of 100k")
	c.keys(ctrlP)
	c.wait("only one model")
	c.keys(ctrlL)
	c.wait("→ mock/t")
	c.keys("mock/o", ctrlS)
	c.wait("Kept as the default.")
	c.until("both are settings", func(string) bool {
		s := strings.Join(strings.Fields(c.file(agentFiles+"settings.json")), "")
		return strings.Contains(s, `"enabledModels":["mock/t","mock/o"]`) && strings.Contains(s, `"defaultModel":"o"`)
	})
	c.keys(ctrlP)
	c.wait("The model is mock/t")
	c.leave()
}

func TestPalette(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put(agentFiles+"prompts/greet.md", "---\ndescription: says good day\n---\nSay good day to $1.\n")
		c.open(width, 30)
		c.keys(altX)
		c.wait("── Commands", "→ /model")
		c.keys("hotk")
		c.wait("→ /hotkeys")
		c.resized(width+9, 24, "→ /hotkeys")
		c.keys(enter)
		c.wait("alt+x f1")
		c.keys(altX, "impor")
		c.wait("→ /import")
		c.keys(enter)
		c.wait("\n/import")
		c.keys(ctrlC, altX, "unfold")
		c.wait("→ unfold or fold")
		c.keys(enter)
		c.gone("── Commands")
		c.keys(altX, "greet")
		c.wait("→ /greet")
		c.keys(enter)
		c.wait("\n/greet")
		c.keys(ctrlC, altX)
		c.wait("── Commands")
		c.keys(escape)
		c.gone("── Commands")
		c.leave()
	})
}
