package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// Store keeps decisions in a file, trust.json of the user's directory: an
// object of real, absolute paths with true or false.
type Store struct {
	path  string
	files execenv.ConfigReader
}

// NewStore gives the store in the file at path, which need not be there.
func NewStore(path string, files execenv.ConfigReader) *Store { return &Store{path, files} }

// Decision is a stored answer.
type Decision struct {
	// Dir is the directory it was given for: the one asked about or one above.
	Dir     string
	Trusted bool
}

// Nearest gives the decision for a directory or the nearest one above it that
// has one; found is false if there is none. dir must be a real path: without
// links and absolute.
func (s *Store) Nearest(ctx context.Context, dir string) (d Decision, found bool, err error) {
	all, err := s.read(ctx)
	if err != nil {
		return Decision{}, false, err
	}
	for {
		if v := all[dir]; v != nil {
			return Decision{dir, *v}, true, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Decision{}, false, nil
		}
		dir = parent
	}
}

func (s *Store) read(ctx context.Context) (map[string]*bool, error) {
	data, err := execenv.ReadConfig(ctx, s.files, s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	return decode(s.path, data)
}

func decode(path string, data []byte) (map[string]*bool, error) {
	var all map[string]*bool
	if len(data) == 0 {
		return nil, nil
	}
	if err := jsonobj.Decode(path, data, jsonobj.Strict, &all); err != nil {
		return nil, fmt.Errorf("%w; nobody is trusted until it is repaired or removed", err)
	}
	return all, nil
}

// Set keeps decisions; nil forgets one.
func (s *Store) Set(ctx context.Context, changes map[string]*bool) error {
	return lockfile.Update(ctx, s.path, lockfile.Options{Perm: 0o600}, func(old []byte) ([]byte, error) {
		all, err := decode(s.path, old)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = make(map[string]*bool)
		}
		for dir, v := range changes {
			if v == nil {
				delete(all, dir)
				continue
			}
			all[dir] = v
		}
		text, err := json.MarshalIndent(all, "", "  ") // sorted
		return append(text, '\n'), err
	})
}

// Trust keeps that a directory is trusted, or is not.
func (s *Store) Trust(ctx context.Context, dir string, trusted bool) error {
	return s.Set(ctx, map[string]*bool{dir: &trusted})
}

// TrustParent keeps that the directory above is trusted, with all in it.
func (s *Store) TrustParent(ctx context.Context, dir string) error {
	return s.Set(ctx, map[string]*bool{filepath.Dir(dir): new(true), dir: nil})
}
