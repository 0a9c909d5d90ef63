package term

import "unicode/utf8"

// plainLocale reports whether the locale names a character set that has only ASCII.
// A locale that is not set at all says nothing: containers mostly have none, and
// their terminals show everything.
func plainLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			return v == "C" || v == "POSIX"
		}
	}
	return false
}

// ASCII replaces the characters that user interfaces are drawn with, such as frames,
// bars, arrows and typographic signs, by ASCII ones of the same width. Letters of all
// scripts stay as they are.
func ASCII(b []byte) []byte {
	at := 0
	for at < len(b) && b[at] < utf8.RuneSelf {
		at++
	}
	if at == len(b) {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:at]...)
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if c := asciiFor(r); c != 0 {
			out = append(out, c)
		} else {
			out = append(out, b[at:at+n]...)
		}
		at += n
	}
	return out
}

// asciiFor is the character for a sign, 0 if it has none.
func asciiFor(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return 0
	case r >= 0x2500 && r <= 0x257f:
		return boxFor(r)
	case r >= 0x2580 && r <= 0x2590, r == '▰', r == '■':
		return '#'
	case r == '░', r == '▒', r == '▓':
		return ':'
	case r >= 0x2591 && r <= 0x259f:
		return '#'
	case r >= 0x2800 && r <= 0x28ff: // Braille, which only spinners are made of
		return "|/-\\"[r%4]
	}
	switch r {
	case '…', '·', '▱', '□', '․':
		return '.'
	case '●', '•', '◆', '★', '✦', '◉':
		return '*'
	case '○', '◦', '◇', '☆':
		return 'o'
	case '✗', '✘', '×':
		return 'x'
	case '✓', '✔', '−', '–', '—', '‐', '‑':
		if r == '✓' || r == '✔' {
			return 'v'
		}
		return '-'
	case '→', '▶', '▸', '›', '»', '❯':
		return '>'
	case '←', '◀', '◂', '‹', '«', '❮':
		return '<'
	case '↑', '▲', '▴':
		return '^'
	case '↓', '▼', '▾':
		return 'v'
	case '“', '”', '„', '″':
		return '"'
	case '‘', '’', '‚', '′':
		return '\''
	}
	return 0
}

// boxFor is the character for a part of a frame.
func boxFor(r rune) byte {
	switch r {
	case '─', '━', '┄', '┅', '┈', '┉', '╌', '╍', '═', '╴', '╶', '╸', '╺', '╼', '╾':
		return '-'
	case '│', '┃', '┆', '┇', '┊', '┋', '╎', '╏', '║', '╵', '╷', '╹', '╻', '╽', '╿':
		return '|'
	case '╱':
		return '/'
	case '╲':
		return '\\'
	case '╳':
		return 'X'
	}
	return '+'
}
