package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
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
)

// Checkout is a package in a directory, as [Registry.Git] gives it.
type Checkout struct {
	Dir string
	// Resolved is its address, with the commit.
	Resolved string
}

// foreign finds a dependency that no registry has: a tarball at an address, or a
// repository. What a dependency asks for twice is fetched once.
func (r *Registry) foreign(ctx context.Context, name, want string) (*Manifest, error) {
	r.mu.Lock()
	m := r.foreigners[want]
	r.mu.Unlock()
	if m != nil {
		return m, nil
	}
	m, err := r.fetchForeign(ctx, want)
	if err != nil {
		return nil, fmt.Errorf("the dependency %s is %q: %w", name, want, err)
	}
	m.from = want
	if m.Version == "" {
		m.Version = "0.0.0"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.foreigners == nil {
		r.foreigners = make(map[string]*Manifest)
	}
	r.foreigners[want] = m
	return m, nil
}

func (r *Registry) fetchForeign(ctx context.Context, want string) (*Manifest, error) {
	scheme, _, _ := strings.Cut(want, ":")
	switch scheme {
	case "file", "link", "portal", "workspace", "patch":
		return nil, errors.New("it is a path of the machine that the package was made on, and can not be fetched")
	}
	if strings.HasPrefix(want, ".") || strings.HasPrefix(want, "/") || strings.HasPrefix(want, "~") {
		return nil, errors.New("it is a path of the machine that the package was made on, and can not be fetched")
	}
	u, err := url.Parse(want)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.HasSuffix(u.Path, ".git") {
		return r.fetchTarball(ctx, u)
	}
	if r.Git == nil {
		return nil, errors.New("repositories can not be fetched here; set npmCommand to use npm")
	}
	c, err := r.Git(ctx, want)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(c.Dir, "package.json"))
	if err != nil {
		return nil, fmt.Errorf("it holds no package.json that can be read: %w", err)
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil, err
	}
	m.checkout, m.Dist = c.Dir, Dist{Tarball: c.Resolved}
	return m, nil
}

// parseManifest reads package.json.
func parseManifest(data []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), m); err != nil {
		return nil, fmt.Errorf("its package.json: %w", err)
	}
	if err := CheckName(m.Name); err != nil {
		return nil, fmt.Errorf("its package.json: %w", err)
	}
	return m, nil
}

// fetchTarball downloads a package to see what it is. That it is the same when it is
// unpacked is checked by its sum.
func (r *Registry) fetchTarball(ctx context.Context, u *url.URL) (*Manifest, error) {
	body, err := r.get(ctx, u, "*/*")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	limits := r.Limits.filled()
	data, err := readAtMost(body, limits.Tarball)
	if err != nil {
		return nil, err
	}
	text, err := manifestIn(data, limits)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(data)
	m.Dist = Dist{Tarball: u.String(), Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	return m, nil
}

// manifestIn finds package.json in a tarball.
func manifestIn(data []byte, limits Limits) ([]byte, error) {
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("it is no gzip file: %w", err)
	}
	archive := tar.NewReader(io.LimitReader(zipped, limits.Unpacked))
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it holds no package.json")
		}
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		name, err := inside(h.Name)
		if err != nil {
			return nil, err
		}
		if name == "package.json" && h.Typeflag == tar.TypeReg {
			return readAtMost(archive, limits.Metadata)
		}
	}
}

// copyCheckout copies the files of a repository into a directory of the tree: no
// links, and nothing of git or of what somebody has installed in it.
func copyCheckout(ctx context.Context, from string, root *os.Root, dir string, limits Limits) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	var size int64
	var count int
	return fs.WalkDir(source.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules"):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if count++; count > limits.Files {
			return fmt.Errorf("it holds more than %d files", limits.Files)
		}
		if size += info.Size(); size > limits.Unpacked {
			return fmt.Errorf("it is larger than %d bytes", limits.Unpacked)
		}
		f, err := source.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return writeFile(root, path.Join(dir, name), f, info.Mode())
	})
}
