package session

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"time"
)

// IDs makes session ids: UUIDs of version 7 (RFC 9562), which sort by the time
// they were made, strictly so for one IDs. The zero value is ready to use, by
// any number of goroutines.
type IDs struct {
	mu   sync.Mutex
	last uint64 // milliseconds << 12 | counter, of the latest id
}

// Next makes an id.
func (g *IDs) Next(now time.Time) string {
	var b [16]byte
	rand.Read(b[6:])
	at := uint64(max(now.UnixMilli(), 0))<<12 | uint64(binary.BigEndian.Uint16(b[6:])&0x7FF)
	g.mu.Lock()
	if at <= g.last {
		at = g.last + 1 // a full counter runs over into the milliseconds
	}
	g.last = at
	g.mu.Unlock()
	binary.BigEndian.PutUint64(b[:8], at>>12<<16|0x7000|at&0xFFF)
	b[8] = b[8]&0x3F | 0x80
	return formatUUID(b)
}

// newEntryID makes the id of an entry: eight hexadecimal digits that are not
// taken, or a whole random UUID when those are hard to find.
func newEntryID(taken func(string) bool) string {
	var b [16]byte
	for range 100 {
		rand.Read(b[:4])
		if id := hex.EncodeToString(b[:4]); !taken(id) {
			return id
		}
	}
	rand.Read(b[:])
	b[6] = b[6]&0x0F | 0x40
	b[8] = b[8]&0x3F | 0x80
	return formatUUID(b)
}

func formatUUID(b [16]byte) string {
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
