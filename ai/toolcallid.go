package ai

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// IDRule gives the id under which a tool call goes to a vendor. The id is the
// stored one; same says that the call was made by the model that is asked now,
// so that its vendor accepts it as it is. A vendor may repeat its ids from turn
// to turn, and two ids may become alike when they are made legal: while the
// result is taken by an earlier call, the rule is asked again with attempt 1,
// 2, …, for an id that differs from its others.
//
// A rule depends on its arguments only, and its results are stable: for an id
// that it gave before, it gives the same at attempt 0.
type IDRule func(id string, same bool, attempt int) string

// PlainIDs is the rule of vendors that take ids of up to limit letters, digits,
// "_" and "-": other characters become "_", and what is too long is cut.
func PlainIDs(limit int) IDRule {
	return func(id string, _ bool, attempt int) string { return PlainID(id, limit, attempt) }
}

// PlainID makes one id as [PlainIDs] describes. An attempt above 0 ends in a
// hash.
func PlainID(id string, limit, attempt int) string {
	legal := true
	for i := range len(id) {
		if !plainIDByte(id[i]) {
			legal = false
			break
		}
	}
	if legal && len(id) <= limit && attempt == 0 {
		return id
	}
	clean := []byte(id)
	if !legal {
		clean = clean[:0]
		for _, r := range id { // one "_" for one character
			if r < 0x80 && plainIDByte(byte(r)) {
				clean = append(clean, byte(r))
			} else {
				clean = append(clean, '_')
			}
		}
	}
	if attempt == 0 {
		return string(clean[:min(len(clean), limit)])
	}
	tail := "_" + ShortHash(id+"#"+itoa(attempt))
	return string(clean[:max(0, min(len(clean), limit-len(tail)))]) + tail
}

// ShortHash is eight hexadecimal digits that depend on s, the same on every
// machine.
func ShortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

func plainIDByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// keepID is the rule of protocols that have none.
func keepID(id string, _ bool, attempt int) string {
	if attempt == 0 {
		return id
	}
	return strings.TrimSuffix(id, "_") + "_" + itoa(attempt)
}

func itoa(n int) string { return strconv.Itoa(n) }
