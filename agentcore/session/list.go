package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// listReaders is how many files are read at a time. Reading is mostly waiting
// for memory, so more than two gain nothing.
const listReaders = 2

// List implements [Repo]: the file that was written last comes first. Files
// that are no sessions are left out.
func (d *Dir) List(ctx context.Context, o ListOptions) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		files, err := d.files()
		if err != nil {
			yield(Info{}, err)
			return
		}
		for i, err := range describeFiles(ctx, files, o) {
			if !yield(i, err) {
				return
			}
		}
	}
}

// ListFiles describes the sessions in files, as [Dir].List does for those of
// its directory.
func ListFiles(ctx context.Context, paths []string, o ListOptions) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for i, err := range describeFiles(ctx, statFiles(paths), o) {
			if !yield(i, err) {
				return
			}
		}
	}
}

type described struct {
	info Info
	err  error
}

// describeFiles reads the files ahead, a few at a time, and gives the results
// in order.
func describeFiles(ctx context.Context, files []sessionFile, o ListOptions) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var readers sync.WaitGroup
		defer readers.Wait()
		defer stop()
		results := make([]chan described, len(files))
		for i := range results {
			results[i] = make(chan described, 1)
		}
		next := make(chan int)
		readers.Go(func() {
			defer close(next)
			for i := range files {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for range min(listReaders, len(files)) {
			readers.Go(func() {
				buf := make([]byte, scanChunk)
				for i := range next {
					info, err := describeFile(ctx, files[i], buf, o)
					results[i] <- described{info, err}
				}
			})
		}
		same := SameDir(o.Cwd)
		for i := range files {
			var r described
			select {
			case r = <-results[i]:
			case <-ctx.Done():
				yield(Info{}, context.Cause(ctx))
				return
			}
			if o.Progress != nil {
				o.Progress(i+1, len(files))
			}
			switch {
			case errors.Is(r.err, ErrNotSession), errors.Is(r.err, fs.ErrNotExist):
			case r.err != nil:
				if !yield(r.info, fmt.Errorf("read session %s: %w", files[i].path, r.err)) {
					return
				}
			case same(r.info.Cwd):
				if !yield(r.info, nil) {
					return
				}
			}
		}
	}
}

// describeFile reads one file. A file whose header already says that it is
// not wanted is not read on.
func describeFile(ctx context.Context, file sessionFile, buf []byte, o ListOptions) (Info, error) {
	f, err := os.Open(file.path)
	if err != nil {
		return Info{Ref: file.path}, err
	}
	defer f.Close()
	info, err := describe(ctx, f, buf, o.Text)
	info.Ref, info.Size = file.path, file.size
	if info.Modified.IsZero() {
		info.Modified = file.modified
	}
	return info, err
}

// SameDir gives a function that tells whether a path names the directory, ""
// meaning any. Symbolic links are followed where the paths exist.
func SameDir(dir string) func(string) bool {
	if dir == "" {
		return func(string) bool { return true }
	}
	resolve := func(p string) string {
		p = filepath.Clean(p)
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return real
		}
		return p
	}
	want := resolve(dir)
	known := map[string]bool{"": false}
	return func(p string) bool {
		is, ok := known[p]
		if !ok {
			is = filepath.Clean(p) == filepath.Clean(dir) || resolve(p) == want
			known[p] = is
		}
		return is
	}
}

// Latest describes the session that was worked on last, of those in the
// working directory cwd ("" for all); [ErrNotFound] if there is none. It
// agrees with [SortByTime]: what counts is the newest message, and the time of
// the file only helps to look at few files.
func (d *Dir) Latest(ctx context.Context, cwd string) (Info, error) {
	files, err := d.files()
	if err != nil {
		return Info{}, err
	}
	var best Info
	buf := make([]byte, scanChunk)
	same := SameDir(cwd)
	for _, f := range files {
		// A message is older than the write that stored it.
		if best.Ref != "" && !f.modified.After(best.Modified) {
			break
		}
		info, err := describeFile(ctx, f, buf, ListOptions{})
		switch {
		case ctx.Err() != nil:
			return Info{}, context.Cause(ctx)
		case err != nil || !same(info.Cwd):
		case best.Ref == "" || info.Modified.After(best.Modified):
			best = info
		}
	}
	if best.Ref == "" {
		return Info{}, fmt.Errorf("latest session in %s: %w", d.path, ErrNotFound)
	}
	return best, nil
}

// SortByTime sorts descriptions, the newest message first.
func SortByTime(infos []Info) {
	slices.SortStableFunc(infos, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
}

var (
	_ Repo = (*Dir)(nil)
	_ Repo = (*Memory)(nil)
)
