package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
)

// command is one line of a client. Which fields mean something depends on the
// type.
type command struct {
	ID   json.RawMessage `json:"id"`
	Type string          `json:"type"`

	Message           *string           `json:"message"`
	Images            []json.RawMessage `json:"images"`
	StreamingBehavior string            `json:"streamingBehavior"`
	Command           *string           `json:"command"`
	Exclude           bool              `json:"excludeFromContext"`
	Provider          *string           `json:"provider"`
	ModelID           *string           `json:"modelId"`
	Level             *string           `json:"level"`
	Mode              *string           `json:"mode"`
	Enabled           *bool             `json:"enabled"`
	Instructions      string            `json:"customInstructions"`
	ParentSession     string            `json:"parentSession"`
	SessionPath       *string           `json:"sessionPath"`
	EntryID           *string           `json:"entryId"`
	Since             string            `json:"since"`
	Name              *string           `json:"name"`
	OutputPath        string            `json:"outputPath"`

	// Fields of commands that the reference does not have.
	Summarize           bool   `json:"summarize"`
	ReplaceInstructions bool   `json:"replaceInstructions"`
	Label               string `json:"label"`
	Format              string `json:"format"`
	All                 bool   `json:"all"`
}

// parseCommand reads one line. A fault says what was expected; the command is
// filled in as far as it could be read, so that the answer can name it.
func parseCommand(line []byte) (command, error) {
	var c command
	if !utf8.Valid(line) { // parts of it are echoed as they came, and what we write is text
		line = bytes.ToValidUTF8(line, []byte("\ufffd"))
	}
	if !json.Valid(line) {
		return command{Type: "parse"}, fmt.Errorf("this line is not JSON")
	}
	var head struct {
		ID   json.RawMessage `json:"id"`
		Type json.RawMessage `json:"type"`
	}
	if line[0] != '{' || json.Unmarshal(line, &head) != nil {
		return command{Type: "parse"}, fmt.Errorf("expected an object such as {\"type\":\"get_state\"}, found %s", kindOf(line))
	}
	c.ID = head.ID
	if json.Unmarshal(head.Type, &c.Type) != nil || c.Type == "" {
		c.Type = "parse"
		return c, fmt.Errorf("expected a \"type\" that names a command")
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return c, wrongType(err)
	}
	return c, nil
}

func kindOf(line []byte) string {
	switch line[0] {
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}

func wrongType(err error) error {
	if t, ok := err.(*json.UnmarshalTypeError); ok {
		return fmt.Errorf("field %q: expected %s, found a %s", t.Field, t.Type.Kind(), t.Value)
	}
	return err
}

// need gives a required text.
func need(name string, v *string) (string, error) {
	if v == nil {
		return "", fmt.Errorf("field %q is missing", name)
	}
	return *v, nil
}

// needOf gives a required text that is one of some.
func needOf(name string, v *string, allowed ...string) (string, error) {
	s, err := need(name, v)
	if err == nil && !slices.Contains(allowed, s) {
		return "", fmt.Errorf("field %q: %q is none of %v", name, s, allowed)
	}
	return s, err
}

// images decodes the images of a prompt.
func (c *command) images() ([]*ai.Image, error) {
	var out []*ai.Image
	for i, raw := range c.Images {
		b, err := ai.DecodeBlock(raw)
		if err != nil {
			return nil, fmt.Errorf("image %d: %w", i, err)
		}
		img, ok := b.(*ai.Image)
		if !ok || img.Data == "" || img.MIMEType == "" {
			return nil, fmt.Errorf("image %d: expected {\"type\":\"image\",\"data\":base64,\"mimeType\":…}", i)
		}
		out = append(out, img)
	}
	return out, nil
}
