//go:build unix

package extension_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
)

func TestExec(t *testing.T) {
	var api *extension.API
	load(t, ext("x", func(a *extension.API) error { api = a; return nil }))
	for _, c := range []struct {
		name    string
		program string
		args    []string
		o       extension.ExecOptions
		want    extension.ExecResult
	}{
		{"both outputs and a code", "sh", []string{"-c", "echo out; echo err >&2; exit 3"}, extension.ExecOptions{}, extension.ExecResult{Stdout: "out\n", Stderr: "err\n", Code: 3}},
		{"arguments are no script", "printf", []string{"%s", "$HOME; true"}, extension.ExecOptions{}, extension.ExecResult{Stdout: "$HOME; true"}},
		{"input is empty", "cat", nil, extension.ExecOptions{}, extension.ExecResult{}},
		{"a directory", "pwd", nil, extension.ExecOptions{Dir: "/"}, extension.ExecResult{Stdout: "/\n"}},
		{"a signal of its own", "sh", []string{"-c", "kill -9 $$"}, extension.ExecOptions{}, extension.ExecResult{Code: 137}},
		{"time is over", "sleep", []string{"100"}, extension.ExecOptions{Timeout: time.Millisecond}, extension.ExecResult{Code: 143, Killed: true}},
		{"too much", "sh", []string{"-c", "printf 12345; exec sleep 100"}, extension.ExecOptions{MaxOutput: 3}, extension.ExecResult{Stdout: "123", Code: 143, Killed: true, Truncated: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := api.Exec(t.Context(), c.program, c.args, c.o)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
	got, err := api.Exec(t.Context(), "/no/such/program", nil, extension.ExecOptions{})
	if err != nil || got.Code != 1 || !strings.Contains(got.Stderr, "no such file") {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := api.Exec(t.Context(), "true", nil, extension.ExecOptions{MaxOutput: -1}); err == nil {
		t.Error("a negative limit was accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := api.Exec(ctx, "sleep", []string{"100"}, extension.ExecOptions{}); err != nil || !got.Killed || got.Code == 0 {
		t.Errorf("after the end of its context: %+v, %v", got, err)
	}
}
