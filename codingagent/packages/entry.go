package packages

import (
	"encoding/json"

	"github.com/pi-go/pi/ai/jsonobj"
)

// setKey sets a key of an object, and keeps all others as they are; nil removes it.
func setKey(object json.RawMessage, key string, value any) (json.RawMessage, error) {
	doc, err := jsonobj.Open("", object, jsonobj.Strict)
	if err != nil {
		return nil, err
	}
	if value == nil {
		_, err = doc.Delete(key)
	} else {
		err = doc.Set(value, key)
	}
	return doc.Bytes(), err
}
