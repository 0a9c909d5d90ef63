//go:build !unix && !windows

package lockfile

import (
	"io/fs"
	"os"
)

func sharing(error) bool              { return false }
func retry(op func() error) error     { return op() }
func keepOwner(*os.File, fs.FileInfo) {}
func syncDir(string)                  {}
