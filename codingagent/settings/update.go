package settings

import (
	"context"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// Update changes some keys of a settings file under its lock, which other
// programs take too; nil removes a key. All else in the file stays as it is,
// byte for byte. A file that is not JSON is left alone, and the error says
// where it is wrong.
func Update(ctx context.Context, path string, changes map[string]any) error {
	return lockfile.Update(ctx, path, lockfile.Options{}, func(old []byte) ([]byte, error) {
		return change(path, old, changes)
	})
}

func change(path string, old []byte, changes map[string]any) ([]byte, error) {
	doc, err := jsonobj.Open(path, old, jsonobj.Strict)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if changes[key] == nil {
			_, err = doc.Delete(key)
		} else {
			err = doc.Set(changes[key], key)
		}
		if err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}
