package screenshot

import (
	"fmt"
	"strconv"
	"strings"
)

// Script is what to do with a program, step by step.
type Script struct{ steps []step }

// step is one line of a script.
type step struct {
	line  int
	verb  string
	words []string // of the rest
	rest  string
}

// verbs are the words that a line can begin with, and how many words must follow
// at least.
func verbs() map[string]int {
	return map[string]int{
		"size": 2, "look": 1, "env": 1, "file": 1, "start": 1, "wait": 1, "gone": 1, "key": 1, "type": 1, "shot": 1,
	}
}

// Parse reads a script. Each line is a step; empty lines and those that begin
// with # are none.
//
//	size WIDTH HEIGHT   of the terminal, for the next start; 80 24 at first
//	look dark|light     colours of the terminal in the pictures
//	env NAME=VALUE      adds to the program's environment
//	file PATH TEXT      writes a file, below the working directory unless PATH
//	                    begins with ~/; \n is a line feed
//	start NAME ARG...   runs a program; one that runs already is ended
//	wait TEXT           until the screen shows TEXT
//	gone TEXT           until it does not
//	key NAME...         presses keys: enter, escape, tab, up, pageup, ctrl+x, alt+x, ...
//	type TEXT           types TEXT
//	shot NAME           takes a picture once the program has been quiet
func Parse(text string) (*Script, error) {
	s := &Script{}
	known := verbs()
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		st := step{line: n, verb: verb, words: strings.Fields(rest), rest: rest}
		least, ok := known[verb]
		if !ok {
			return nil, fmt.Errorf("line %d: there is no step %q", n, verb)
		}
		if len(st.words) < least {
			return nil, fmt.Errorf("line %d: %s needs more words", n, verb)
		}
		if err := st.check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		s.steps = append(s.steps, st)
	}
	return s, nil
}

func (st step) check() error {
	switch st.verb {
	case "size":
		_, _, err := st.size()
		return err
	case "look":
		if st.words[0] != "dark" && st.words[0] != "light" {
			return fmt.Errorf("a look is dark or light, not %q", st.words[0])
		}
	case "key":
		for _, k := range st.words {
			if _, err := keyBytes(k); err != nil {
				return err
			}
		}
	case "shot":
		if strings.ContainsAny(st.words[0], `/\`) {
			return fmt.Errorf("the name of a shot is a file's name, not %q", st.words[0])
		}
	}
	return nil
}

func (st step) size() (width, height int, err error) {
	for i, to := range []*int{&width, &height} {
		if *to, err = strconv.Atoi(st.words[i]); err != nil || *to < 1 || *to > 500 {
			return 0, 0, fmt.Errorf("a size is from 1 to 500, not %q", st.words[i])
		}
	}
	return width, height, nil
}

// keyBytes is what a terminal sends for a key.
func keyBytes(name string) (string, error) {
	named := map[string]string{
		"enter": "\r", "escape": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "backspace": "\x7f", "space": " ",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
		"pageup": "\x1b[5~", "pagedown": "\x1b[6~", "delete": "\x1b[3~", "shift+enter": "\x1b[13;2u",
		"ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F",
	}
	if s, ok := named[name]; ok {
		return s, nil
	}
	if k, ok := strings.CutPrefix(name, "ctrl+"); ok && len(k) == 1 && k[0] >= 'a' && k[0] <= 'z' {
		return string(rune(k[0] - 'a' + 1)), nil
	}
	if k, ok := strings.CutPrefix(name, "alt+"); ok {
		s, err := keyBytes(k)
		return "\x1b" + s, err
	}
	if len(name) == 1 {
		return name, nil
	}
	return "", fmt.Errorf("there is no key %q", name)
}
