package history

import (
	"hash/maphash"
	"slices"

	"github.com/pi-go/pi/ai"
)

// Unit is a part of a conversation that is encoded on its own.
type Unit struct {
	// At is the index of the first message in the conversation.
	At       int
	Messages []ai.Message
}

// Prefix keeps encoded units. The zero value is empty. It belongs to one
// goroutine at a time.
type Prefix struct {
	seed   maphash.Seed
	config uint64
	keys   []uint64
	ends   []int // offset behind each unit in buf
	buf    []byte
}

// Encode gives the units as elements of a JSON array, without the brackets.
// encode appends a unit: no, one or several elements with commas between them.
// It is called only for units that are new or changed since the last call, or
// whose settings are new; settings is any text that tells apart what encode
// does.
//
// The result is never changed afterwards, but shares its memory with the
// Prefix: append nothing to it.
func (p *Prefix) Encode(settings string, units []Unit, encode func(dst []byte, u Unit) []byte) []byte {
	if p.seed == (maphash.Seed{}) {
		p.seed = maphash.MakeSeed()
	}
	if config := maphash.String(p.seed, settings); config != p.config {
		*p = Prefix{seed: p.seed, config: config}
	}
	f := fingerprint{}
	f.h.SetSeed(p.seed)
	same := 0
	var key uint64
	for ; same < len(units); same++ {
		key = f.unit(units[same])
		if same >= len(p.keys) || p.keys[same] != key {
			break
		}
	}
	if same == len(units) {
		return p.upTo(same)
	}
	old := *p
	if same < len(p.keys) {
		// What is cut off may still be on its way to the vendor.
		p.keys, p.ends = slices.Clone(p.keys[:same]), slices.Clone(p.ends[:same])
		p.buf = slices.Clone(p.upTo(same))
	}
	for i := same; i < len(units); i++ {
		if i > same {
			key = f.unit(units[i])
		}
		at := len(p.buf)
		if at > 0 {
			p.buf = append(p.buf, ',')
		}
		body := len(p.buf)
		if i < len(old.keys) && old.keys[i] == key {
			p.buf = append(p.buf, old.element(i)...)
		} else {
			p.buf = encode(p.buf, units[i])
		}
		if len(p.buf) == body {
			p.buf = p.buf[:at]
		}
		p.keys, p.ends = append(p.keys, key), append(p.ends, len(p.buf))
	}
	return p.upTo(len(units))
}

// upTo gives the first n units, without room to append.
func (p *Prefix) upTo(n int) []byte {
	if n == 0 {
		return nil
	}
	end := p.ends[n-1]
	return p.buf[:end:end]
}

// element gives a unit without its comma.
func (p *Prefix) element(i int) []byte {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	if from > 0 && from < p.ends[i] {
		from++
	}
	return p.buf[from:p.ends[i]]
}
