package search

import (
	"context"
	"runtime"
	"sync"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/linematch"
)

// Query is what [Grep] is to look for.
type Query struct {
	// Pattern is a regular expression, see package linematch.
	Pattern string
	// Literal takes the pattern as text; IgnoreCase matches without regard to case.
	Literal, IgnoreCase bool
	// Context is how many lines before and behind each match are wanted too.
	Context int
	// Limit is how many matching lines are wanted in all; it must be positive.
	Limit int
	// LineUnits is the length, in UTF-16 code units, to which lines are cut; 0 is 500.
	LineUnits int
}

// Matches is what Grep found.
type Matches struct {
	Files []FileMatches
	// Count is the number of matching lines in Files.
	Count int
	// More says that there are more matching lines than the limit.
	More bool
	// Cut says that some lines were cut.
	Cut bool
	// Unreadable is the number of files and directories that could not be read.
	Unreadable int
}

// FileMatches are the lines found in one file, in order.
type FileMatches struct {
	// Path is relative to the root of the tree, with "/" between its elements.
	Path  string
	Lines []Line
}

// Line is a line of a file.
type Line struct {
	Number int // from 1
	// Text has no line break and is valid UTF-8.
	Text string
	// Match is false for a line that is there for context.
	Match bool
	// Cut says that Text is not all of the line.
	Cut bool
}

const (
	// batchSize is how many files are handed to a searcher at once.
	batchSize = 32
	// ahead is how many batches may wait for their turn to be reported.
	ahead = 64
)

// batch is a number of files that follow each other in the order of the walk.
type batch struct {
	paths      []string
	found      []FileMatches
	unreadable int
	done       chan struct{}
}

// Grep looks for lines in the files of a tree.
func Grep(ctx context.Context, tree Tree, q Query) (Matches, error) {
	m, err := linematch.Compile(q.Pattern, linematch.Options{Literal: q.Literal, IgnoreCase: q.IgnoreCase})
	if err != nil {
		return Matches{}, err
	}
	stop, cancel := context.WithCancel(ctx)
	work, order := make(chan *batch), make(chan *batch, ahead)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			s := newSearcher(stop, tree, m, q)
			for b := range work {
				s.run(b)
			}
		})
	}
	var unreadable int
	var walkErr error
	wg.Go(func() {
		defer close(order)
		defer close(work)
		unreadable, walkErr = feed(stop, tree, order, work)
	})
	var found Matches
	for b := range order {
		<-b.done
		found.Unreadable += b.unreadable
		for _, f := range b.found {
			found.add(f, q)
		}
		if found.More {
			break
		}
	}
	cancel()
	for b := range order { // let the walker finish
		_ = b
	}
	wg.Wait()
	found.Unreadable += unreadable
	if ctx.Err() != nil {
		return Matches{}, context.Cause(ctx)
	}
	if walkErr != nil && !found.More {
		return Matches{}, walkErr
	}
	return found, nil
}

// feed walks the tree and hands its files over in batches, to be searched and, in
// order, to be reported.
func feed(ctx context.Context, tree Tree, order, work chan<- *batch) (int, error) {
	fresh := func() *batch {
		return &batch{paths: make([]string, 0, batchSize), done: make(chan struct{})}
	}
	next := fresh()
	send := func() bool {
		b := next
		next = fresh()
		if len(b.paths) == 0 {
			return true
		}
		select {
		case order <- b:
		case <-ctx.Done():
			return false
		}
		select {
		case work <- b:
		case <-ctx.Done():
			close(b.done)
			return false
		}
		return true
	}
	unreadable, err := tree.Walk(ctx, func(e Entry) bool {
		if e.Kind != File {
			return true
		}
		next.paths = append(next.paths, e.Path)
		return len(next.paths) < batchSize || send()
	})
	send()
	return unreadable, err
}

// GrepFile looks for lines in one file, whatever it is called and even if it is
// binary. The path of the result is name.
func GrepFile(ctx context.Context, env execenv.Env, file, name string, q Query) (Matches, error) {
	m, err := linematch.Compile(q.Pattern, linematch.Options{Literal: q.Literal, IgnoreCase: q.IgnoreCase})
	if err != nil {
		return Matches{}, err
	}
	s := newSearcher(ctx, Tree{Env: env, Root: env.ParentDir(file)}, m, q)
	s.binary = true
	lines, err := s.file(file)
	if ctx.Err() != nil {
		return Matches{}, context.Cause(ctx)
	}
	if err != nil {
		return Matches{}, err
	}
	var found Matches
	if len(lines) > 0 {
		found.add(FileMatches{name, lines}, q)
	}
	return found, nil
}

// add takes the lines of one more file, up to the limit. Behind the last match
// that is allowed only its context is taken, in which a further match is just a
// line.
func (m *Matches) add(f FileMatches, q Query) {
	if m.Count == q.Limit {
		for _, l := range f.Lines {
			m.More = m.More || l.Match
		}
		return
	}
	last := 0 // the number of the last match allowed
	kept := f.Lines[:0]
	for _, l := range f.Lines {
		if m.Count == q.Limit {
			m.More = m.More || l.Match
			if l.Number > last+q.Context {
				continue
			}
			l.Match = false
		}
		if l.Match {
			m.Count++
			last = l.Number
		}
		m.Cut = m.Cut || l.Cut
		kept = append(kept, l)
	}
	f.Lines = kept
	m.Files = append(m.Files, f)
}
