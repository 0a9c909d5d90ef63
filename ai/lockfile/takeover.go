package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
)

// takeOverByName takes a stale lock away by renaming it, for systems on which a
// directory can not be locked itself. A new lock that somebody made in between is
// put back.
func takeOverByName(dir string, stale func(fs.FileInfo) bool) (bool, error) {
	aside := fmt.Sprintf("%s.%08x", dir, rand.Uint32())
	if err := os.Rename(dir, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || sharing(err) {
			return false, nil
		}
		return false, err
	}
	info, err := os.Stat(aside)
	if err == nil && !stale(info) {
		os.Rename(aside, dir) // if that fails, its holder notices
		return false, nil
	}
	if err := os.Remove(aside); err != nil {
		return false, err
	}
	err = os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) || sharing(err) {
		return false, nil
	}
	return err == nil, err
}
