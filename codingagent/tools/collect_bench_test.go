package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
)

// BenchmarkCollector takes in the output of a talkative command.
func BenchmarkCollector(b *testing.B) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "\x1b[32mok\x1b[0m  package/number/%d\t0.0%ds\n", i, i%10)
	}
	out := []byte(text.String())
	b.SetBytes(int64(len(out)))
	b.ReportAllocs()
	for b.Loop() {
		c := newCollector(b.Context(), execenv.Memory(nil), "pi-bash")
		for i := 0; i < len(out); i += 32 << 10 {
			c.write(out[i:min(i+32<<10, len(out))])
		}
		c.close()
	}
}
