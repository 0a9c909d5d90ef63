package modelstore

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/pi-go/pi/ai"
)

// decode reads a stored list. A model that can not be read is left out: a later
// version may have written it.
func decode(raw json.RawMessage) (*ai.ModelList, error) {
	var stored struct {
		Models       []json.RawMessage `json:"models"`
		LastModified float64           `json:"lastModified"` // JavaScript writes 1e12 too
		CheckedAt    float64           `json:"checkedAt"`
		ETag         string            `json:"etag"`
	}
	if json.Unmarshal(raw, &stored) != nil {
		return nil, errors.New("the stored list of models is not one; it is asked for anew")
	}
	list := &ai.ModelList{LastModified: milliseconds(stored.LastModified), CheckedAt: milliseconds(stored.CheckedAt), ETag: stored.ETag}
	for _, raw := range stored.Models {
		// The file is indented, and a model keeps some of its fields as they came.
		var plain bytes.Buffer
		m := new(ai.Model)
		if string(raw) != "null" && json.Compact(&plain, raw) == nil && json.Unmarshal(plain.Bytes(), m) == nil {
			list.Models = append(list.Models, m)
		}
	}
	return list, nil
}

// milliseconds is a point in time; 0 for what can be none.
func milliseconds(n float64) int64 {
	if n > 0 && n < 1<<53 {
		return int64(n)
	}
	return 0
}
