package openaicodexresponses

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// compress writes a body in zstd, which this back end takes; a conversation shrinks
// to a fifth or less. It sends none of its parts if it can not.
func compress(body [][]byte) (encoded [][]byte, encoding string) {
	var out bytes.Buffer
	// The fastest level is a third faster and a thirtieth larger than the next. One
	// goroutine, as the body is in memory and nothing else is waiting.
	w, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, ""
	}
	for _, part := range body {
		if _, err := w.Write(part); err != nil {
			return nil, ""
		}
	}
	if err := w.Close(); err != nil {
		return nil, ""
	}
	return [][]byte{out.Bytes()}, "zstd"
}
