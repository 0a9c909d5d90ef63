//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// Extensions in files are not left out silently: it is said once, with what to do.
func TestScriptsAreTold(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/extensions/gate.ts", "export default () => {}")
	s.put("../home/.pi/agent/extensions/todo/index.ts", "export default () => {}")
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("hello") })
	const why = "this pi can not run extensions from files"
	o := s.run("-p", "--model", "mock/m", "hi")
	if o.code != 0 || strings.Count(o.err, why) != 1 || !strings.Contains(o.err, "gate.ts, ") || !strings.Contains(o.err, "todo/index.ts can not be loaded: ") {
		t.Errorf("exit %d, stderr %q", o.code, o.err)
	}
	if o := s.run("-p", "--model", "mock/m", "--no-extensions", "hi"); o.code != 0 || strings.Contains(o.err, why) {
		t.Errorf("--no-extensions: exit %d, stderr %q", o.code, o.err)
	}
	for _, path := range []string{"gate.ts", "todo/index.ts"} {
		if o := s.run("config", "disable", s.home+"/.pi/agent/extensions/"+path); o.code != 0 {
			t.Errorf("disable %s: exit %d, %q", path, o.code, o.err)
		}
	}
	if o := s.run("-p", "--model", "mock/m", "hi"); o.code != 0 || strings.Contains(o.err, why) {
		t.Errorf("switched off: exit %d, stderr %q", o.code, o.err)
	}
	if o := s.run("-p", "--model", "mock/m", "-e", "gate.ts", "hi"); o.code != 1 || !strings.Contains(o.err, "--extension gate.ts: "+why) {
		t.Errorf("-e: exit %d, stderr %q", o.code, o.err)
	}
}
