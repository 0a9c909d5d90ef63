package cli

import (
	"context"
	"embed"
	"fmt"
	"io"
	"strings"
)

// The scripts know nothing of the command line: they ask pi what may follow, and
// hand the answer to their shell.
//
//go:embed completion
var completionScripts embed.FS

// shells are those that completion has a script for.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// runCompletion is pi completion: it prints a script; for the scripts themselves,
// it answers what may follow. "next" is "complete" with an empty word behind the
// others, for shells that can not hand over an empty one.
func (p *program) runCompletion(ctx context.Context, words []string) error {
	if len(words) > 0 {
		switch words[0] {
		case "next":
			words = append(words, "")
			fallthrough
		case "complete":
			return writeCandidates(p.sys.Out, newCompleter(ctx, p.sys).complete(words[1:]))
		}
	}
	shell, err := oneOf("completion", words, shells())
	if err != nil {
		return err
	}
	if len(words) > 1 {
		return fmt.Errorf("pi completion: unexpected argument %q", words[1])
	}
	script, err := completionScripts.ReadFile("completion/pi." + shell)
	if err != nil {
		return err
	}
	_, err = p.sys.Out.Write(script)
	return err
}

// candidate is a word that may follow, with a few words about it.
type candidate struct{ word, about string }

// candidates are what may follow.
type candidates struct {
	list []candidate
	// files says that names of files may follow as well, which shells know best.
	files bool
	// open says that more is to come behind each word.
	open bool
}

// writeCandidates writes one line for each word, a tab before what is said about
// it. Lines that begin with a colon tell the script more.
func writeCandidates(w io.Writer, c candidates) error {
	var b strings.Builder
	for _, k := range c.list {
		b.WriteString(oneWord(k.word))
		if about := strings.Join(strings.Fields(k.about), " "); about != "" {
			b.WriteString("\t" + about)
		}
		b.WriteByte('\n')
	}
	if c.open {
		b.WriteString(":open\n")
	}
	if c.files {
		b.WriteString(":files\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneWord keeps a candidate from being more than one line.
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return -1
		}
		return r
	}, s)
}
