package eventstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func sample() []byte {
	return mockllm.EncodeBinary([]mockllm.Frame{
		{Event: "messageStart", Data: `{"role":"assistant"}`},
		{Event: "contentBlockDelta", Data: `{"text":"東京"}`},
		{Event: "exception:throttlingException", Data: `{"message":"slow"}`},
		{Event: "empty", Data: ""},
	})
}

const sampleText = `event messageStart {"role":"assistant"}
event contentBlockDelta {"text":"東京"}
exception throttlingException {"message":"slow"}
event empty 
`

func drain(r io.Reader, limit int64) (string, error) {
	var b strings.Builder
	s := NewScanner(r, limit)
	for {
		f, err := s.Next()
		if err != nil {
			if _, again := s.Next(); !errors.Is(again, err) {
				return "", errors.New("the error does not stay")
			}
			return b.String(), err
		}
		b.WriteString(string(f.Type) + " " + string(f.Name) + " " + string(f.Payload) + "\n")
	}
}

func TestEverySplit(t *testing.T) {
	data := sample()
	for k := range len(data) + 1 {
		got, err := drain(io.MultiReader(bytes.NewReader(data[:k]), bytes.NewReader(data[k:])), 0)
		if got != sampleText || err != io.EOF {
			t.Fatalf("split at %d: %q, %v", k, got, err)
		}
		got, err = drain(bytes.NewReader(data[:k]), 0)
		if !strings.HasPrefix(sampleText, got) || err != io.EOF && err != io.ErrUnexpectedEOF {
			t.Fatalf("cut at %d: %q, %v", k, got, err)
		}
		atEnd := k == 0 || slices.Contains(mockllm.EventEnds(mockllm.Bedrock, data), k)
		if (err == io.EOF) != atEnd {
			t.Fatalf("cut at %d: %v", k, err)
		}
	}
	if got, err := drain(iotest.OneByteReader(bytes.NewReader(data)), 0); got != sampleText || err != io.EOF {
		t.Errorf("by byte: %q, %v", got, err)
	}
}

func TestDamage(t *testing.T) {
	data := sample()
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		if got, err := drain(bytes.NewReader(bad), 0); err == io.EOF {
			t.Errorf("byte %d: %q", i, got)
		}
	}
	// Lengths that do not fit their checksum are not waited for.
	longer := bytes.Clone(data[:preludeSize])
	longer[2] ^= 1
	var damage *DamageError
	if _, err := drain(io.MultiReader(bytes.NewReader(longer), iotest.ErrReader(errors.New("it reads on"))), 0); !errors.As(err, &damage) {
		t.Errorf("damaged lengths: %v", err)
	}
	// A message that claims to be huge is refused before memory is taken.
	huge := binary.BigEndian.AppendUint32(nil, 0xfffffff0)
	huge = binary.BigEndian.AppendUint32(huge, 0)
	huge = binary.BigEndian.AppendUint32(huge, crc32.ChecksumIEEE(huge))
	var large *TooLargeError
	if _, err := drain(bytes.NewReader(huge), 0); !errors.As(err, &large) {
		t.Errorf("got %v", err)
	}
	if _, err := drain(bytes.NewReader(data), 40); !errors.As(err, &large) || large.Limit != 40 {
		t.Errorf("got %v", err)
	}
}

func FuzzScanner(f *testing.F) {
	f.Add(sample())
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, err := drain(bytes.NewReader(data), 1<<20)
		bytewise, err2 := drain(iotest.OneByteReader(bytes.NewReader(data)), 1<<20)
		if whole != bytewise || (err == io.EOF) != (err2 == io.EOF) {
			t.Errorf("%q, %v by byte; %q, %v whole", bytewise, err2, whole, err)
		}
	})
}
