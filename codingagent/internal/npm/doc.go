// Package npm fetches packages from npm registries without npm: it reads a
// registry's metadata, picks versions by ranges, downloads and checks tarballs,
// and unpacks a package with its dependencies into a directory.
//
// Nothing of a package is ever run: there are no lifecycle scripts, no native
// builds and no links to commands. Peer dependencies are the host's business and
// are not installed, nor are development dependencies.
//
//	r := npm.Registry{Client: http.DefaultClient, Config: npm.Config{}}
//	spec, err := npm.ParseSpec("@scope/tool@^1.2")
//	tree, err := r.Resolve(ctx, spec, nil)
//	err = r.Unpack(ctx, tree, dir) // dir/package.json, dir/node_modules/...
package npm
