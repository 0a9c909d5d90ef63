package auth_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

func env(vars map[string]string) auth.Environment {
	return func(name string) string { return vars[name] }
}

func TestExpand(t *testing.T) {
	r := &auth.Resolver{Env: env(map[string]string{"A": "1", "_b2": "two", "EMPTY": ""})}
	for value, want := range map[string]string{
		"": "", "sk-plain": "sk-plain", "$A": "1", "${A}": "1", "x$A-$_b2.${A}y": "x1-two.1y", "$A$A": "11",
		"$$A": "$A", "$!cmd": "!cmd", "$": "$", "a$": "a$", "$5": "$5", "$ A": "$ A", "${bad name}": "${bad name}", "${A": "${A", "${}": "${}",
		"$$$A": "$1", "a!b": "a!b",
		"$NONE": "error: NONE", "${EMPTY}": "error: EMPTY", "x$A2": "error: A2",
	} {
		got, err := r.Resolve(t.Context(), value)
		if name, bad := strings.CutPrefix(want, "error: "); bad {
			if err == nil || !strings.Contains(err.Error(), "variable "+name+" is not set") {
				t.Errorf("%q: got %q, %v; want an error about %s", value, got, err, name)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", value, got, err, want)
		}
	}
}

func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		runs := map[string]int{}
		r := &auth.Resolver{Run: func(ctx context.Context, command string) (string, error) {
			mu.Lock()
			runs[command]++
			n := runs[command]
			mu.Unlock()
			switch command {
			case "hang secret":
				<-ctx.Done()
				return "", ctx.Err()
			case "blank":
				return " \n", nil
			case "second time":
				if n == 1 {
					return "", errors.New("exit status 1")
				}
			}
			time.Sleep(time.Second)
			return "\n key \n", nil
		}}
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if got, err := r.Resolve(t.Context(), "!pass show x"); err != nil || got != "key" {
					t.Errorf("got %q, %v", got, err)
				}
			})
		}
		wg.Wait()
		if runs["pass show x"] != 1 {
			t.Errorf("the command ran %d times", runs["pass show x"])
		}
		for range 2 {
			if _, err := r.ResolveFresh(t.Context(), "!pass show x"); err != nil {
				t.Error(err)
			}
		}
		if runs["pass show x"] != 3 {
			t.Errorf("fresh runs are cached: %d", runs["pass show x"])
		}
		if _, err := r.Resolve(t.Context(), "!second time"); err == nil {
			t.Error("a failed command gives no error")
		}
		if got, err := r.Resolve(t.Context(), "!second time"); err != nil || got != "key" {
			t.Errorf("a failure is cached: %q, %v", got, err)
		}
		if _, err := r.Resolve(t.Context(), "!blank"); err == nil || !strings.Contains(err.Error(), "printed nothing") {
			t.Errorf("blank output: %v", err)
		}
		begin := time.Now()
		_, err := r.Resolve(t.Context(), "!hang secret")
		if err == nil || !strings.Contains(err.Error(), "longer than 10s") || strings.Contains(err.Error(), "secret") || time.Since(begin) != 10*time.Second {
			t.Errorf("a command that hangs: %v after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := r.Resolve(ctx, "!hang secret"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
	if _, err := new(auth.Resolver).Resolve(t.Context(), "!x"); err == nil {
		t.Error("a command runs without a shell")
	}
}

// A command that prints without end is not listened to.
func TestKeyOutputIsBounded(t *testing.T) {
	var out auth.KeyOutput
	if _, err := out.Write([]byte("sk-1")); err != nil {
		t.Fatal(err)
	}
	if text, err := out.Text(exec.ErrWaitDelay); text != "sk-1" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	n, err := io.Copy(&out, strings.NewReader(strings.Repeat("y\n", 1<<20)))
	if err == nil || n > 1<<20 {
		t.Errorf("took %d bytes, %v", n, err)
	}
	if text, err := out.Text(nil); text != "" || err == nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
