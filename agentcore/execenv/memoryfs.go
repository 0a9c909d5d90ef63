package execenv

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// MemoryFS is a file system in memory with directories, symbolic links and
// modes. Names are Unix paths. A file without a read (or write) bit can not be
// read (written), as for a user who owns everything. All methods may be called
// from several goroutines.
type MemoryFS struct {
	// Fault, when not nil, is asked before each operation; the error it returns
	// becomes that of the operation. op is the name of the method, lower case
	// ("writefile"). Set it before use.
	Fault func(op, name string) error
	// Now is the clock for modification times; nil is time.Now.
	Now func() time.Time

	mu   sync.Mutex
	root *node
}

var _ FileSystem = (*MemoryFS)(nil)

// node is one file, directory or link. Content is replaced, never changed in
// place, so that open files keep what they opened.
type node struct {
	mode  fs.FileMode
	mtime time.Time
	data  []byte
	link  string
	kids  map[string]*node
}

// NewMemoryFS returns a file system that holds an empty root directory.
func NewMemoryFS() *MemoryFS {
	return &MemoryFS{root: &node{mode: fs.ModeDir | 0o755, kids: map[string]*node{}}}
}

// Put makes a file with the given content, with its parents; a name that ends
// in "/" makes a directory. It panics where the name can not be, as it is meant
// for setting up tests.
func (m *MemoryFS) Put(name, content string) {
	ctx := context.Background()
	dir := path.Dir(name)
	if strings.HasSuffix(name, "/") {
		dir = path.Clean(name)
	}
	err := m.MkdirAll(ctx, dir, 0o755)
	if err == nil && !strings.HasSuffix(name, "/") {
		err = m.WriteFile(ctx, name, []byte(content), 0o644)
	}
	if err != nil {
		panic(err)
	}
}

// Symlink makes name a symbolic link to target.
func (m *MemoryFS) Symlink(target, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent("symlink", name)
	if err != nil {
		return err
	}
	if dir.kids[base] != nil {
		return &fs.PathError{Op: "symlink", Path: name, Err: fs.ErrExist}
	}
	dir.kids[base] = &node{mode: fs.ModeSymlink | 0o777, mtime: m.now(), link: target}
	return nil
}

// Chmod sets the permission bits of a file.
func (m *MemoryFS) Chmod(name string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, err := m.find("chmod", name, true)
	if err != nil {
		return err
	}
	n.mode = n.mode.Type() | perm.Perm()
	return nil
}

