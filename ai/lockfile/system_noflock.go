//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package lockfile

import (
	"io/fs"
	"time"
)

func takeOver(dir string, stale func(fs.FileInfo) bool, _ time.Time) (bool, error) {
	return takeOverByName(dir, stale)
}
