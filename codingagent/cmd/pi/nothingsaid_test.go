//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A program that was killed before it had written what was said leaves a file of which
// --continue takes up what there is: a session in which nothing was said yet is gone on
// with, and beside a file without a header, which holds nothing, a new one is begun.
func TestContinueWhereNothingWasSaid(t *testing.T) {
	first := newSandbox(t)
	first.llm.Queue(mockllm.Say("hello"))
	first.run("-p", "--model", "mock/m", "hi").want(t, 0, "hello\n")
	whole := readFile(t, first.sessionFiles()[0])
	user := strings.Index(whole, `{"type":"message"`)
	user += strings.Index(whole[user+1:], `{"type":"message"`) + 1 // behind the system message
	for name, tc := range map[string]struct {
		text string
		more int // files besides
	}{
		"nothing":                {"", 1},
		"half a header":          {whole[:40], 1},
		"the header":             {whole[:strings.Index(whole, "\n")+1], 0},
		"all but what was said":  {whole[:user], 0},
		"half of what was said":  {whole[:user+60], 0},
		"only what was asked":    {whole[:user+strings.Index(whole[user:], "\n")+1], 0},
		"half a line of a setup": {whole[:strings.Index(whole, "\n")+20], 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			text := strings.Replace(tc.text, first.dir, s.dir, 1)
			dir := filepath.Join(s.home, ".pi/agent/sessions", strings.ReplaceAll("-"+s.dir+"/-", "/", "-"))
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, filepath.Base(first.sessionFiles()[0])), []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
			s.llm.Queue(mockllm.Say("here I am"))
			s.run("-c", "-p", "--model", "mock/m", "again").says(t, 0, "here I am\n")
			files := s.sessionFiles()
			if len(files) != 1+tc.more {
				t.Errorf("files %v", files)
			}
			if got := readFile(t, files[len(files)-1]); !strings.Contains(got, `"again"`) || !strings.Contains(got, "here I am") {
				t.Errorf("the last session is %s", got)
			}
		})
	}
}
