package linematch

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkScan goes through text like source code, in which nothing matches.
func BenchmarkScan(b *testing.B) {
	var text bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&text, "\tif err := write(ctx, item%d.Name, offset); err != nil {\n", i)
	}
	for name, pattern := range map[string]string{
		"literal":      "gomaxprocs",
		"fold":         "(?i)gomaxprocs",
		"alternation":  "unsafe|reflect|atomic",
		"required":     `[a-z]+_test\.go`,
		"automaton":    `[A-Z]{5}[0-9]{2}`,
		"line start":   `^func \w+\(`,
		"not ASCII":    `\p{Greek}`,
		"common bytes": "(?i)terrore",
	} {
		b.Run(name, func(b *testing.B) {
			m, err := Compile(pattern, Options{})
			if err != nil {
				b.Fatal(err)
			}
			s := m.Scanner()
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				s.Reset(text.Bytes())
				if _, _, ok := s.Next(); ok {
					b.Fatal("something matches")
				}
			}
		})
	}
}
