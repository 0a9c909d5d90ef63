package session

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samples gives one stored line of every kind, as other programs write them.
func samples(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

func anyOf(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// What other programs wrote means the same when we write it again.
func TestSamplesSurvive(t *testing.T) {
	t.Parallel()
	kinds := make(map[Type]bool)
	for _, line := range samples(t) {
		e, err := DecodeEntry(line, nil)
		if err != nil {
			t.Errorf("%v in %s", err, line)
			continue
		}
		kinds[e.Type()] = true
		if _, ok := e.(*UnknownEntry); ok {
			t.Errorf("not known: %s", line)
		}
		again, err := encodeLine(e)
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(anyOf(t, line), anyOf(t, again)); d != "" {
			t.Errorf("%s:\n%s", e.Type(), d)
		}
		if s := StubOf(line); s.ID != e.Head().ID || s.Parent != e.Head().Parent || s.Type != e.Type() || s.At != e.Head().Time.UnixMilli() || s.Fault != "" {
			t.Errorf("stub %+v of %s", s, line)
		}
	}
	for _, k := range []Type{
		TypeMessage, TypeModelChange, TypeThinkingChange, TypeUsage, TypeCompaction, TypeBranchSummary,
		TypeCustom, TypeCustomMessage, TypeContextEdit, TypeLabel, TypeInfo,
	} {
		if !kinds[k] {
			t.Errorf("no sample of %s", k)
		}
	}
}

func TestDecodeEntryTolerates(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line string }{
		{"null content", `{"type":"message","id":"a","parentId":null,"timestamp":"x","message":{"role":"user","content":null}}`},
		{"missing content", `{"type":"message","id":"a","message":{"role":"assistant"}}`},
		{"string content", `{"type":"message","id":"a","message":{"role":"toolResult","content":"x"}}`},
		{"partial usage", `{"type":"message","id":"a","message":{"role":"assistant","content":[],"usage":{"input":1}}}`},
		{"null parts", `{"type":"compaction","id":"a","summary":null,"firstKeptEntryId":null,"tokensBefore":null,"usage":null,"fromHook":null,"systemMessage":null,"details":null}`},
		{"null message content", `{"type":"custom_message","id":"a","customType":"x","content":null,"display":true}`},
		{"exponent", `{"type":"compaction","id":"a","summary":"","firstKeptEntryId":"b","tokensBefore":3e4}`},
		{"old hook message", `{"type":"message","id":"a","message":{"role":"custom","customType":"x","content":"y","display":false,"timestamp":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := DecodeEntry([]byte(tt.line), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := encodeLine(e); err != nil {
				t.Error(err)
			}
		})
	}
	for _, bad := range []string{``, `x`, `[]`, `{"type":5}`, `{"type":"message","id":"a"}`, `{"type":"message","message":{"role":"user","content":5}}`, `{"type":"x","a":}`, `{"type":"label","targetId":[]}`} {
		if e, err := DecodeEntry([]byte(bad), nil); err == nil {
			t.Errorf("%s: got %#v", bad, e)
		}
	}
}

// FuzzDecodeEntry: whatever is accepted can be written, and reads back as the
// same.
func FuzzDecodeEntry(f *testing.F) {
	for _, l := range samples(f) {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := DecodeEntry(line, nil)
		if err != nil {
			return
		}
		once, err := encodeLine(e)
		if err != nil {
			if json.Valid(line) {
				t.Fatalf("good JSON can not be written: %v", err)
			}
			return
		}
		again, err := DecodeEntry(once, nil)
		if err != nil {
			t.Fatalf("%v in %s", err, once)
		}
		twice, err := encodeLine(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\nonce  %s\ntwice %s", err, once, twice)
		}
	})
}

func FuzzParseHeader(f *testing.F) {
	f.Add([]byte(`{"type":"session","version":3,"id":"01a228af","timestamp":"2026-11-29T19:01:57.875Z","cwd":"/project","x":[1]}`))
	f.Add([]byte(`{"type":"session","id":"a","provider":"p"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		h, err := ParseHeader(line)
		if err != nil {
			return
		}
		once := h.AppendJSON(nil)
		if !json.Valid(line) {
			return
		}
		again, err := ParseHeader(once)
		if err != nil {
			t.Fatalf("%v in %s", err, once)
		}
		if twice := again.AppendJSON(nil); !bytes.Equal(once, twice) {
			t.Fatalf("once  %s\ntwice %s", once, twice)
		}
	})
}
