package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// Update changes some keys of a settings file under its lock, which other
// programs take too; nil removes a key. A key in an object is named with it, as
// in "retry.maxRetries", the level of a model as "modelThinkingLevels.provider/id". All else in the file stays as it is,
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
	if err := migrate(doc); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		at, err := keyPath(key)
		if err != nil {
			return nil, err
		}
		if changes[key] == nil {
			_, err = doc.Delete(at...)
		} else {
			err = doc.Set(changes[key], at...)
		}
		if err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

// UpdateList changes a list at the top of a settings file, such as "packages",
// under the lock of [Update]. change gets the elements as they are written and
// returns the new ones. A list that was not there and stays empty is not made; a
// value that is no list is an error.
func UpdateList(ctx context.Context, path, key string, change func(items []json.RawMessage) ([]json.RawMessage, error)) error {
	return lockfile.Update(ctx, path, lockfile.Options{}, func(old []byte) ([]byte, error) {
		if _, err := keyPath(key); err != nil {
			return nil, err
		}
		doc, err := jsonobj.Open(path, old, jsonobj.Strict)
		if err != nil {
			return nil, err
		}
		if err := migrate(doc); err != nil {
			return nil, err
		}
		var items []json.RawMessage
		raw, have := doc.Get(key)
		if have && json.Unmarshal(raw, &items) != nil {
			return nil, fmt.Errorf("%s: %q is %s, and should be a list", path, key, shown(raw))
		}
		if items, err = change(items); err != nil {
			return nil, err
		}
		if len(items) == 0 && !have {
			return old, nil
		}
		if items == nil {
			items = []json.RawMessage{}
		}
		if err := doc.Set(items, key); err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
}

// keyPath gives where a setting, or an object of some, is in the file. What this program
// does not know is an error that names the nearest: written, it would change nothing.
func keyPath(key string) ([]string, error) {
	const levels = "modelThinkingLevels"
	if model, ok := strings.CutPrefix(key, levels+"."); ok && model != "" {
		return []string{levels, model}, nil // ids of models have dots
	}
	known := knownKeys()
	if !slices.Contains(known, key) && !groupOf(key, known) {
		return nil, fmt.Errorf("there is no setting %q%s", key, ai.DidYouMean(key, known))
	}
	return strings.Split(key, "."), nil
}
