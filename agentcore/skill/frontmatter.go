package skill

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Matter is what a file says of itself before its text.
type Matter map[string]any

// Text gives the value of a key if that is a text, else "".
func (m Matter) Text(key string) string {
	s, _ := m[key].(string)
	return s
}

// maxMatter bounds the front matter of a file, in bytes.
const maxMatter = 64 << 10

// Split takes the front matter off a file: YAML between a first line "---" and
// the next line that is "---". Without both lines there is none. Line ends
// become "\n" and a byte order mark is dropped. The error says what is wrong
// with the YAML; the body is right even then.
func Split(text string) (m Matter, body string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return nil, text, nil
	}
	end := 0
	for {
		line, _, more := strings.Cut(rest[end:], "\n")
		if strings.TrimRight(line, " \t") == "---" {
			break
		}
		if !more {
			return nil, text, nil
		}
		end += len(line) + 1
	}
	head := rest[:end]
	_, body, _ = strings.Cut(rest[end:], "\n")
	body = strings.TrimSpace(body)
	if len(head) > maxMatter {
		return nil, body, fmt.Errorf("the front matter is longer than %d bytes", maxMatter)
	}
	defer func() {
		if p := recover(); p != nil { // the decoder is not ours
			m, err = nil, fmt.Errorf("the front matter is not YAML: %v", p)
		}
	}()
	var v any
	if err := yaml.Unmarshal([]byte(head), &v); err != nil {
		return nil, body, fmt.Errorf("the front matter is not YAML: %w", err)
	}
	switch v := v.(type) {
	case nil:
		return Matter{}, body, nil
	case map[string]any:
		return v, body, nil
	}
	return nil, body, errors.New("the front matter must be a list of names with values")
}
