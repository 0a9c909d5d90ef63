package markdown

import "strings"

// cut returns the length of the first block of a text that is finished: nothing
// that may follow can change it. 0 means that there is none yet.
func cut(s string) int {
	var (
		fence    string // what closes the code block we are in
		begun    bool   // the block has a line that is not blank
		list     bool   // it is a list: indented lines belong to it
		indented bool   // it is code by indentation
		blank    bool   // the line before was blank
	)
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		whole := end >= 0
		if whole {
			end += at + 1
		} else {
			end = len(s)
		}
		line := strings.TrimRight(s[at:end], "\r\n")
		indent := indentation(line)
		trimmed := strings.TrimLeft(line, " \t")
		switch {
		case fence != "":
			if closes(trimmed, fence) && indent < 4 {
				if !whole {
					return 0
				}
				return end
			}
		case trimmed == "":
			blank = true
			at = end
			continue
		default:
			opens := fenceOf(trimmed)
			// A line whose end has not come may still become a fence or a heading.
			if begun {
				starts := blank && !(list && (indent >= 2 || isItem(trimmed))) && !(indented && indent >= 4)
				interrupts := indent < 4 && (opens != "" || isHeading(trimmed)) && !(list && indent >= 2)
				if starts || interrupts && whole {
					return at
				}
			}
			if !begun {
				if at > 0 && blank {
					return at // blank lines are a block of their own, shown as nothing
				}
				list = isItem(trimmed) && indent < 4
				indented = indent >= 4 && !list
				if opens != "" && indent < 4 {
					fence = opens
				} else if isHeading(trimmed) && indent < 4 && whole {
					return end
				}
			}
			begun = true
		}
		blank = false
		at = end
	}
	return 0
}

func indentation(line string) int {
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// fenceOf returns the marks that open a code block, "" if the line opens none.
func fenceOf(trimmed string) string {
	if len(trimmed) < 3 || trimmed[0] != '`' && trimmed[0] != '~' {
		return ""
	}
	n := 0
	for n < len(trimmed) && trimmed[n] == trimmed[0] {
		n++
	}
	if n < 3 || trimmed[0] == '`' && strings.IndexByte(trimmed[n:], '`') >= 0 {
		return ""
	}
	return trimmed[:n]
}

func closes(trimmed, fence string) bool {
	n := 0
	for n < len(trimmed) && trimmed[n] == fence[0] {
		n++
	}
	return n >= len(fence) && strings.TrimSpace(trimmed[n:]) == ""
}

func isHeading(trimmed string) bool {
	n := 0
	for n < len(trimmed) && trimmed[n] == '#' {
		n++
	}
	return n > 0 && n <= 6 && (n == len(trimmed) || trimmed[n] == ' ' || trimmed[n] == '\t')
}

func isItem(trimmed string) bool {
	if trimmed == "" {
		return false
	}
	if strings.IndexByte("-*+", trimmed[0]) >= 0 {
		return len(trimmed) == 1 || trimmed[1] == ' ' || trimmed[1] == '\t'
	}
	n := 0
	for n < len(trimmed) && trimmed[n] >= '0' && trimmed[n] <= '9' {
		n++
	}
	if n == 0 || n > 9 || n == len(trimmed) || trimmed[n] != '.' && trimmed[n] != ')' {
		return false
	}
	return n+1 == len(trimmed) || trimmed[n+1] == ' ' || trimmed[n+1] == '\t'
}
