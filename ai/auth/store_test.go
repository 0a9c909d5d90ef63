package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai/auth"
)

// stores makes each kind of store with these credentials.
func stores(t *testing.T, with map[string]*auth.Credential) map[string]auth.Store {
	t.Helper()
	file := auth.NewFileStore(filepath.Join(t.TempDir(), "agent", "auth.json"))
	for provider, c := range with {
		if _, err := file.Modify(t.Context(), provider, func(*auth.Credential) (*auth.Credential, error) { return c, nil }); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]auth.Store{"memory": auth.NewMemoryStore(with), "file": file}
}

func TestStores(t *testing.T) {
	key := &auth.Credential{Type: auth.TypeAPIKey, Key: "k", Env: map[string]string{"B": "2", "A": "1"}}
	login := &auth.Credential{Type: auth.TypeOAuth, Access: "a", Refresh: "r", Expires: 1_900_000_000_000, Extra: map[string]json.RawMessage{"accountId": []byte(`"x"`)}}
	for name, s := range stores(t, map[string]*auth.Credential{"one": key, "two": login}) {
		t.Run(name, func(t *testing.T) {
			for provider, want := range map[string]*auth.Credential{"one": key, "two": login, "three": nil} {
				got, err := s.Read(t.Context(), provider)
				if err != nil || !cmp.Equal(want, got) {
					t.Errorf("%s: %#v, %v", provider, got, err)
				}
			}
			got, err := s.Read(t.Context(), "one")
			if err != nil {
				t.Fatal(err)
			}
			got.Env["A"] = "changed by the caller"
			if again, _ := s.Read(t.Context(), "one"); again.Env["A"] != "1" {
				t.Error("a caller can change what is stored")
			}
			list, err := s.List(t.Context())
			if err != nil || len(list) != 2 {
				t.Fatalf("%v, %v", list, err)
			}
			refused := errors.New("refused")
			if _, err := s.Modify(t.Context(), "one", func(*auth.Credential) (*auth.Credential, error) { return nil, refused }); !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			if got, _ := s.Read(t.Context(), "one"); got == nil {
				t.Error("a refused change was stored")
			}
			if err := auth.Delete(t.Context(), s, "one"); err != nil {
				t.Fatal(err)
			}
			if err := auth.Delete(t.Context(), s, "never there"); err != nil {
				t.Fatal(err)
			}
			if got, _ := s.Read(t.Context(), "one"); got != nil {
				t.Error("a deleted credential is there")
			}
		})
	}
}

// Changes at the same time happen one after the other.
func TestStoresSerialise(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 5 {
						if err := count(t.Context(), s, "p"); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			if c, err := s.Read(t.Context(), "p"); err != nil || c.Key != "40" {
				t.Errorf("counted to %v, %v", c.Key, err)
			}
		})
	}
}

// count adds one to the number that is the key.
func count(ctx context.Context, s auth.Store, provider string) error {
	_, err := s.Modify(ctx, provider, func(c *auth.Credential) (*auth.Credential, error) {
		n := 0
		if c != nil {
			n, _ = strconv.Atoi(c.Key)
		}
		return &auth.Credential{Type: auth.TypeAPIKey, Key: strconv.Itoa(n + 1)}, nil
	})
	return err
}

