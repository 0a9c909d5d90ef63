//go:build interop && unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// TestInteropFilesAtOnce has a process of the reference change keys, decisions
// and settings again and again, while this one does, too: the lock of each file is
// honoured by both, so no change is lost, and what neither knows stays.
//
// The reference gives up when a lock is not free for a moment; its script tries
// again, as its user would. Of one key that both write the reference keeps what its
// process had read before, also among its own processes; so each has keys of its own.
func TestInteropFilesAtOnce(t *testing.T) {
	const rounds = 150
	s := newSandbox(t)
	agent := filepath.Join(s.home, ".pi/agent")
	files := map[string]string{
		"auth.json":     `{"unheard-of": {"type": "carrier-pigeon", "ring": [1, 2]}}`,
		"trust.json":    `{"/foreign": true}`,
		"settings.json": `{"foreign": {"unknown": [1, 2]}, "themes": []}`,
	}
	for name, text := range files {
		s.put("../home/.pi/agent/"+name, text)
	}
	credentials, decisions := auth.NewFileStore(filepath.Join(agent, "auth.json")), trust.NewStore(filepath.Join(agent, "trust.json"), execenv.LocalFS{})
	change := func(ctx context.Context, i int) error {
		name := fmt.Sprintf("ours-%d", i)
		_, err := credentials.Modify(ctx, name, func(*auth.Credential) (*auth.Credential, error) {
			return &auth.Credential{Type: auth.TypeAPIKey, Key: name}, nil
		})
		if err == nil {
			err = decisions.Trust(ctx, "/ours/"+name, true)
		}
		if err == nil {
			err = settings.Update(ctx, filepath.Join(agent, "settings.json"), map[string]any{"modelThinkingLevels.mock/" + name: "low", "retry.maxRetries": i})
		}
		return err
	}

	cmd := s.script("at-once", fmt.Sprint(rounds))
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	n := 0
	for over := false; !over || n < rounds; n++ {
		select {
		case err := <-ended:
			over = true
			if err != nil {
				t.Fatalf("the reference ended with %v", err)
			}
		default:
		}
		if err := change(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		// Enough is enough: a reference that is slow has its rounds alone.
		if n > 20*rounds && !over {
			over = true
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
		}
	}

	var keys map[string]struct{ Type, Key string }
	var dirs map[string]bool
	var set struct {
		Foreign struct{ Unknown []int }
		Themes  []string
		Levels  map[string]string `json:"modelThinkingLevels"`
		Retry   struct {
			Enabled    *bool
			MaxRetries int
		}
	}
	for _, f := range []struct {
		name string
		into any
	}{{"auth.json", &keys}, {"trust.json", &dirs}, {"settings.json", &set}} {
		if err := json.Unmarshal([]byte(s.get("../home/.pi/agent/"+f.name)), f.into); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
	}
	if keys["unheard-of"].Type != "carrier-pigeon" || !dirs["/foreign"] || len(set.Foreign.Unknown) != 2 {
		t.Errorf("foreign entries are lost: %v %v %v", keys["unheard-of"], dirs["/foreign"], set.Foreign)
	}
	if a, b, c, mine := len(keys), len(dirs), len(set.Themes), len(set.Levels); a != n+rounds+1 || b != n+rounds+1 || c != rounds || mine != n {
		t.Errorf("after %d changes of ours and %d of the reference: %d keys, %d decisions, %d settings of ours and %d of the reference", n, rounds, a, b, mine, c)
	}
	// Two members of one object, one of each.
	if r := set.Retry; r.MaxRetries != n-1 || r.Enabled == nil || *r.Enabled {
		t.Errorf("retry is %+v", r)
	}
}
