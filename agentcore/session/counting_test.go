package session

import (
	"encoding/json"
	"testing"
)

// FuzzCountCalls compares the count with that of a plain decoder.
func FuzzCountCalls(f *testing.F) {
	for _, c := range []string{
		`[]`, `"toolCall"`, `null`, `[{"type":"toolCall","arguments":{"type":"toolCall","x":["]","\\\"}"]}},{"type":"text","text":"{\"type\":\"toolCall\"}"}]`,
		` [{"arguments":[{"type":"toolCall"}],"type":"toolCall"} , {}, 1, [{"type":"toolCall"}]]`, `[{"type":5},{"type":"\u0074oolCall"}]`,
	} {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got := countCalls(content)
		var blocks []json.RawMessage
		if len(content) == 0 || content[0] != '[' || json.Unmarshal(content, &blocks) != nil {
			return
		}
		want := 0
		for _, b := range blocks {
			var first string
			var m map[string]json.RawMessage
			if json.Unmarshal(b, &m) == nil && json.Unmarshal(m["type"], &first) == nil && first == "toolCall" {
				want++
			}
		}
		if got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
