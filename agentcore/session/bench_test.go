package session

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

// writeSession writes a session of n entries, of about 2 KB each and as
// programming agents make them: question, answer with a call, result.
func writeSession(t testing.TB, path string, n, size int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, headerLine)
	code := strings.Repeat("\\tif err != nil {\\n\\t\\treturn fmt.Errorf(\\\"read %w\\\", err)\\n\\t}\\n", size/60)
	parent := "null"
	for i := range n {
		id := fmt.Sprintf("%08x", i*2654435761&0xffffffff)
		var m string
		switch i % 3 {
		case 0:
			m = fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"question %d %s"}],"timestamp":%d}`, i, code[:len(code)/12*3], 1795978917945+i)
		case 1:
			m = fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"I will look."},{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"/project/main.go","text":"%s"}}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":1348,"output":12,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1360,"cost":{"input":0.001348,"output":0.000024,"cacheRead":0,"cacheWrite":0,"total":0.001372,"totalFromProvider":false}},"stopReason":"toolUse","timestamp":%d,"durationMs":44,"thinkingLevel":"off"}`, i, code, 1795978917945+i)
		case 2:
			m = fmt.Sprintf(`{"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false,"durationMs":309,"timestamp":%d}`, i-1, code, 1795978917945+i)
		}
		fmt.Fprintf(w, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-11-29T19:01:57.951Z","message":%s}`+"\n", id, parent, m)
		parent = `"` + id + `"`
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkOpen10000Entries21MB(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	writeSession(b, path, 10000, 2450)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		s := openPath(b, path, ReadWrite)
		if s.Len() != 10000 {
			b.Fatal(s.Len())
		}
		s.Close()
	}
}

func BenchmarkContext(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	writeSession(b, path, 10000, 2450)
	for _, tail := range []int{200, 10000} {
		b.Run(fmt.Sprintf("last=%d", tail), func(b *testing.B) {
			s := openPath(b, path, ReadWrite)
			stubs := s.Stubs()
			if tail < len(stubs) {
				if _, err := s.Append(b.Context(), &CompactionEntry{Summary: "s", FirstKept: stubs[len(stubs)-tail].ID}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				s.mu.Lock()
				s.keepDecoded(selection{})
				s.mu.Unlock()
				if c, err := s.Context(b.Context()); err != nil || len(c.Messages) < tail {
					b.Fatal(len(c.Messages), err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	s, err := Create(b.Context(), NewDir(b.TempDir()), Header{}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	text := strings.Repeat("some words of an answer\n", 80)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.AppendMessage(b.Context(), ai.UserText(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStats21MB(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	writeSession(b, path, 10000, 2450)
	s := openPath(b, path, ReadOnly)
	b.ReportAllocs()
	for b.Loop() {
		s.mu.Lock()
		s.stats = nil
		s.mu.Unlock()
		if st, err := s.Stats(b.Context()); err != nil || st.Messages != 10000 {
			b.Fatal(st, err)
		}
	}
}

func BenchmarkList500Files40MB(b *testing.B) {
	dir := b.TempDir()
	for i := range 500 {
		writeSession(b, filepath.Join(dir, fmt.Sprintf("%04d.jsonl", i)), 40, 2450)
	}
	d := NewDir(dir)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for i, err := range d.List(b.Context(), ListOptions{}) {
			if err != nil || i.Messages != 40 {
				b.Fatal(i, err)
			}
			n++
		}
		if n != 500 {
			b.Fatal(n)
		}
	}
}

// manyBranches is a tree of n entries in k branches, as stored lines.
func manyBranches(n, k int) []byte {
	var text bytes.Buffer
	fmt.Fprintln(&text, headerLine)
	parents := make([]string, k)
	for i := range n {
		id := fmt.Sprintf("%08x", i)
		text.WriteString(userLine(id, parents[i%k], "x"))
		text.WriteByte('\n')
		parents[i%k] = id
		if i < k { // all branch off a common trunk
			for j := i + 1; j < k; j++ {
				parents[j] = id
			}
		}
	}
	return text.Bytes()
}

func BenchmarkTree(b *testing.B) {
	for _, n := range []int{10000, 100000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, manyBranches(n, 1000), 0o600); err != nil {
				b.Fatal(err)
			}
			b.Run("open", func(b *testing.B) {
				for b.Loop() {
					openPath(b, path, ReadOnly).Close()
				}
			})
			s := openPath(b, path, ReadOnly)
			b.Run("rows", func(b *testing.B) {
				for b.Loop() {
					if rows, err := s.Rows(b.Context()); err != nil || len(rows) != n {
						b.Fatal(len(rows), err)
					}
				}
			})
			b.Run("context", func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Context(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
