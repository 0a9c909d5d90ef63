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
	known  []snapshot
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
	same := 0
	for same < len(units) && same < len(p.known) && p.known[same].of(units[same], p.seed) {
		same++
	}
	if same == len(units) {
		return p.upTo(same)
	}
	old := *p
	if same < len(p.known) {
		// What is cut off may still be on its way to the vendor.
		p.known, p.ends = slices.Clone(p.known[:same]), slices.Clone(p.ends[:same])
		p.buf = slices.Clone(p.upTo(same))
	}
	for i := same; i < len(units); i++ {
		at := len(p.buf)
		if at > 0 {
			p.buf = append(p.buf, ',')
		}
		body := len(p.buf)
		is := take(units[i], p.seed)
		if i < len(old.known) && old.known[i].of(units[i], p.seed) {
			p.buf = append(p.buf, old.element(i)...)
		} else {
			p.buf = encode(p.buf, units[i])
		}
		if len(p.buf) == body {
			p.buf = p.buf[:at]
		}
		p.known, p.ends = append(p.known, is), append(p.ends, len(p.buf))
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
