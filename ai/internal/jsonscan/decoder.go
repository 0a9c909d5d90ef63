package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Decoder decodes with encoding/json the frames that were refused, one after the
// other, and keeps from frame to frame what that package would allocate for each. The
// zero value is ready; it belongs to one goroutine.
type Decoder struct {
	r    bytes.Reader
	dec  *json.Decoder
	base int64 // of the frame, in all that dec has read
}

// Decode does what [json.Unmarshal] does: the same values, the same errors.
func (d *Decoder) Decode(data []byte, v any) error {
	if d.dec == nil {
		d.r = bytes.Reader{}
		d.dec, d.base = json.NewDecoder(&d.r), 0
	}
	d.r.Reset(data)
	err := d.dec.Decode(v)
	var odd *json.UnmarshalTypeError
	if (err == nil || errors.As(err, &odd)) && d.dec.InputOffset() == d.base+int64(len(data)) {
		d.base += int64(len(data))
		return err
	}
	// It is broken, or has more behind its value than this way can tell.
	d.dec = nil
	return json.Unmarshal(data, v)
}

// EndsEarly reports whether err, of encoding/json, means that a text is the beginning
// of one that could be valid.
func EndsEarly(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input"
}
