package mermaid

import "strings"

// lines are the characters for all arms of a cell: index is the arms, in the order
// up, right, down, left from the lowest bit.
var (
	lightLines  = [16]string{" ", "╵", "╶", "└", "╷", "│", "┌", "├", "╴", "┘", "─", "┴", "┐", "┤", "┬", "┼"}
	heavyLines  = [16]string{" ", "╹", "╺", "┗", "╻", "┃", "┏", "┣", "╸", "┛", "━", "┻", "┓", "┫", "┳", "╋"}
	doubleLines = [16]string{" ", "║", "═", "╚", "║", "║", "╔", "╠", "═", "╝", "═", "╩", "╗", "╣", "╦", "╬"}
	asciiLines  = [16]string{" ", "|", "-", "+", "|", "|", "+", "+", "-", "+", "-", "+", "+", "+", "+", "+"}
)

// glyph is what is shown in a cell.
func (c *cell) glyph(ascii bool) string {
	switch {
	case c.text != "" && c.sign && ascii:
		return plainSign(c.text)
	case c.text != "":
		return c.text
	case ascii:
		return c.plain()
	}
	straight := c.arms == up|down || c.arms == left|right
	switch {
	case c.weight == heavy:
		return heavyLines[c.arms]
	case c.weight == double:
		return doubleLines[c.arms]
	case c.weight == dotted && straight:
		return choose(c.arms == up|down, "┆", "┄")
	case c.round && c.arms == right|down:
		return "╭"
	case c.round && c.arms == left|down:
		return "╮"
	case c.round && c.arms == right|up:
		return "╰"
	case c.round && c.arms == left|up:
		return "╯"
	}
	return lightLines[c.arms]
}

// plain is what is shown of a line with nothing but ASCII.
func (c *cell) plain() string {
	upright := c.arms&(left|right) == 0
	level := c.arms&(up|down) == 0
	switch {
	case c.arms == 0:
		return " "
	case c.weight == dotted && upright:
		return ":"
	case c.weight == dotted && level:
		return "."
	case c.weight == heavy && upright:
		return "#"
	case (c.weight == heavy || c.weight == double) && level:
		return "="
	case c.round && c.arms&down != 0 && c.arms&up == 0 && c.arms != left|right|down:
		return "."
	case c.round && c.arms&up != 0 && c.arms&down == 0 && c.arms != left|right|up:
		return "'"
	}
	return asciiLines[c.arms]
}

// plainSign is the sign of a drawing in ASCII.
func plainSign(s string) string {
	switch s {
	case "▶", "▷":
		return ">"
	case "◀", "◁":
		return "<"
	case "▲", "△":
		return "^"
	case "▼", "▽":
		return "v"
	case "◆":
		return "*"
	case "◇", "○":
		return "o"
	case "●", "◉":
		return "*"
	case "×":
		return "x"
	case "╱":
		return "/"
	case "╲":
		return "\\"
	case "║", "│", "┆":
		return "|"
	case "█":
		return "#"
	case "▓", "━":
		return "="
	case "░":
		return "-"
	case "·":
		return "."
	case "─":
		return "-"
	}
	if strings.ToValidUTF8(s, "") == s && len(s) == 1 {
		return s
	}
	return "*"
}

func choose[T any](which bool, yes, no T) T {
	if which {
		return yes
	}
	return no
}