func (m *MemoryFS) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// enter begins an operation. The caller unlocks mu when the error is nil.
func (m *MemoryFS) enter(ctx context.Context, op, name string) error {
	if err := live(ctx, op, name); err != nil {
		return err
	}
	if m.Fault != nil {
		if err := m.Fault(op, name); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	m.mu.Lock()
	return nil
}

// find returns the node of a name and its real path. With follow it follows a
// link in the last element too.
func (m *MemoryFS) find(op, name string, follow bool) (*node, string, error) {
	fail := func(err error) (*node, string, error) {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	if !strings.HasPrefix(name, "/") {
		return fail(errors.New("not an absolute path"))
	}
	todo := strings.Split(name, "/")
	stack, names := []*node{m.root}, []string{}
	for links := 0; len(todo) > 0; {
		elem := todo[0]
		todo = todo[1:]
		here := stack[len(stack)-1]
		if !here.mode.IsDir() {
			return fail(errNotDir)
		}
		switch elem {
		case "", ".":
			continue
		case "..":
			if len(stack) > 1 {
				stack, names = stack[:len(stack)-1], names[:len(names)-1]
			}
			continue
		}
		next := here.kids[elem]
		if next == nil {
			return fail(fs.ErrNotExist)
		}
		if next.mode&fs.ModeSymlink != 0 && (follow || strings.Join(todo, "") != "") {
			if links++; links > 40 {
				return fail(errLoop)
			}
			if strings.HasPrefix(next.link, "/") {
				stack, names = stack[:1], nil
			}
			todo = append(strings.Split(next.link, "/"), todo...)
			continue
		}
		stack, names = append(stack, next), append(names, elem)
	}
	return stack[len(stack)-1], "/" + strings.Join(names, "/"), nil
}

// parent returns the directory in which name is, or would be.
func (m *MemoryFS) parent(op, name string) (dir *node, base string, err error) {
	clean := path.Clean(name)
	if clean == "/" {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	dir, _, err = m.find(op, path.Dir(clean), true)
	if err != nil {
		var pe *fs.PathError
		errors.As(err, &pe)
		return nil, "", &fs.PathError{Op: op, Path: name, Err: pe.Err}
	}
	if !dir.mode.IsDir() {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: errNotDir}
	}
	return dir, path.Base(clean), nil
}

// ReadFile returns a copy of a file's content.
func (m *MemoryFS) ReadFile(ctx context.Context, name string) ([]byte, error) {
	f, err := m.open(ctx, "readfile", name)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(f.node.data), nil
}

// Open opens a file for reading.
func (m *MemoryFS) Open(ctx context.Context, name string) (fs.File, error) {
	f, err := m.open(ctx, "open", name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (m *MemoryFS) open(ctx context.Context, op, name string) (*memoryFile, error) {
	if err := m.enter(ctx, op, name); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	n, _, err := m.find(op, name, true)
	switch {
	case err != nil:
		return nil, err
	case n.mode.IsDir():
		return nil, &fs.PathError{Op: op, Path: name, Err: errIsDir}
	case n.mode&0o444 == 0:
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	snapshot := *n
	return &memoryFile{Reader: bytes.NewReader(n.data), node: snapshot, name: path.Base(name)}, nil
}

// memoryFile is a file open for reading: what it was when it was opened.
type memoryFile struct {
	*bytes.Reader
	node node
	name string
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return memoryInfo{f.name, f.node}, nil }
func (f *memoryFile) Close() error               { return nil }

// WriteFile replaces the content of a file.
func (m *MemoryFS) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	const op = "writefile"
	if err := m.enter(ctx, op, name); err != nil {
		return err
	}
	defer m.mu.Unlock()
	target := path.Clean(name)
	for links := 0; ; links++ {
		dir, base, err := m.parent(op, target)
		if err != nil {
			return err
		}
		old := dir.kids[base]
		switch {
		case old == nil && dir.mode&0o222 == 0:
			return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
		case old == nil:
			dir.kids[base] = &node{mode: perm.Perm(), mtime: m.now(), data: bytes.Clone(data)}
			return nil
		case old.mode&fs.ModeSymlink != 0 && links > 40:
			return &fs.PathError{Op: op, Path: name, Err: errLoop}
		case old.mode&fs.ModeSymlink != 0:
			_, real, err := m.find(op, path.Dir(target), true)
			if err != nil {
				return err
			}
			if target = old.link; !path.IsAbs(target) {
				target = path.Join(real, target)
			}
			continue
		case old.mode.IsDir():
			return &fs.PathError{Op: op, Path: name, Err: errIsDir}
		case old.mode&0o222 == 0:
			return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
		}
		old.data, old.mtime = bytes.Clone(data), m.now()
		return nil
	}
}

// CreateTemp makes a temporary file.
func (m *MemoryFS) CreateTemp(ctx context.Context, dir, pattern string) (TempFile, error) {
	const op = "createtemp"
	if dir == "" {
		dir = "/tmp"
	}
	if err := m.enter(ctx, op, dir); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	prefix, suffix := splitPattern(pattern)
	name := path.Join(dir, prefix+randomName()+suffix)
	parent, base, err := m.parent(op, name)
	if err != nil {
		return nil, err
	}
	n := &node{mode: 0o600, mtime: m.now()}
	parent.kids[base] = n
	return &memoryTemp{fsys: m, node: n, name: name}, nil
}

type memoryTemp struct {
	fsys   *MemoryFS
	node   *node
	name   string
	closed bool
}

func (t *memoryTemp) Name() string { return t.name }

func (t *memoryTemp) Write(b []byte) (int, error) {
	if t.fsys.Fault != nil {
		if err := t.fsys.Fault("write", t.name); err != nil {
			return 0, &fs.PathError{Op: "write", Path: t.name, Err: err}
		}
	}
	t.fsys.mu.Lock()
	defer t.fsys.mu.Unlock()
	if t.closed {
		return 0, &fs.PathError{Op: "write", Path: t.name, Err: fs.ErrClosed}
	}
	// Readers that opened the file before see the prefix they know: append writes
	// behind it or elsewhere.
	t.node.data, t.node.mtime = append(t.node.data, b...), t.fsys.now()
	return len(b), nil
}

func (t *memoryTemp) Close() error {
	t.fsys.mu.Lock()
	defer t.fsys.mu.Unlock()
	if t.closed {
		return &fs.PathError{Op: "close", Path: t.name, Err: fs.ErrClosed}
	}
	t.closed = true
	return nil
}

// Stat describes a file.
func (m *MemoryFS) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	return m.stat(ctx, "stat", name, true)
}

// Lstat describes a name.
func (m *MemoryFS) Lstat(ctx context.Context, name string) (fs.FileInfo, error) {
	return m.stat(ctx, "lstat", name, false)
}

func (m *MemoryFS) stat(ctx context.Context, op, name string, follow bool) (fs.FileInfo, error) {
	if err := m.enter(ctx, op, name); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	n, _, err := m.find(op, name, follow)
	if err != nil {
		return nil, err
	}
	return memoryInfo{path.Base(name), *n}, nil
}

// RealPath resolves links.
func (m *MemoryFS) RealPath(ctx context.Context, name string) (string, error) {
	if err := m.enter(ctx, "realpath", name); err != nil {
		return "", err
	}
	defer m.mu.Unlock()
	_, real, err := m.find("realpath", name, true)
	return real, err
}

// ReadDir lists a directory.
func (m *MemoryFS) ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	const op = "readdir"
	if err := m.enter(ctx, op, name); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	n, _, err := m.find(op, name, true)
	switch {
	case err != nil:
		return nil, err
	case !n.mode.IsDir():
		return nil, &fs.PathError{Op: op, Path: name, Err: errNotDir}
	case n.mode&0o444 == 0:
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	list := make([]fs.DirEntry, 0, len(n.kids))
	for base, kid := range n.kids {
		list = append(list, fs.FileInfoToDirEntry(memoryInfo{base, *kid}))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// MkdirAll makes directories.
func (m *MemoryFS) MkdirAll(ctx context.Context, name string, perm fs.FileMode) error {
	const op = "mkdirall"
	if err := m.enter(ctx, op, name); err != nil {
		return err
	}
	defer m.mu.Unlock()
	clean := path.Clean(name)
	for end := 1; end <= len(clean); end++ {
		if end < len(clean) && clean[end] != '/' {
			continue
		}
		part := clean[:end]
		n, _, err := m.find(op, part, true)
		switch {
		case err == nil && n.mode.IsDir():
			continue
		case err == nil:
			return &fs.PathError{Op: op, Path: part, Err: errNotDir}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		dir, base, err := m.parent(op, part)
		switch {
		case err != nil:
			return err
		case dir.kids[base] != nil: // a link to nowhere
			return &fs.PathError{Op: op, Path: part, Err: fs.ErrExist}
		case dir.mode&0o222 == 0:
			return &fs.PathError{Op: op, Path: part, Err: fs.ErrPermission}
		}
		dir.kids[base] = &node{mode: fs.ModeDir | perm.Perm(), mtime: m.now(), kids: map[string]*node{}}
	}
	return nil
}

// Rename moves a name.
func (m *MemoryFS) Rename(ctx context.Context, from, to string) error {
	const op = "rename"
	if err := m.enter(ctx, op, from); err != nil {
		return err
	}
	defer m.mu.Unlock()
	dir, base, err := m.parent(op, from)
	if err != nil {
		return err
	}
	n := dir.kids[base]
	if n == nil {
		return &fs.PathError{Op: op, Path: from, Err: fs.ErrNotExist}
	}
	toDir, toBase, err := m.parent(op, to)
	if err != nil {
		return err
	}
	if n.mode.IsDir() && strings.HasPrefix(path.Clean(to)+"/", path.Clean(from)+"/") && path.Clean(to) != path.Clean(from) {
		return &fs.PathError{Op: op, Path: to, Err: fs.ErrInvalid}
	}
	if old := toDir.kids[toBase]; old != nil && old != n {
		switch {
		case old.mode.IsDir() && !n.mode.IsDir():
			return &fs.PathError{Op: op, Path: to, Err: errIsDir}
		case !old.mode.IsDir() && n.mode.IsDir():
			return &fs.PathError{Op: op, Path: to, Err: errNotDir}
		case len(old.kids) > 0:
			return &fs.PathError{Op: op, Path: to, Err: errInUse}
		}
	}
	delete(dir.kids, base)
	toDir.kids[toBase] = n
	return nil
}

// Remove removes a name.
func (m *MemoryFS) Remove(ctx context.Context, name string) error {
	const op = "remove"
	if err := m.enter(ctx, op, name); err != nil {
		return err
	}
	defer m.mu.Unlock()
	dir, base, err := m.parent(op, name)
	if err != nil {
		return err
	}
	n := dir.kids[base]
	switch {
	case n == nil:
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	case len(n.kids) > 0:
		return &fs.PathError{Op: op, Path: name, Err: errInUse}
	}
	delete(dir.kids, base)
	return nil
}

// memoryInfo describes a node as it was when it was asked for.
type memoryInfo struct {
	name string
	node node
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Mode() fs.FileMode  { return i.node.mode }
func (i memoryInfo) ModTime() time.Time { return i.node.mtime }
func (i memoryInfo) IsDir() bool        { return i.node.mode.IsDir() }
func (i memoryInfo) Sys() any           { return nil }
func (i memoryInfo) Size() int64 {
	if i.node.link != "" {
		return int64(len(i.node.link))
	}
	return int64(len(i.node.data))
}
