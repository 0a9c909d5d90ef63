package wire

import "github.com/pi-go/pi/ai/jsonobj"

// Elements appends the elements of a JSON array, or the members of an object, with
// commas where they are needed. The zero value is ready.
type Elements struct {
	Dst []byte
	// More says that something was written, so that a comma comes before the next.
	More bool
}

// Next begins an element.
func (e *Elements) Next() {
	if e.More {
		e.Dst = append(e.Dst, ',')
	}
	e.More = true
}

// Raw appends text as it is.
func (e *Elements) Raw(text string) { e.Dst = append(e.Dst, text...) }

// Str appends text as a JSON string.
func (e *Elements) Str(text string) { e.Dst = jsonobj.AppendString(e.Dst, text) }
