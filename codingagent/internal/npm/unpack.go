package npm

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Unpack downloads every package of a tree, checks it, and unpacks it below dir,
// which must be there and empty of them. A root without a tarball is skipped: only
// what it depends on is fetched. On an error dir holds a part of the tree.
func (r *Registry) Unpack(ctx context.Context, t *Tree, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The places are worked on by a few; a package inside another has a directory
	// of its own, so that the order does not matter.
	const workers = 6
	work := make(chan Place)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() {
			for p := range work {
				if err := r.fetch(ctx, root, p); err != nil && errs[i] == nil {
					errs[i] = err
					cancel()
				}
			}
		})
	}
	for _, p := range t.Places {
		if p.Manifest.Dist.Tarball == "" && p.Dir == "." {
			continue
		}
		select {
		case work <- p:
		case <-ctx.Done():
		}
	}
	close(work)
	wait.Wait()
	for _, err := range errs { // the cause, not those that were cancelled for it
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return cmp.Or(errors.Join(errs...), context.Cause(ctx))
}

// fetch downloads one package to a file, checks that, and unpacks it.
func (r *Registry) fetch(ctx context.Context, root *os.Root, p Place) (err error) {
	m := p.Manifest
	defer func() {
		if err != nil {
			err = fmt.Errorf("fetch %s %s: %w", m.Name, m.Version, err)
		}
	}()
	if m.checkout != "" {
		if err := root.MkdirAll(p.Dir, 0o755); err != nil {
			return err
		}
		if err := copyCheckout(ctx, m.checkout, root, p.Dir, r.Limits.filled()); err != nil {
			return err
		}
		return checkManifest(root, p)
	}
	sum, err := newChecksum(m.Dist)
	if err != nil {
		return err
	}
	u, err := url.Parse(m.Dist.Tarball)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("%q is no http address", m.Dist.Tarball)
	}
	if base, err := r.Config.Registry(m.Name); m.from != "" {
		// it is of no registry
	} else if err != nil {
		return err
	} else if base.Scheme == "https" && u.Scheme == "http" {
		u.Scheme = "https" // registries behind a proxy often give their own address wrongly
	}
	body, err := r.get(ctx, u, "*/*")
	if err != nil {
		return err
	}
	defer body.Close()
	limits := r.Limits.filled()
	data, err := readAtMost(body, limits.Tarball)
	if err != nil {
		return err
	}
	if err := sum.check(bytes.NewReader(data)); err != nil {
		return err
	}
	if err := root.MkdirAll(p.Dir, 0o755); err != nil {
		return err
	}
	if err := extract(ctx, bytes.NewReader(data), root, p.Dir, limits); err != nil {
		return err
	}
	return checkManifest(root, p)
}

// checkManifest sees to it that the files are those of the package.
func checkManifest(root *os.Root, p Place) error {
	data, err := root.ReadFile(path.Join(p.Dir, "package.json"))
	if err != nil {
		return fmt.Errorf("it holds no package.json that can be read: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &m); err != nil {
		return fmt.Errorf("its package.json: %w", err)
	}
	if m.Name != p.Manifest.Name {
		return fmt.Errorf("its package.json is that of %q", m.Name)
	}
	return nil
}

// extract unpacks a gzipped tar below dir. The first directory of each name is
// left out. Links are not made, whatever they lead to, and neither are devices; a
// name that would leave the directory fails the whole.
func extract(ctx context.Context, r io.Reader, root *os.Root, dir string, limits Limits) error {
	zipped, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("it is no gzip file: %w", err)
	}
	// The limit on files leaves out what is no file, which takes time as well.
	const overhead = 1 << 30
	archive := tar.NewReader(io.LimitReader(zipped, limits.Unpacked+overhead))
	var size int64
	var count int
	for {
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("unpack: %w", err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeDir {
			continue
		}
		name, err := inside(h.Name)
		if err != nil {
			return err
		}
		if name == "" || h.Typeflag == tar.TypeDir {
			continue // directories are made for the files in them
		}
		if count++; count > limits.Files {
			return fmt.Errorf("it holds more than %d files", limits.Files)
		}
		if size += h.Size; size > limits.Unpacked || h.Size < 0 {
			return fmt.Errorf("it is larger than %d bytes when it is unpacked", limits.Unpacked)
		}
		if err := writeFile(root, path.Join(dir, name), archive, h.FileInfo().Mode()); err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, r io.Reader, mode fs.FileMode) (err error) {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, r)
	return err
}

// inside gives the name of a file in a package, without the first directory, ""
// for that directory itself.
func inside(name string) (string, error) {
	bad := fmt.Errorf("it holds a file named %q, which would be outside of it", name)
	if strings.ContainsAny(name, "\x00\\") || strings.HasPrefix(name, "/") {
		return "", bad
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	if first == ".." {
		return "", bad
	}
	rest = strings.TrimSuffix(rest, "/")
	if rest == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(rest, "/") {
		if part == ".." {
			return "", bad
		}
	}
	rest = path.Clean(rest)
	if !filepath.IsLocal(filepath.FromSlash(rest)) { // NUL and C: on Windows, too
		return "", bad
	}
	return rest, nil
}
