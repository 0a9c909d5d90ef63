package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/world"
)

// testWorld has an empty home and none of the real environment.
func testWorld(t *testing.T, variables map[string]string) world.Process {
	return world.Process{
		Out: io.Discard, Err: io.Discard, Home: t.TempDir(),
		Environ: []string{"PATH=" + os.Getenv("PATH")}, Env: func(name string) string { return variables[name] },
	}
}

// The program serves with the demo model, and saves where pi does.
func TestServes(t *testing.T) {
	for name, token := range map[string]string{"random token": "", "given token": "a-token-of-some-length"} {
		t.Run(name, func(t *testing.T) {
			w := testWorld(t, map[string]string{tokenVariable: token})
			out, in := io.Pipe()
			w.Out = in
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- errors.Join(run(ctx, []string{"-addr", "127.0.0.1:0"}, w), in.Close())
			}()
			lines := bufio.NewScanner(out)
			lines.Scan()
			url := lines.Text()
			if token == "" {
				lines.Scan()
				var ok bool
				if token, ok = strings.CutPrefix(lines.Text(), "token: "); !ok {
					t.Errorf("it printed %q", lines.Text())
				}
			}
			dir := t.TempDir()
			q, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/sessions", strings.NewReader(fmt.Sprintf(`{"dir":%q,"model":"demo/guide"}`, dir)))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Authorization", "Bearer "+token)
			q.Header.Set("Content-Type", "application/json")
			a, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(a.Body)
			if err != nil || a.StatusCode != 201 || !strings.Contains(string(body), filepath.Join(w.Home, ".pi", "agent", "sessions")) {
				t.Errorf("got %d %s %v", a.StatusCode, body, err)
			}
			_ = a.Body.Close()
			q, err = http.NewRequestWithContext(ctx, "POST", url+"/v1/sessions", strings.NewReader(fmt.Sprintf(`{"dir":%q}`, dir)))
			if err != nil {
				t.Fatal(err)
			}
			q.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
			if a, err = http.DefaultClient.Do(q); err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(a.Body); err != nil || a.StatusCode != 400 || !strings.Contains(string(body), "demo/guide") {
				t.Errorf("without a model: %d %s %v", a.StatusCode, body, err)
			}
			_ = a.Body.Close()
			stop()
			if lines.Scan() {
				t.Errorf("it also printed %q", lines.Text())
			}
			if err := <-ended; err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

func TestWrongOptions(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"use 127.0.0.1":         {"-addr", "0.0.0.0:0"},
		"too much":              {"now"},
		"is empty":              {"-token-file", empty},
		"read token":            {"-token-file", filepath.Join(dir, "missing")},
		"flag provided but not": {"-nope"},
	} {
		if err := run(t.Context(), args, testWorld(t, nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	w := testWorld(t, nil)
	var said bytes.Buffer
	w.Err = &said
	if err := run(t.Context(), []string{"-h"}, w); !errors.Is(err, flag.ErrHelp) || !strings.Contains(said.String(), "-token-file") {
		t.Errorf("help: %v, %s", err, &said)
	}
}
