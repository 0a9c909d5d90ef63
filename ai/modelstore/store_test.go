package modelstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/modelstore"
)

func TestStores(t *testing.T) {
	list := &ai.ModelList{
		Models:       []*ai.Model{{ID: "m", Name: "M", API: "a", Provider: "p", Input: []string{"text"}, Compat: []byte(`{"x":1}`)}},
		LastModified: 1, CheckedAt: 2, ETag: `W/"é"`,
	}
	for name, s := range map[string]ai.ListStore{"memory": new(modelstore.Memory), "file": modelstore.New(filepath.Join(t.TempDir(), "agent", "models-store.json"))} {
		t.Run(name, func(t *testing.T) {
			if got, err := s.ReadList(t.Context(), "p"); got != nil || err != nil {
				t.Errorf("%v, %v", got, err)
			}
			if err := s.WriteList(t.Context(), "p", nil); err != nil {
				t.Error(err)
			}
			if err := s.WriteList(t.Context(), "p", list); err != nil {
				t.Fatal(err)
			}
			got, err := s.ReadList(t.Context(), "p")
			if err != nil || !cmp.Equal(list, got) {
				t.Errorf("%v %s", err, cmp.Diff(list, got))
			}
			var wg sync.WaitGroup
			for _, id := range []string{"q", "r", "s"} {
				wg.Go(func() {
					if err := s.WriteList(t.Context(), id, list); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if err := s.WriteList(t.Context(), "p", nil); err != nil {
				t.Fatal(err)
			}
			for id, want := range map[string]bool{"p": false, "q": true, "r": true, "s": true} {
				if got, err := s.ReadList(t.Context(), id); err != nil || (got != nil) != want {
					t.Errorf("%s: %v, %v", id, got, err)
				}
			}
		})
	}
}

// A file of pi is read, and what is not ours in it stays.
func TestSharedFile(t *testing.T) {
	const text = `{
  "anthropic": {"models": [ {"id":"x"} ], "lastModified": 1.9e12, "note": [1, 2.0]},
  "openrouter": {
    "models": [{"id": "a", "api": "b"}, {"id": 5}, null, {"id": "c", "type": "hologram", "api": "b"}],
    "checkedAt": 1.9e12,
    "etag": "\"e\""
  },
  "odd": 7
}`
	path := filepath.Join(t.TempDir(), "models-store.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := modelstore.New(path)
	got, err := s.ReadList(t.Context(), "openrouter")
	if err != nil || got.CheckedAt != 1_900_000_000_000 || got.ETag != `"e"` || len(got.Models) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := s.ReadList(t.Context(), "odd"); err == nil {
		t.Error("a number is a list")
	}
	if err := s.WriteList(t.Context(), "openrouter", nil); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), `"anthropic": {"models": [ {"id":"x"} ], "lastModified": 1.9e12, "note": [1, 2.0]},`) || strings.Contains(string(b), "openrouter") {
		t.Errorf("the file became %s, %v", b, err)
	}
}

func TestMalformedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models-store.json")
	if err := os.WriteFile(path, []byte("{\n oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := modelstore.New(path)
	if _, err := s.ReadList(t.Context(), "p"); err == nil || !strings.Contains(err.Error(), path+":2:") {
		t.Errorf("got %v", err)
	}
	if err := s.WriteList(t.Context(), "p", &ai.ModelList{}); err == nil {
		t.Error("it was overwritten")
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(`{"p":{"models":[{"id":"a","api":"b","cost":{"input":1}}],"checkedAt":1e300,"etag":"x"}}`))
	f.Add([]byte(`{"p":null}`))
	f.Add([]byte(`{"p":{"models":{}}}`))
	path := filepath.Join(f.TempDir(), "models-store.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := modelstore.New(path).ReadList(t.Context(), "p")
		if err == nil && l != nil && (l.CheckedAt < 0 || l.LastModified < 0) {
			t.Errorf("%+v", l)
		}
		if l != nil {
			for _, m := range l.Models {
				if m == nil {
					t.Error("a model is nil")
				}
			}
		}
	})
}
