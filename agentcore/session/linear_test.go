package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// counter counts how often entries are read.
type counter struct {
	Storage
	reads int
}

func (c *counter) Read(ctx context.Context, at Stub, dst []byte) ([]byte, error) {
	c.reads++
	return c.Storage.Read(ctx, at, dst)
}

// The cost of a context is that of its own branch: with a thousand branches
// beside it no entry of another one is read, and none twice.
func TestContextReadsItsOwnBranchOnce(t *testing.T) {
	for _, tt := range []struct{ entries, branches int }{{100_000, 1000}, {20_000, 1}} {
		t.Run(fmt.Sprintf("%d entries, %d branches", tt.entries, tt.branches), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, manyBranches(tt.entries, tt.branches), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := OpenFile(t.Context(), path, ReadOnly, Header{})
			if err != nil {
				t.Fatal(err)
			}
			c := &counter{Storage: f}
			s, err := Load(t.Context(), c, Options{Mode: ReadOnly})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if c.reads != 0 {
				t.Errorf("opening read %d entries", c.reads)
			}
			got, err := s.Context(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := len(got.Messages); c.reads != n || n < tt.entries/tt.branches {
				t.Errorf("%d reads for %d messages", c.reads, n)
			}
			// What was read stays at hand for the next turn.
			if _, err := s.Context(t.Context()); err != nil || c.reads != len(got.Messages) {
				t.Errorf("%d reads after the second time, %v", c.reads, err)
			}
		})
	}
}
