package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/agentcore/session/sessiontest"
)

func BenchmarkAppend(b *testing.B) {
	s := create(b, open(b, filepath.Join(b.TempDir(), "sessions.db")), session.Header{})
	text := strings.Repeat("some words of an answer\n", 80)
	b.ReportAllocs()
	for b.Loop() {
		add(b, s, sessiontest.User(text))
	}
}

func BenchmarkOpen10000Entries(b *testing.B) {
	r := open(b, filepath.Join(b.TempDir(), "sessions.db"))
	text := strings.Repeat("some words of an answer\n", 80)
	src := create(b, session.NewMemory(), session.Header{})
	for range 10000 {
		add(b, src, sessiontest.User(text))
	}
	s, err := session.Copy(b.Context(), src, r, session.Header{}, session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s.Close()
	b.ReportAllocs()
	for b.Loop() {
		s, err := session.Open(b.Context(), r, s.ID(), session.Options{Mode: session.ReadOnly})
		if err != nil || s.Len() != 10000 {
			b.Fatal(err)
		}
		s.Close()
	}
}
