package markdown

import "strings"

// foresee completes what is half there at the end of a text that is to go on, so
// that it is drawn as what it will most likely be.
func foresee(s string) string {
	start := strings.LastIndexByte(s, '\n') + 1
	last := s[start:]
	trimmed := strings.TrimLeft(last, " ")
	switch {
	case trimmed != "" && strings.Trim(trimmed, "`") == "" && len(trimmed) < 3,
		trimmed == "~" || trimmed == "~~":
		return s[:start] // the beginning of a fence
	case strings.Trim(trimmed, "#") == "" && trimmed != "" && len(trimmed) <= 6:
		return s[:start] // the beginning of a heading
	case (trimmed == "-" || trimmed == "*" || trimmed == "+" || trimmed == "--" || trimmed == "**" || trimmed == "=" || trimmed == "==") && len(last)-len(trimmed) < 4:
		return s[:start] // a list, a rule, a heading by underline, or emphasis
	}
	if t, ok := table(s); ok {
		return t
	}
	// Only the last paragraph can have something open.
	p := strings.LastIndex(s, "\n\n")
	return s + closing(s[p+1:])
}

// table completes the beginning of a table: a first row alone, or with a part of
// the line below it.
func table(s string) (string, bool) {
	lines := strings.Split(s, "\n")
	// The table begins after the last line that is no row.
	first := len(lines)
	for first > 0 && strings.HasPrefix(strings.TrimLeft(lines[first-1], " "), "|") {
		first--
	}
	rows := lines[first:]
	if len(rows) == 0 || len(rows) > 2 || first > 0 && strings.TrimSpace(lines[first-1]) != "" {
		return "", false
	}
	head := strings.TrimSpace(rows[0])
	if len(rows) == 2 && strings.Trim(rows[1], " |:-") != "" {
		return "", false
	}
	if !strings.HasSuffix(head, "|") || head == "|" {
		if len(rows) == 2 {
			return "", false
		}
		head += " |"
	}
	columns := strings.Count(head, "|") - strings.Count(head, `\|`) - 1
	if columns < 1 {
		return "", false
	}
	before := strings.Join(lines[:first], "\n")
	if first > 0 {
		before += "\n"
	}
	return before + head + "\n|" + strings.Repeat("---|", columns), true
}

// closing returns what closes the marks that are open at the end of a paragraph.
func closing(s string) string {
	type mark struct {
		kind string
		at   int
	}
	var open []mark
	link := -1 // where the address of a link began
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
		case '`':
			n := 1
			for i+n < len(s) && s[i+n] == '`' {
				n++
			}
			ticks := s[i : i+n]
			end := strings.Index(s[i+n:], ticks)
			if end < 0 {
				if i+n == len(s) {
					return "" // only the mark: it may become anything
				}
				return ticks // in code nothing else counts
			}
			i += n + end + n - 1
		case '*', '_', '~':
			n := 1
			for i+n < len(s) && s[i+n] == c && n < 3 {
				n++
			}
			before, after := byte(' '), byte(' ')
			if i > 0 {
				before = s[i-1]
			}
			if i+n < len(s) {
				after = s[i+n]
			}
			opens := after != ' ' && after != '\n' && (c != '_' || !isAlnum(before))
			ends := before != ' ' && before != '\n'
			left := n
			for ends && len(open) > 0 {
				top := open[len(open)-1].kind
				if top[0] != c || len(top) > left {
					break
				}
				left -= len(top)
				open = open[:len(open)-1]
			}
			if left == n && opens && i+n < len(s) && !(c == '~' && n == 1) {
				open = append(open, mark{s[i : i+n], i})
			}
			i += n - 1
		case ']':
			if i+1 < len(s) && s[i+1] == '(' {
				link = i + 2
				for link < len(s) && s[link] != ')' && s[link] != ' ' && s[link] != '\n' {
					link++
				}
				if link < len(s) {
					i, link = link, -1
				} else {
					i = len(s)
				}
			}
		}
	}
	if link >= 0 {
		return ")"
	}
	out := ""
	for i := len(open) - 1; i >= 0; i-- {
		if m := open[i]; strings.TrimRight(s[m.at+len(m.kind):], " \n") != "" && s[len(s)-1] != ' ' {
			out += m.kind
		}
	}
	return out
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
