package draft

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
)

const (
	maxPrompt  = 64 << 10  // longer prompts are not kept
	maxHistory = 512 << 10 // a larger file is cut to half of it
)

// History keeps the prompts that were sent in one directory, by whatever session.
type History struct {
	files execenv.FileSystem
	path  string
	dir   string
}

// sent is a line of the file.
type sent struct {
	Dir  string    `json:"dir,omitempty"` // in the first line, for people who look
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// NewHistory returns the history of a directory. Nothing is read or written yet.
func NewHistory(files execenv.FileSystem, agentDir, dir string) *History {
	return &History{files: files, dir: dir, path: filepath.Join(agentDir, "prompt-history", nameOf(dir)+".jsonl")}
}

// Load gives the prompts, the newest last. Lines that can not be read are left
// out; a missing file is an empty history. With an error there may be prompts all the
// same: that a long file could not be cut loses none.
func (h *History) Load(ctx context.Context) ([]string, error) {
	data, err := execenv.ReadAtMost(ctx, h.files, h.path, 16*maxHistory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the prompts of earlier sessions: %w", err)
	}
	if len(data) > maxHistory {
		data = data[len(data)-maxHistory/2:]
		data = data[bytes.IndexByte(data, '\n')+1:]
		// Somebody who adds a line at this very moment loses it; it is in the
		// session all the same.
		if err = h.files.WriteFile(ctx, h.path, data, 0o600); err != nil {
			err = fmt.Errorf("shorten the prompts of earlier sessions: %w", err)
		}
	}
	var texts []string
	for line := range bytes.Lines(data) {
		var s sent
		if json.Unmarshal(line, &s) == nil && s.Text != "" {
			texts = append(texts, s.Text)
		}
	}
	return texts, err
}

// Add adds a prompt. A very long one is left out.
func (h *History) Add(ctx context.Context, text string) error {
	if text == "" || len(text) > maxPrompt {
		return nil
	}
	if err := h.files.MkdirAll(ctx, filepath.Dir(h.path), 0o700); err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	line := sent{Text: text, Time: time.Now().UTC()}
	if _, err := h.files.Stat(ctx, h.path); errors.Is(err, fs.ErrNotExist) {
		line.Dir = h.dir
	}
	data, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	if halfLine(f) {
		data = append([]byte{'\n'}, data...)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	return nil
}

// halfLine reports whether a file ends in the middle of a line, as it does after a
// disk was full: what is added there would be lost with that line.
func halfLine(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}
