package jsonobj

import "bytes"

// Relax turns JSON with comments (// and /* */), trailing commas and a byte
// order mark into strict JSON. What is dropped becomes spaces, so that every
// offset and line stays what it was. Text that is no JSON even then is a
// *[SyntaxError]. Blank text is left alone.
func Relax(data []byte) ([]byte, error) {
	if blank(data) {
		return overwrite(bytes.Clone(data), leadingMark(data)), nil
	}
	t, err := parse("", data, Relaxed)
	if err != nil {
		return nil, err
	}
	return t.strict(), nil
}

// blank reports whether a file holds no value.
func blank(src []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(src, byteOrderMark))) == 0
}

func leadingMark(src []byte) [][2]int {
	if bytes.HasPrefix(src, byteOrderMark) {
		return [][2]int{{0, len(byteOrderMark)}}
	}
	return nil
}

// strict returns the text with everything that is not JSON overwritten.
func (t *tree) strict() []byte {
	if len(t.extra) == 0 {
		return t.src
	}
	return overwrite(bytes.Clone(t.src), t.extra)
}

// overwrite puts spaces in the place of what is not a line end.
func overwrite(b []byte, ranges [][2]int) []byte {
	for _, r := range ranges {
		for i := r[0]; i < r[1]; i++ {
			if b[i] != '\n' && b[i] != '\r' {
				b[i] = ' '
			}
		}
	}
	return b
}
