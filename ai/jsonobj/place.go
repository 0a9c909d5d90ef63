package jsonobj

import "strconv"

// ErrorAt makes an error about the value at a path, whose steps are keys (string)
// and indexes (int): "file:line:column: path: message". Where the path leads
// nowhere, the place is that of the last step that does.
func (d *Document) ErrorAt(message string, path ...any) *SyntaxError {
	_, n := d.walk(path)
	return newError(d.file, d.t.src, n.start, pathText(path)+message)
}

// KeyErrorAt is ErrorAt for what is wrong with the key that a path ends in.
func (d *Document) KeyErrorAt(message string, path ...any) *SyntaxError {
	m, n := d.walk(path)
	at := n.start
	if m != nil {
		at = m.start
	}
	return newError(d.file, d.t.src, at, pathText(path)+message)
}

// walk follows a path as far as it leads; m is the member it ends in, if it does.
func (d *Document) walk(path []any) (m *member, n node) {
	n = d.t.root
	for _, step := range path {
		m = nil
		switch step := step.(type) {
		case string:
			if m = n.member(step); m == nil {
				return nil, n
			}
			n = m.value
		case int:
			if step < 0 || step >= len(n.elements) {
				return nil, n
			}
			n = n.elements[step]
		}
	}
	return m, n
}

// pathText writes a path, with a colon behind it.
func pathText(path []any) string {
	text := ""
	for _, step := range path {
		switch step := step.(type) {
		case string:
			text += pathKey(step, text == "")
		case int:
			text += "[" + strconv.Itoa(step) + "]"
		}
	}
	if text != "" {
		text += ": "
	}
	return text
}
