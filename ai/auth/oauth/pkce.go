package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/pi-go/pi/ai/auth"
)

// PKCE is a secret of this login, and what is shown of it before (RFC 7636).
type PKCE struct {
	Verifier  string
	Challenge string // the SHA-256 of Verifier; the method is S256
}

// NewPKCE makes a pair from 32 random bytes.
func NewPKCE(h auth.Host) (PKCE, error) {
	verifier, err := RandomToken(h)
	if err != nil {
		return PKCE{}, err
	}
	sum := sha256.Sum256([]byte(verifier))
	return PKCE{Verifier: verifier, Challenge: base64.RawURLEncoding.EncodeToString(sum[:])}, nil
}

// RandomToken gives 32 random bytes as 43 characters that are safe in an address.
func RandomToken(h auth.Host) (string, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(h.WithDefaults().Random, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