func write(t *testing.T, text string) *auth.FileStore {
	t.Helper()
	path := filepath.Join(t.TempDir(), "auth.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return auth.NewFileStore(path)
}

func text(t *testing.T, s *auth.FileStore) string {
	t.Helper()
	b, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The file looks as JSON.stringify(value, null, 2) makes it, other entries and
// unknown fields keep their bytes and places, and only the owner can read it.
func TestFileFormat(t *testing.T) {
	s := write(t, `{
  "later": {
    "type": "passkey",
    "blob": [1, 2.50]
  },
  "openai": {
    "note": "mine",
    "type": "oauth",
    "access": "old",
    "refresh": "r",
    "expires": 1e3,
    "scopes": ["a"]
  }
}`)
	_, err := s.Modify(t.Context(), "openai", func(c *auth.Credential) (*auth.Credential, error) {
		if c.Expires != 1000 || string(c.Extra["scopes"]) != `["a"]` {
			t.Errorf("read %d %s", c.Expires, c.Extra["scopes"])
		}
		c.Access, c.Expires = "new <token>", 2000
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Modify(t.Context(), "groq", func(*auth.Credential) (*auth.Credential, error) {
		return &auth.Credential{Type: auth.TypeAPIKey, Key: "$GROQ", Env: map[string]string{"A": "1"}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "later": {
    "type": "passkey",
    "blob": [1, 2.50]
  },
  "openai": {
    "note": "mine",
    "type": "oauth",
    "access": "new <token>",
    "refresh": "r",
    "expires": 2000,
    "scopes": ["a"]
  },
  "groq": {
    "type": "api_key",
    "key": "$GROQ",
    "env": {
      "A": "1"
    }
  }
}`
	if diff := cmp.Diff(want, text(t, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	info, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	fresh := auth.NewFileStore(filepath.Join(t.TempDir(), "a", "auth.json"))
	if list, err := fresh.List(t.Context()); err != nil || list != nil {
		t.Errorf("no file: %v, %v", list, err)
	}
	if err := count(t.Context(), fresh, "p"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(fresh.Path())); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of a new file: %v, %v", info.Mode(), err)
	}
	if got := text(t, fresh); got != "{\n  \"p\": {\n    \"type\": \"api_key\",\n    \"key\": \"1\"\n  }\n}" {
		t.Errorf("a new file is %q", got)
	}
	if err := auth.Delete(t.Context(), fresh, "p"); err != nil || text(t, fresh) != "{}" {
		t.Errorf("an emptied file is %q, %v", text(t, fresh), err)
	}
}

// What a credential no longer has does not stay in the file: a refresh token of a login
// that a key replaced is still a secret, and would be sent again.
func TestReplacedCredentialLeavesNothing(t *testing.T) {
	s := write(t, `{"a": {"type": "oauth", "access": "old", "refresh": "r", "expires": 5, "accountId": "x"}, "b": {"type": "api_key", "key": "k"}}`)
	if _, err := s.Modify(t.Context(), "a", func(*auth.Credential) (*auth.Credential, error) {
		return &auth.Credential{Type: auth.TypeAPIKey, Key: "new"}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, s), `{"a": {"type": "api_key", "key": "new"}, "b": {"type": "api_key", "key": "k"}}`; compactJSON(t, got) != compactJSON(t, want) {
		t.Errorf("the file is %s", got)
	}
}

func compactJSON(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A file that can not be read is named with the place, and stays as it is.
func TestMalformedFile(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"a\": {\"type\": \"api_key\",}\n}": ":2:27:",
		"[1]":      ":1:1: expected an object",
		"{\"a\": ": ":1:",
	} {
		s := write(t, in)
		_, err := s.Read(t.Context(), "a")
		_, listErr := s.List(t.Context())
		for _, err := range []error{err, listErr, count(t.Context(), s, "a")} {
			if err == nil || !strings.Contains(err.Error(), s.Path()+want) {
				t.Errorf("%q: %v, want the place %s", in, err, want)
			}
		}
		if text(t, s) != in {
			t.Errorf("%q became %q", in, text(t, s))
		}
	}
	// One bad entry does not hide the others, and is not overwritten by a change
	// that builds on it.
	s := write(t, `{"a": 5, "b": {"key": "x"}, "c": {"type": "api_key", "key": "secret", "env": 1}, "d": {"type": "api_key", "key": "y"}}`)
	if c, err := s.Read(t.Context(), "d"); err != nil || c.Key != "y" {
		t.Errorf("%v, %v", c, err)
	}
	for _, provider := range []string{"a", "b", "c"} {
		_, err := s.Read(t.Context(), provider)
		if err == nil || !strings.Contains(err.Error(), "credential of "+provider) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", provider, err)
		}
		if err := count(t.Context(), s, provider); err == nil {
			t.Errorf("%s was overwritten", provider)
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].Provider != "d" {
		t.Errorf("%v, %v", list, err)
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	c := &auth.Credential{Type: auth.TypeOAuth, Key: "secret", Access: "secret", Refresh: "secret"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(format, c) + fmt.Sprintf(format, *c) + fmt.Sprintf(format, auth.Resolved{APIKey: "secret"}); strings.Contains(got, "secret") {
			t.Errorf("%s prints %s", format, got)
		}
	}
}

// Two processes that find a stale login renew it once, and changes of many
// processes are not lost.
func TestProcesses(t *testing.T) {
	if path := os.Getenv("AUTH_TEST_FILE"); path != "" {
		child(t, path)
		return
	}
	s := write(t, `{"login": {"type": "oauth", "access": "old", "refresh": "r0", "expires": 1}}`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcesses$", "-test.count=1")
			cmd.Env = append(os.Environ(), "AUTH_TEST_FILE="+s.Path())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	c, err := s.Read(t.Context(), "login")
	if err != nil || c.Refresh != "r1" || c.Access != "new" {
		t.Errorf("renewed to %q, %v; want once", c.Refresh, err)
	}
	if c, err := s.Read(t.Context(), "count"); err != nil || c.Key != "20" {
		t.Errorf("counted to %v, %v; want 20", c, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.Path())); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func child(t *testing.T, path string) {
	s := auth.NewFileStore(path)
	_, err := s.Modify(t.Context(), "login", func(c *auth.Credential) (*auth.Credential, error) {
		if c.Expires > 1 {
			return c, nil // another process was faster
		}
		n, err := strconv.Atoi(strings.TrimPrefix(c.Refresh, "r"))
		if err != nil {
			return nil, err
		}
		c.Access, c.Refresh, c.Expires = "new", fmt.Sprint("r", n+1), 2
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := count(t.Context(), s, "count"); err != nil {
			t.Fatal(err)
		}
	}
}
