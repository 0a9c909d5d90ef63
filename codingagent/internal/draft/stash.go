package draft

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pi-go/pi/agentcore/execenv"
)

// MaxText is how many bytes of a text are kept.
const MaxText = 1 << 20

// maxAge is how long a text is kept that nobody came back for.
const maxAge = 90 * 24 * time.Hour

// Text is a text that is not sent yet.
type Text struct {
	// Session is the id of the conversation that it is for.
	Session string `json:"session,omitempty"`
	// Text is cut to MaxText bytes; Cut says that it was.
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"`
	// Images are the files of images that markers in the text stand for.
	Images map[string]string `json:"images,omitempty"`
	// Time is when it was kept.
	Time time.Time `json:"time"`
}

// Owner tells processes apart, and whether one is still there.
type Owner struct {
	// Host and PID name this process.
	Host string
	PID  int
	// Alive reports whether a process of this host is there.
	Alive func(pid int) bool
}

// Stash keeps the unsent text of one process that works in one directory. It may
// be used by several goroutines.
type Stash struct {
	files execenv.FileSystem
	dir   string // of all texts
	place string // the prefix that stands for the working directory
	work  string
	owner Owner
	now   func() time.Time

	mu   sync.Mutex
	kept bool // there is a file of ours
}

// stored is a file. Whose it is, is said by its name, so that a rename changes the
// owner at once.
type stored struct {
	Dir string `json:"dir"`
	Text
}

// NewStash returns the stash of a process that works in dir. Nothing is read or
// written yet.
func NewStash(files execenv.FileSystem, agentDir, dir string, owner Owner) *Stash {
	return &Stash{files: files, dir: filepath.Join(agentDir, "stash"), place: nameOf(dir), work: dir, owner: owner, now: time.Now}
}

// nameOf stands for a directory in names of files.
func nameOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

func (s *Stash) file() string {
	return filepath.Join(s.dir, fmt.Sprintf("%s-%s-%d.json", s.place, nameOf(s.owner.Host), s.owner.PID))
}

// Save keeps a text in the place of the one before; an empty one removes it.
func (s *Stash) Save(ctx context.Context, t Text) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.TrimSpace(t.Text) == "" {
		return s.remove(ctx)
	}
	if len(t.Text) > MaxText {
		cut := MaxText
		for cut > 0 && !utf8.RuneStart(t.Text[cut]) {
			cut--
		}
		t.Text, t.Cut = t.Text[:cut], true
	}
	t.Time = s.now().UTC()
	data, err := json.Marshal(stored{Dir: s.work, Text: t})
	if err == nil {
		err = s.files.MkdirAll(ctx, s.dir, 0o700)
	}
	if err == nil {
		err = s.files.WriteFile(ctx, s.file(), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the unsent text: %w", err)
	}
	s.kept = true
	return nil
}

// remove removes our file. s.mu is held.
func (s *Stash) remove(ctx context.Context) error {
	if !s.kept {
		return nil
	}
	s.kept = false
	if err := s.files.Remove(ctx, s.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the unsent text: %w", err)
	}
	return nil
}

// Restore takes over the text that an ended process has left in this directory: the
// one for the session if there is one, else the newest. No other process gets it
// then. Texts that are very old are removed. ok is false if there is none; what can
// not be read counts as none.
func (s *Stash) Restore(ctx context.Context, session string) (t Text, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.files.ReadDir(ctx, s.dir)
	if err != nil {
		return Text{}, false
	}
	type found struct {
		stored
		path string
	}
	var left []found
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		if info, err := e.Info(); err == nil && s.now().Sub(info.ModTime()) > maxAge {
			_ = s.files.Remove(ctx, path) // it may be gone by now
			continue
		}
		if !strings.HasPrefix(e.Name(), s.place+"-") || path == s.file() && s.kept {
			continue
		}
		data, err := execenv.ReadAtMost(ctx, s.files, path, 8*MaxText)
		f := found{path: path}
		if err != nil || json.Unmarshal(data, &f.stored) != nil || f.Dir != s.work || s.inUse(e.Name(), f.Time) {
			continue
		}
		left = append(left, f)
	}
	slices.SortStableFunc(left, func(a, b found) int {
		if mine := a.Session == session; mine != (b.Session == session) {
			if mine {
				return -1
			}
			return 1
		}
		return b.Time.Compare(a.Time)
	})
	for _, f := range left {
		// Whoever renames it first has it.
		if s.files.Rename(ctx, f.path, s.file()) == nil {
			s.kept = true
			return f.Text, true
		}
	}
	return Text{}, false
}

// inUse reports whether the process that a file belongs to may still be there. Of
// other machines it is not known; their texts are left alone for a day.
func (s *Stash) inUse(name string, kept time.Time) bool {
	parts := strings.Split(strings.TrimSuffix(name, ".json"), "-")
	if len(parts) != 3 || parts[1] != nameOf(s.owner.Host) {
		return s.now().Sub(kept) < 24*time.Hour
	}
	pid, err := strconv.Atoi(parts[2])
	return err == nil && pid != s.owner.PID && s.owner.Alive(pid)
}
