package interactive

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/search"
	"github.com/pi-go/pi/tui/fuzzy"
)

const (
	maxSuggestions = 50
	maxFiles       = 200_000          // how many names are looked at
	fileListTime   = 3 * time.Second  // how long a list of names counts as new
	fileWait       = 10 * time.Second // how long a list may take
	publishEvery   = 2048             // names
	manyMatches    = 2000             // above so many plain matches they are ranked in a plain way
)

// fileList knows the names below a directory that git does not ignore. The first
// names can be had while the rest is still being read, and a list that has become
// old is used until the new one is there, so that nobody waits for a key.
type fileList struct {
	mu      sync.Mutex
	root    string
	names   []string // of the last complete walk
	read    time.Time
	walk    *fileWalk // one that goes on
	last    string    // the last query,
	matched []string  // and what it matched among
	among   []string  // these
}

// fileWalk is one reading of the directory.
type fileWalk struct {
	root string
	done chan struct{} // closed at the end
	some chan struct{} // closed when there are a few names

	mu    sync.Mutex
	names []string
	err   error
}

// setRoot begins anew, in another directory.
func (l *fileList) setRoot(root string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.root, l.names, l.walk, l.matched = root, nil, nil, nil
}

// begin starts a walk if the list is old, and gives what there is meanwhile.
func (l *fileList) begin(env execenv.Env, spawn func(func())) (names []string, walk *fileWalk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.walk == nil && (l.names == nil || time.Since(l.read) > fileListTime) {
		w := &fileWalk{root: l.root, done: make(chan struct{}), some: make(chan struct{})}
		l.walk = w
		spawn(func() { l.finish(w, w.run(env)) })
	}
	return l.names, l.walk
}

// finish takes over what a walk has found.
func (l *fileList) finish(w *fileWalk, names []string) {
	l.mu.Lock()
	if l.walk == w {
		l.walk = nil
		if names != nil {
			l.names, l.read = names, time.Now()
		}
	}
	l.mu.Unlock()
	close(w.done)
}

// run reads the directory and gives the names, nil if nothing could be read.
func (w *fileWalk) run(env execenv.Env) []string {
	ctx, cancel := context.WithTimeout(context.Background(), fileWait)
	defer cancel()
	names := []string{}
	published := false
	publish := func() {
		w.mu.Lock()
		w.names = names
		w.mu.Unlock()
		if !published {
			published = true
			close(w.some)
		}
	}
	_, err := search.Tree{Env: env, Root: w.root}.Walk(ctx, func(e search.Entry) bool {
		name := e.Path
		if e.Kind == search.Dir {
			name += "/"
		}
		names = append(names, name)
		if len(names)%publishEvery == 0 {
			publish()
		}
		return len(names) < maxFiles
	})
	if err != nil && len(names) == 0 {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
		names = nil
	}
	publish()
	return names
}

// all gives all names, once there is a list.
func (l *fileList) all(ctx context.Context, env execenv.Env, spawn func(func())) ([]string, error) {
	names, walk := l.begin(env, spawn)
	if names != nil || walk == nil {
		return names, nil
	}
	return walk.wait(ctx, walk.done)
}

// wait waits for a part of a walk.
func (w *fileWalk) wait(ctx context.Context, part <-chan struct{}) ([]string, error) {
	select {
	case <-part:
	case <-ctx.Done():
		return nil, nil // another key was pressed, and asks again
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names, w.err
}

// find gives the names that fit a query best. It waits for a list if there is none:
// for a part of it if nothing is asked for yet.
func (l *fileList) find(ctx context.Context, env execenv.Env, spawn func(func()), query string) ([]string, error) {
	names, walk := l.begin(env, spawn)
	if names == nil && walk != nil {
		part := walk.done
		if query == "" {
			part = walk.some
		}
		var err error
		if names, err = walk.wait(ctx, part); err != nil {
			return nil, err
		}
	}
	if query == "" {
		return names[:min(len(names), maxSuggestions)], nil
	}
	return best(l.narrow(names, query), query), nil
}

// narrow gives the names that a query matches: one that goes on with the last one
// needs to look at what that has left only.
func (l *fileList) narrow(names []string, query string) []string {
	l.mu.Lock()
	from, last, among := l.matched, l.last, l.among
	l.mu.Unlock()
	if from == nil || !strings.HasPrefix(query, last) || len(among) != len(names) || len(names) > 0 && &among[0] != &names[0] {
		from = names
	}
	matched := make([]string, 0, min(len(from), 4096))
	for _, n := range from {
		if fuzzy.Contains(query, n) {
			matched = append(matched, n)
		}
	}
	l.mu.Lock()
	l.matched, l.last, l.among = matched, query, names
	l.mu.Unlock()
	return matched
}

// best ranks names: first those that have the query in their last element. If those
// are very many, the query says too little for more than that.
func best(names []string, query string) []string {
	lower := strings.ToLower(query)
	var plain, rest []string
	for _, n := range names {
		if containsFold(base(n), lower) {
			plain = append(plain, n)
		} else {
			rest = append(rest, n)
		}
	}
	all := func(s string) string { return s }
	if len(plain) > manyMatches {
		return topBy(plain, func(n string) int {
			rank := 2*len(n) + 1000
			if b := base(n); len(b) >= len(lower) && strings.EqualFold(b[:len(lower)], lower) {
				rank -= 1000
			}
			return rank
		})
	}
	found := fuzzy.Filter(plain, query, all)
	if len(found) < maxSuggestions {
		found = append(found, fuzzy.Filter(rest, query, all)...)
	}
	return found[:min(len(found), maxSuggestions)]
}

// base is the last element of a path; that of a directory ends with a slash.
func base(n string) string {
	return n[strings.LastIndexByte(strings.TrimSuffix(n, "/"), '/')+1:]
}

// containsFold reports whether a text has another in it that is in lower case.
func containsFold(s, lower string) bool {
	if len(lower) == 0 {
		return true
	}
	for i := 0; i+len(lower) <= len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == lower[0] && strings.EqualFold(s[i:i+len(lower)], lower) {
			return true
		}
	}
	return false
}

// topBy gives the names of the lowest ranks, the lowest first.
func topBy(names []string, rank func(string) int) []string {
	type ranked struct {
		name string
		rank int
	}
	top := make([]ranked, 0, maxSuggestions+1)
	for _, n := range names {
		r := ranked{n, rank(n)}
		if len(top) == maxSuggestions && r.rank >= top[len(top)-1].rank {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, r.rank+1, func(a ranked, rank int) int { return cmp.Compare(a.rank, rank) })
		top = slices.Insert(top, at, r)
		top = top[:min(len(top), maxSuggestions)]
	}
	out := make([]string, len(top))
	for i, r := range top {
		out[i] = r.name
	}
	return out
}
