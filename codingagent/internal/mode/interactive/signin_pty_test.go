//go:build unix

package interactive_test

import (
	"strings"
	"testing"
)

// An account is connected in the browser; the address can be copied, an answer be
// pasted, and one can go back at any time.
func TestSignInWithAnAccount(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.env = append(c.env, "PI_OAUTH_CLIENT_ID_ANTHROPIC=client-of-a-test", "BROWSER=browser-of-a-test")
		c.program("browser-of-a-test", `echo "$1" > "$HOME/opened"`+"\n")
		c.open(width, 40)
		c.keys("/login anthropic", enter)
		c.wait("── Connect a provider", "→ Anthropic")
		c.keys(enter)
		c.wait("── Anthropic: How")
		c.keys(enter)
		c.wait("── Anthropic: paste", "copies the address", "https:")
		c.resized(width+10, 36, "copies the address")
		c.keys(ctrlX)
		c.until("the address is on the clipboard", func(string) bool {
			return strings.HasPrefix(c.screen.Clipboard(), "https://") && strings.Contains(c.screen.Clipboard(), "client-of-a-test")
		})
		c.wait("Copied the address.")
		c.keys("nonsense#of-another-login", enter)
		c.wait("another login")
		c.wait("copies the address")
		c.keys(escape)
		c.wait("Nothing was changed.")
		c.keys("/login", enter)
		c.wait("── Connect a provider")
		c.keys(escape)
		c.gone("── Connect")
		c.leave()
		if got := c.file("../home/opened"); !strings.HasPrefix(got, "https://") {
			t.Errorf("the browser was given %q", got)
		}
	})
}

func TestLogout(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put(agentFiles+"auth.json", `{"groq":{"type":"api_key","key":"sk-mock-secret"},"xai":{"type":"api_key","key":"sk-mock-secret"}}`)
		c.open(width, 40)
		c.keys("/login", enter)
		c.wait("── Connect a provider", "→ Groq") // what is connected comes first
		c.keys(escape)
		c.gone("── Connect")
		c.keys("/logout", enter)
		c.wait("── Remove", "→ ", "xAI", "Groq")
		c.resized(width+10, 36, "── Remove", "xAI")
		c.keys(escape)
		c.gone("── Remove")
		c.keys("/logout groq", enter)
		c.wait("filter: groq", "→ Groq")
		c.keys(enter)
		c.wait("no longer connected")
		c.keys("/logout", enter)
		c.wait("── Remove", "xAI")
		c.keys(enter)
		c.gone("── Remove")
		c.until("both are gone", func(string) bool { return strings.TrimSpace(c.file(agentFiles+"auth.json")) == "{}" })
		c.keys("/logout", enter)
		c.wait("is stored")
		c.leave()
	})
}
