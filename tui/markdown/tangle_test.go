package markdown

import (
	"strings"
	"testing"
)

// What would keep the parser busy for seconds is shown as it is written; what is
// merely long is not.
func TestTangledTextIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		plain bool
	}{
		"links without an end":    {"**bold** " + strings.Repeat("[a](", 20000), true},
		"emphasis without an end": {"**bold** " + strings.Repeat("_a*", 20000), true},
		"over many lines":         {"**bold** " + strings.Repeat("[a](\n", 20000), true},
		"in an item":              {"- **bold** " + strings.Repeat("[a](", 20000), true},
		"quotes of quotes":        {strings.Repeat("> ", 5000) + "**bold**", true},
		"lists of lists":          {strings.Repeat("1. ", 20000) + "**bold**", true},
		"quotes without blanks":   {strings.Repeat(">", 5000) + "**bold**", true},
		"a long list of links":    {strings.Repeat("- [a](https://a.example) and **bold**\n", 3000), false},
		"a large table":           {"| a | b |\n|---|---|\n" + strings.Repeat("| **bold** | _b_ |\n", 2000), false},
		"many paragraphs":         {strings.Repeat("**bold** and _more_\n\n", 3000), false},
		"a shift in code":         {"**bold** a " + strings.Repeat("> b ", 500), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(Options{})
			m.SetText(c.text)
			for _, streaming := range []bool{false, true} {
				m.SetStreaming(streaming)
				got := strings.Join(m.Render(40), "\n")
				if !strings.Contains(got, "bold") || strings.Contains(got, "**") != c.plain {
					t.Errorf("streaming %v: shown as it is written: %v, want %v", streaming, !c.plain, c.plain)
				}
			}
		})
	}
	code := New(Options{})
	code.SetText("```\n" + strings.Repeat("a[i] * b_c\n", 3000) + "```\n")
	if got := strings.Join(code.Render(40), "\n"); strings.Contains(got, "```\na[i]") {
		t.Errorf("code is not laid out as code")
	}
}

// Marks that are open at the end are not closed one by one where none is looked at.
func TestTangledTextIsNotCompleted(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	m.SetStreaming(true)
	m.SetText(strings.Repeat("*_", 20000) + "a")
	if got := strings.Join(m.Render(40), ""); len(got) != 40001 {
		t.Errorf("%d bytes are shown of a text of 40001", len(got))
	}
}
