package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The session that is gone on with: as many entries as months of work leave, of
// which a summary near the end hides nearly all from the model.
const (
	resumeEntries = 10_000
	resumeText    = 2_000 // bytes of one message
	resumeKept    = 20    // entries behind the summary
)

// resume goes on with a long session: the file is read, the context built, one turn
// run and appended.
func resume(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	path := filepath.Join(p.dir, "long.jsonl")
	if err := writeSession(path, p.dir, resumeEntries, resumeText); err != nil {
		return nil, err
	}
	r, err := s.asked(ctx, p, 1, "-p", "--session", path, "--model", "mock/text-50", "hi")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the session of %s: %w", p.Name, err)
	}
	if lines := strings.Count(string(data), "\n"); lines < 1+resumeEntries+2 {
		return nil, fmt.Errorf("%s left %d lines in a session that had %d", p.Name, lines, 1+resumeEntries)
	}
	return append([]Figure{
		{Name: "start to first request", Unit: Seconds, Value: float64(r.Requests[0].StartNS-r.Start.UnixNano()) / 1e9},
	}, whole(r.Usage)...), nil
}

// The sessions among which the newest is looked for.
const (
	manySessions = 500
	manyEntries  = 100
)

// newest goes on with the newest of many sessions: all are looked at, one is read.
func newest(ctx context.Context, s *Session, p *subject) ([]Figure, error) {
	dir := filepath.Join(p.dir, "many")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make sessions: %w", err)
	}
	var last string
	for i := range manySessions {
		at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		last = filepath.Join(dir, fmt.Sprintf("%s_0198a1b2-0000-7000-8000-%012d.jsonl", at.Format("2006-01-02T15-04-05-000Z"), i))
		if err := writeSession(last, p.dir, manyEntries, 200); err != nil {
			return nil, err
		}
		if err := os.Chtimes(last, at, at); err != nil {
			return nil, fmt.Errorf("make sessions: %w", err)
		}
	}
	before, err := os.Stat(last)
	if err != nil {
		return nil, fmt.Errorf("make sessions: %w", err)
	}
	r, err := s.asked(ctx, p, 1, "-p", "-c", "--session-dir", dir, "--model", "mock/text-50", "hi")
	if err != nil {
		return nil, err
	}
	if after, err := os.Stat(last); err != nil || after.Size() <= before.Size() {
		return nil, fmt.Errorf("%s did not go on with the newest session", p.Name)
	}
	return append([]Figure{
		{Name: "start to first request", Unit: Seconds, Value: float64(r.Requests[0].StartNS-r.Start.UnixNano()) / 1e9},
	}, whole(r.Usage)...), nil
}

// writeSession writes a session file in the form that both programs share, with a
// summary near its end.
func writeSession(path, dir string, entries, length int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	defer func() {
		if e := f.Close(); err == nil && e != nil {
			err = fmt.Errorf("write a session: %w", e)
		}
	}()
	out := bufio.NewWriter(f)
	enc := json.NewEncoder(out)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	stamp := func(i int) string {
		return begin.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z")
	}
	id := func(i int) any {
		if i < 0 {
			return nil
		}
		return fmt.Sprintf("%08x", i+1)
	}
	words := strings.Repeat("a few words that were said ", length/27+1)[:length]
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if _, after, ok := strings.Cut(name, "_"); ok {
		name = after
	} else {
		name = "0198a1b2-0000-7000-8000-000000000001"
	}
	_ = enc.Encode(map[string]any{"type": "session", "version": 3, "id": name, "timestamp": stamp(0), "cwd": dir})
	for i := range entries {
		entry := map[string]any{"type": "message", "id": id(i), "parentId": id(i - 1), "timestamp": stamp(i)}
		ms := begin.Add(time.Duration(i) * time.Second).UnixMilli()
		content := []any{map[string]any{"type": "text", "text": words}}
		switch {
		case i == entries-resumeKept:
			entry["type"], entry["summary"] = "compaction", "What was done so far."
			entry["firstKeptEntryId"], entry["tokensBefore"] = id(i-2), 100_000
		case i%2 == 0:
			entry["message"] = map[string]any{"role": "user", "content": content, "timestamp": ms}
		default:
			entry["message"] = map[string]any{
				"role": "assistant", "content": content, "api": "openai-completions", "provider": "mock", "model": "text-50", "stopReason": "stop", "timestamp": ms,
				"usage": map[string]any{
					"input": 1000, "output": 500, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1500,
					"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
				},
			}
		}
		if err := enc.Encode(entry); err != nil {
			return fmt.Errorf("write a session: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	return nil
}
