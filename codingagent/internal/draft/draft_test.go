package draft_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/internal/draft"
)

// owner is a process that lives as long as *alive.
func owner(pid int, alive map[int]bool) draft.Owner {
	return draft.Owner{Host: "here", PID: pid, Alive: func(pid int) bool { return alive[pid] }}
}

func TestStashGoesToOneSuccessor(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	files := execenv.LocalFS{}
	alive := map[int]bool{1: true}
	first := draft.NewStash(files, dir, "/w", owner(1, alive))
	if err := first.Save(ctx, draft.Text{Session: "s", Text: "half a thought", Images: map[string]string{"[image #1]": "/a.png"}}); err != nil {
		t.Fatal(err)
	}
	second := draft.NewStash(files, dir, "/w", owner(2, alive))
	if got, ok := second.Restore(ctx, "s"); ok {
		t.Fatalf("the text of a living process was taken: %+v", got)
	}
	alive[1] = false
	if got, ok := draft.NewStash(files, dir, "/other", owner(2, alive)).Restore(ctx, "s"); ok {
		t.Fatalf("another directory has got %+v", got)
	}
	got, ok := second.Restore(ctx, "s")
	if !ok || got.Text != "half a thought" || got.Images["[image #1]"] != "/a.png" || got.Time.IsZero() {
		t.Fatalf("got %+v, %v", got, ok)
	}
	alive[2] = true
	if _, ok := draft.NewStash(files, dir, "/w", owner(3, alive)).Restore(ctx, "s"); ok {
		t.Error("two processes have got the same text")
	}
	// It is kept until it is sent.
	alive[2] = false
	third := draft.NewStash(files, dir, "/w", owner(3, alive))
	if _, ok := third.Restore(ctx, ""); !ok {
		t.Error("the text was lost with the second process")
	}
	if err := third.Save(ctx, draft.Text{}); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(filepath.Join(dir, "stash")); err != nil || len(names) != 0 {
		t.Errorf("what was sent is still there: %v, %v", names, err)
	}
}

func TestStashPrefersItsSession(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	none := map[int]bool{}
	for i, session := range []string{"old", "wanted", "newest"} {
		s := draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(10+i, none))
		if err := s.Save(ctx, draft.Text{Session: session, Text: session}); err != nil {
			t.Fatal(err)
		}
	}
	s := draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(1, none))
	if got, _ := s.Restore(ctx, "wanted"); got.Text != "wanted" {
		t.Errorf("got %q", got.Text)
	}
	s = draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(2, none))
	if got, _ := s.Restore(ctx, "none"); got.Text != "newest" {
		t.Errorf("got %q", got.Text)
	}
}

func TestStashIsPrivateWholeAndLimited(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(1, map[int]bool{}))
	if err := s.Save(ctx, draft.Text{Text: strings.Repeat("ä", draft.MaxText)}); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "stash", "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v, %v", names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(names[0])); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the directory %v, %v", info.Mode(), err)
	}
	got, ok := draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(2, map[int]bool{})).Restore(ctx, "")
	if !ok || !got.Cut || len(got.Text) > draft.MaxText || strings.Trim(got.Text, "ä") != "" {
		t.Errorf("%d bytes, cut %v, %v", len(got.Text), got.Cut, ok)
	}
}

func TestStashSurvivesBadFiles(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(1, map[int]bool{}))
	if err := s.Save(ctx, draft.Text{Text: "good"}); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "stash", "*"))
	prefix, _, _ := strings.Cut(filepath.Base(names[0]), "-")
	for name, body := range map[string]string{prefix + "-x-1.json": "{", prefix + "-x-2.json": "\x00\x00", "zzz": "", prefix + "-old.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, "stash", name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-400 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "stash", prefix+"-old.json"), old, old); err != nil {
		t.Fatal(err)
	}
	if got, ok := draft.NewStash(execenv.LocalFS{}, dir, "/w", owner(2, map[int]bool{})).Restore(ctx, ""); !ok || got.Text != "good" {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, err := os.Stat(filepath.Join(dir, "stash", prefix+"-old.json")); err == nil {
		t.Error("a very old text is still there")
	}
}

func TestHistory(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	h := draft.NewHistory(execenv.LocalFS{}, dir, "/w")
	if got, err := h.Load(ctx); got != nil || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	for _, s := range []string{"one", "two\nlines", "", strings.Repeat("x", 1<<20)} {
		if err := h.Add(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := draft.NewHistory(execenv.LocalFS{}, dir, "/other").Add(ctx, "elsewhere"); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "prompt-history", "*"))
	for _, n := range names {
		if info, err := os.Stat(n); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	got, err := draft.NewHistory(execenv.LocalFS{}, dir, "/w").Load(ctx)
	if diff := cmp.Diff([]string{"one", "two\nlines"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A line that a full disk has cut costs no other prompt.
func TestHistoryAfterAFullDisk(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	h := draft.NewHistory(execenv.LocalFS{}, dir, "/w")
	if err := h.Add(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "prompt-history", "*"))
	f, err := os.OpenFile(names[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"text":"cut of`)
	if err := errors.Join(err, f.Close(), h.Add(ctx, "two")); err != nil {
		t.Fatal(err)
	}
	got, err := h.Load(ctx)
	if diff := cmp.Diff([]string{"one", "two"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// noWrites is a file system that is full.
type noWrites struct{ execenv.LocalFS }

func (noWrites) WriteFile(context.Context, string, []byte, fs.FileMode) error {
	return errors.New("no room")
}

func TestALongHistoryOnAFullDisk(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	h := draft.NewHistory(noWrites{}, dir, "/w")
	for i := range 20 {
		if err := h.Add(ctx, strings.Repeat(string(rune('a'+i)), 60<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := h.Load(ctx); err == nil || len(got) < 2 {
		t.Errorf("%d prompts, %v", len(got), err)
	}
}

func TestHistoryIsCut(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	h := draft.NewHistory(execenv.LocalFS{}, dir, "/w")
	for i := range 20 {
		if err := h.Add(ctx, strings.Repeat(string(rune('a'+i)), 60<<10)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		got, err := h.Load(ctx)
		if err != nil || len(got) < 2 || len(got) > 8 || !strings.HasPrefix(got[len(got)-1], "t") {
			t.Fatalf("%d prompts, %v", len(got), err)
		}
	}
}
