// Package npmtest is an npm registry on loopback, for tests.
//
//	reg := npmtest.Start(t)
//	reg.Publish(npmtest.Package{Name: "a", Version: "1.0.0", Files: map[string]string{"index.js": ""}})
//	reg.URL // to be configured as registry
package npmtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Package is one version of a package to publish.
type Package struct {
	Name, Version string
	// Manifest are further keys of package.json, such as "dependencies".
	Manifest map[string]any
	Files    map[string]string
	// Entries are put into the tarball as they are, behind the files.
	Entries []tar.Header
	// Tarball, if not nil, is served instead of what is made of the files.
	Tarball []byte
	// Integrity, if not empty, is told instead of the right one; OnlyShasum leaves
	// it out.
	Integrity  string
	OnlyShasum bool
	// Tag is the tag that the version gets; "" is latest.
	Tag string
}

// Registry is a running server.
type Registry struct {
	URL string
	tb  testing.TB

	mu       sync.Mutex
	packages map[string]map[string]any // packuments
	tarballs map[string][]byte         // by path
	requests []string
	// token, if set, must come with every request.
	token string
	wait  map[string]chan struct{}
}

// Start starts a registry, which stops with the test.
func Start(tb testing.TB) *Registry {
	tb.Helper()
	r := &Registry{tb: tb, packages: map[string]map[string]any{}, tarballs: map[string][]byte{}, wait: map[string]chan struct{}{}}
	server := httptest.NewServer(r)
	tb.Cleanup(server.Close)
	r.URL = server.URL + "/"
	return r
}

// RequireToken makes every request need a bearer token.
func (r *Registry) RequireToken(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.token = token
}

// Hold makes downloads of a tarball wait until the result is called.
func (r *Registry) Hold(name, version string) (release func()) {
	c := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait[tarballPath(name, version)] = c
	return sync.OnceFunc(func() { close(c) })
}

// Requests lists the paths that were asked for.
func (r *Registry) Requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Forget empties the list of requests.
func (r *Registry) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

func tarballPath(name, version string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return "/" + name + "/-/" + base + "-" + version + ".tgz"
}

// Publish adds a version.
func (r *Registry) Publish(p Package) {
	r.tb.Helper()
	manifest := map[string]any{"name": p.Name, "version": p.Version}
	maps.Copy(manifest, p.Manifest)
	data := p.Tarball
	if data == nil {
		data = pack(r.tb, p, manifest)
	}
	strong, weak := sha512.Sum512(data), sha1.Sum(data)
	dist := map[string]any{
		"tarball": strings.TrimSuffix(r.URL, "/") + tarballPath(p.Name, p.Version), "shasum": hex.EncodeToString(weak[:]),
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(strong[:]),
	}
	if p.Integrity != "" {
		dist["integrity"] = p.Integrity
	}
	if p.OnlyShasum {
		delete(dist, "integrity")
	}
	entry := maps.Clone(manifest)
	entry["dist"] = dist
	r.mu.Lock()
	defer r.mu.Unlock()
	doc := r.packages[p.Name]
	if doc == nil {
		doc = map[string]any{"name": p.Name, "dist-tags": map[string]any{}, "versions": map[string]any{}}
		r.packages[p.Name] = doc
	}
	tag := p.Tag
	if tag == "" {
		tag = "latest"
	}
	doc["dist-tags"].(map[string]any)[tag] = p.Version
	doc["versions"].(map[string]any)[p.Version] = entry
	r.tarballs[tarballPath(p.Name, p.Version)] = data
}

// pack makes a tarball as npm does.
func pack(tb testing.TB, p Package, manifest map[string]any) []byte {
	tb.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	archive := tar.NewWriter(zipped)
	check := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	put := func(h tar.Header, text string) {
		h.Size = int64(len(text))
		check(archive.WriteHeader(&h))
		_, err := archive.Write([]byte(text))
		check(err)
	}
	text, err := json.Marshal(manifest)
	check(err)
	if _, own := p.Files["package.json"]; !own {
		put(tar.Header{Name: "package/package.json", Mode: 0o644, Typeflag: tar.TypeReg}, string(text))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		put(tar.Header{Name: "package/" + name, Mode: 0o644, Typeflag: tar.TypeReg}, p.Files[name])
	}
	for _, h := range p.Entries {
		put(h, strings.Repeat("x", int(h.Size)))
	}
	check(archive.Close())
	check(zipped.Close())
	return b.Bytes()
}

// ServeHTTP answers as a registry does.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	path, err := url.PathUnescape(req.URL.EscapedPath())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.requests = append(r.requests, path)
	token, data, held, doc := r.token, r.tarballs[path], r.wait[path], []byte(nil)
	if p := r.packages[strings.TrimPrefix(path, "/")]; p != nil {
		doc, err = json.Marshal(p)
	}
	r.mu.Unlock()
	switch {
	case token != "" && req.Header.Get("Authorization") != "Bearer "+token:
		http.Error(w, "login needed", http.StatusUnauthorized)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case data != nil:
		if held != nil {
			select {
			case <-held:
			case <-req.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(data)
	case doc != nil:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(doc)
	default:
		http.Error(w, `{"error":"not found"}`, http.StatusNotFound)
	}
}
