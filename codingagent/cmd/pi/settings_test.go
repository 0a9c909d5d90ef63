//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A key that pi does not know is kept, and told of with the nearest one where
// somebody looks.
func TestUnknownSettingsAreTold(t *testing.T) {
	s := newSandbox(t)
	const file = "../home/.pi/agent/settings.json"
	text := `{"retry":{"baseDelayMs":1},"hideThinkingBlok":true}`
	s.put(file, text)
	s.llm.Queue(mockllm.Say("hello"))
	const want = "hideThinkingBlok: this program does not know it; did you mean hideThinkingBlock?"
	if o := s.run("-p", "--model", "mock/m", "hi"); o.code != 0 || strings.Contains(o.err, "hideThinkingBlok") {
		t.Errorf("an ordinary start: exit %d, stderr %q", o.code, o.err)
	}
	s.llm.Queue(mockllm.Say("hello"))
	for _, args := range [][]string{{"--verbose", "-p", "--model", "mock/m", "hi"}, {"config", "list"}} {
		if o := s.run(args...); o.code != 0 || strings.Count(o.err, want) != 1 {
			t.Errorf("pi %v: exit %d, stderr %q", args, o.code, o.err)
		}
	}
	if o := s.run("config", "explain"); o.code != 0 || !strings.Contains(o.out, "this program does not know it; did you mean hideThinkingBlock?") {
		t.Errorf("pi config explain: exit %d, %q", o.code, o.out)
	}
	if got := s.get(file); got != text {
		t.Errorf("the file is now %q", got)
	}
}

// Models are reached through the proxy of the settings, unless a variable names one.
func TestProxyOfSettings(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/settings.json", fmt.Sprintf(`{"retry":{"enabled":false},"httpProxy":%q}`, s.llm.URL))
	s.put("../home/.pi/agent/models.json", `{"providers":{"far":{"baseUrl":"http://llm.invalid/v1","api":"openai-completions","apiKey":"k","models":[{"id":"m"}]}}}`)
	s.llm.Queue(mockllm.Say("through the proxy"))
	s.run("-p", "--model", "far/m", "hi").want(t, 0, "through the proxy\n")
	cmd := s.command(t.Context(), "-p", "--model", "far/m", "hi")
	cmd.Env = append(cmd.Env, "HTTP_PROXY=http://proxy.invalid:1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "proxy.invalid") {
		t.Errorf("with a variable: %v, %s", err, out)
	}
}

// pi update self runs what the user's settings say, and nothing that a project says.
func TestSelfUpdateCommand(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/settings.json", `{"selfUpdateCommand":["sh","-c","echo it is {packageName} {version}"]}`)
	s.put(".pi/settings.json", `{"selfUpdateCommand":["sh","-c","echo the project has its way"]}`)
	o := s.run("update", "-a", "self")
	o.says(t, 0, "\nit is github.com/pi-go/pi/codingagent/cmd/pi latest\n")
	if strings.Contains(o.out, "its way") {
		t.Errorf("the project said what is run: %q", o.out)
	}
}

// Images are made as small as models take them, unless the settings say to leave them.
func TestAutoResize(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3000, 10))); err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]bool{`{}`: false, `{"images":{"autoResize":false}}`: true} {
		s := newSandbox(t)
		s.put("../home/.pi/agent/settings.json", set)
		s.put("../home/.pi/agent/models.json", strings.ReplaceAll(s.get("../home/.pi/agent/models.json"), `"id": "m",`, `"id": "m", "input": ["text", "image"],`))
		s.put("wide.png", b.String())
		s.llm.Queue(mockllm.Say("I see"))
		s.run("-p", "--model", "mock/m", "@wide.png", "what is it?").says(t, 0, "I see")
		sent := string(s.llm.Requests()[0].Body)
		if !strings.Contains(sent, "data:image/") {
			t.Fatalf("no image was sent: %.300s", sent)
		}
		if strings.Contains(sent, base64.StdEncoding.EncodeToString(b.Bytes())) != want {
			t.Errorf("%s: the image as it is was sent: %v", set, !want)
		}
	}
}
