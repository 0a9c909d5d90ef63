package auth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// InstallationID gives the id of this installation, "deviceId" of the settings.json at
// path, and makes one the first time that a login needs it. It is a random UUID that says
// nothing about the machine or its owner.
func InstallationID(ctx context.Context, path string) (string, error) {
	id := ""
	err := lockfile.Update(ctx, path, lockfile.Brief(), func(old []byte) ([]byte, error) {
		doc, err := jsonobj.Open(path, old, jsonobj.Strict)
		if err != nil {
			return nil, err
		}
		if raw, ok := doc.Get("deviceId"); ok && json.Unmarshal(raw, &id) == nil && id != "" {
			return nil, nil
		}
		id = newUUID()
		if err := doc.Set(id, "deviceId"); err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
	if err != nil {
		return "", fmt.Errorf("the id of this installation: %w", err)
	}
	return id, nil
}

// newUUID makes a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
