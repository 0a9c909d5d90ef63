package npm

import (
	"bytes"
	"crypto/sha1" // old packages have no other checksum
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// ErrIntegrity says that what was downloaded is not what was promised.
var ErrIntegrity = errors.New("the checksum is wrong")

// checksum checks what passes through it.
type checksum struct {
	hash hash.Hash
	name string
	want [][]byte // any of them
}

// newChecksum takes the strongest checksum there is.
func newChecksum(d Dist) (*checksum, error) {
	for _, algorithm := range []struct {
		name string
		hash func() hash.Hash
	}{{"sha512", sha512.New}, {"sha384", sha512.New384}, {"sha256", sha256.New}, {"sha1", sha1.New}} {
		c := &checksum{name: algorithm.name, hash: algorithm.hash()}
		for word := range strings.FieldsSeq(d.Integrity) {
			text, ok := strings.CutPrefix(word, algorithm.name+"-")
			if !ok {
				continue
			}
			text, _, _ = strings.Cut(text, "?")
			sum, err := base64.StdEncoding.DecodeString(text)
			if err != nil || len(sum) != c.hash.Size() {
				return nil, fmt.Errorf("the checksum %q can not be read", word)
			}
			c.want = append(c.want, sum)
		}
		if len(c.want) > 0 {
			return c, nil
		}
	}
	if d.Integrity != "" {
		return nil, fmt.Errorf("no checksum of %q is of a known kind", d.Integrity)
	}
	if d.Shasum == "" {
		return nil, errors.New("the registry gives no checksum")
	}
	sum, err := hex.DecodeString(d.Shasum)
	if err != nil || len(sum) != sha1.Size {
		return nil, fmt.Errorf("the checksum %q can not be read", d.Shasum)
	}
	return &checksum{sha1.New(), "sha1", [][]byte{sum}}, nil
}

// check reads r to its end and compares.
func (c *checksum) check(r io.Reader) error {
	if _, err := io.Copy(c.hash, r); err != nil {
		return err
	}
	got := c.hash.Sum(nil)
	for _, w := range c.want {
		if bytes.Equal(w, got) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s is %s, and should be %s", ErrIntegrity, c.name, base64.StdEncoding.EncodeToString(got), base64.StdEncoding.EncodeToString(c.want[0]))
}

// contradict reports whether two lists of checksums can not be of the same file:
// they have an algorithm in common, and no sum of it.
func contradict(a, b string) bool {
	sums := map[string][]string{}
	for word := range strings.FieldsSeq(a) {
		algorithm, sum, _ := strings.Cut(word, "-")
		sums[algorithm] = append(sums[algorithm], sum)
	}
	for word := range strings.FieldsSeq(b) {
		algorithm, sum, _ := strings.Cut(word, "-")
		if have, ok := sums[algorithm]; ok && !slices.Contains(have, sum) {
			return true
		}
	}
	return false
}
