//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shell runs a script in a real shell that has loaded the completion of pi; the
// program is in the path as pi. It is skipped where there is no such shell.
func (s *sandbox) shell(t *testing.T, name string, args []string, script string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here", name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.put("../bin/pi", "#!/bin/sh\n"+asPi+"=1 exec '"+self+"' \"$@\"\n")
	bin := filepath.Join(filepath.Dir(s.dir), "bin")
	if err := os.Chmod(filepath.Join(bin, "pi"), 0o755); err != nil {
		t.Fatal(err)
	}
	load := s.run("completion", name)
	if load.code != 0 || load.err != "" {
		t.Fatalf("exit %d: %s", load.code, load.err)
	}
	s.put("load", load.out)
	cmd := exec.CommandContext(t.Context(), path, append(args, script)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=dumb", "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// shellCases are lines that are completed at their end, with what may follow. A
// shell that takes = and : for words of their own inserts behind them.
type shellCase struct{ line, want, behind string }

func shellCases() []shellCase {
	return []shellCase{
		{"pi comp", "completion", "completion"},
		{"pi --no-s", "--no-session --no-skills", "--no-session --no-skills"},
		{"pi --thinking h", "high", "high"},
		{"pi --thinking=h", "--thinking=high", "high"},
		{
			"pi --thinking=", "--thinking=off --thinking=minimal --thinking=low --thinking=medium --thinking=high --thinking=xhigh --thinking=max",
			"off minimal low medium high xhigh max",
		},
		{"pi --model mock/m:h", "mock/m:high", "high"},
		{"pi sessions sh", "show", "show"},
		{"pi -p @no", "@notes.md", "@notes.md"},
		{"pi --skill no", "notes.md", "notes.md"},
		{"pi -t read,gr", "read,grep", "read,grep"},
		{"pi docs ", "", ""}, // every topic: looked at below
	}
}

func TestCompletionInBash(t *testing.T) {
	s := newSandbox(t)
	s.put("notes.md", "x")
	for _, c := range shellCases() {
		// What readline would have made of the line.
		script := `source ./load
COMP_LINE='` + c.line + `' COMP_POINT=${#COMP_LINE} COMP_WORDS=() COMP_CWORD=0
for part in ` + bashWords(c.line) + `; do COMP_WORDS+=("$part"); done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_pi_complete pi
echo "${COMPREPLY[*]}"`
		got := strings.TrimSpace(s.shell(t, "bash", []string{"--norc", "-c"}, script))
		if c.want == "" {
			if !strings.Contains(got, "keybindings") || !strings.Contains(got, "settings") {
				t.Errorf("%q is completed by %q", c.line, got)
			}
		} else if got != c.behind {
			t.Errorf("%q is completed by %q, want %q", c.line, got, c.behind)
		}
	}
}

// bashWords splits a line as bash does for completion, quoted for a shell.
func bashWords(line string) string {
	var out []string
	for _, w := range strings.Split(line, " ") {
		rest := w
		for rest != "" {
			i := strings.IndexAny(rest, "=:")
			switch {
			case i < 0:
				out, rest = append(out, rest), ""
			case i > 0:
				out, rest = append(out, rest[:i]), rest[i:]
			default:
				out, rest = append(out, rest[:1]), rest[1:]
			}
		}
		if w == "" {
			out = append(out, "")
		}
	}
	return "'" + strings.Join(out, "' '") + "'"
}

func TestCompletionInZsh(t *testing.T) {
	s := newSandbox(t)
	s.put("notes.md", "x")
	for _, c := range shellCases() {
		// compadd and _files only work in the editor: see what they would get.
		script := `compdef() { :; }
source ./load
compadd() { print -r -- "${(@)texts}"; }
_files() { print -r -- notes.md; }
words=(` + "'" + strings.Join(strings.Split(c.line, " "), "' '") + "'" + `)
CURRENT=$#words
_pi`
		got := strings.TrimSpace(s.shell(t, "zsh", []string{"-f", "-c"}, script))
		got = strings.TrimSpace(strings.TrimSuffix(got, "\nnotes.md")) // where files may follow as well
		if c.want == "" {
			if !strings.Contains(got, "keybindings") {
				t.Errorf("%q is completed by %q", c.line, got)
			}
		} else if got != c.want {
			t.Errorf("%q is completed by %q, want %q", c.line, got, c.want)
		}
	}
}

func TestCompletionInFish(t *testing.T) {
	s := newSandbox(t)
	s.put("notes.md", "x")
	for _, c := range shellCases() {
		got := s.shell(t, "fish", []string{"--no-config", "-c"}, "source ./load; complete -C '"+c.line+"'")
		var words []string
		for line := range strings.Lines(got) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words = append(words, word)
		}
		have := " " + strings.Join(words, " ") + " "
		if c.want == "" {
			c.want = "keybindings settings"
		}
		for _, w := range strings.Fields(c.want) {
			if !strings.Contains(have, " "+w+" ") {
				t.Errorf("%q is completed by %q, want %q", c.line, words, c.want)
			}
		}
	}
}
