package settings_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/settings"
)

// load reads a user's and a project's file; "" is none.
func load(t *testing.T, user, project string) *settings.Loaded {
	t.Helper()
	dir := t.TempDir()
	env, err := execenv.Local(dir, execenv.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sources []settings.Source
	for scope, text := range map[settings.Scope]string{settings.User: user, settings.Project: project} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, string(scope)+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, scope := range []settings.Scope{settings.User, settings.Project} {
		sources = append(sources, settings.Source{Scope: scope, Path: filepath.Join(dir, string(scope)+".json")})
	}
	return settings.LoadAll(t.Context(), env.FS, sources...)
}

func TestProjectOverUser(t *testing.T) {
	l := load(t, `{"theme":"dark","retry":{"maxRetries":5,"enabled":false},"modelThinkingLevels":{"a/b":"low","c/d":"high"},
		"enabledModels":["a"],"thinkingBudgets":{"low":1,"high":2},"skills":["./mine"]}`,
		`{"theme":"light","retry":{"maxRetries":1},"modelThinkingLevels":{"a/b":"off"},"enabledModels":["b","c"],"thinkingBudgets":{"low":7},"skills":["./its"]}`)
	if len(l.Notes) > 0 {
		t.Errorf("notes %v", l.Notes)
	}
	if l.Terminal.Theme != "light" || l.Retry.MaxRetries != 1 || l.Retry.Enabled || !reflect.DeepEqual(l.EnabledModels, []string{"b", "c"}) {
		t.Errorf("theme %s, retry %+v, models %v", l.Terminal.Theme, l.Retry, l.EnabledModels)
	}
	if got := fmt.Sprint(l.ModelThinkingLevels); got != "map[a/b:off c/d:high]" {
		t.Errorf("levels %s", got)
	}
	if b := l.ThinkingBudgets; fmt.Sprint(b) == fmt.Sprint(ai.ThinkingBudgets{}) || !strings.Contains(fmt.Sprint(b), "7") || !strings.Contains(fmt.Sprint(b), "2") {
		t.Errorf("budgets %+v", b)
	}
	if fmt.Sprint(l.UserResources.Skills, l.ProjectResources.Skills) != "[./mine] [./its]" {
		t.Errorf("skills %v and %v", l.UserResources.Skills, l.ProjectResources.Skills)
	}
}

func TestDefaultTools(t *testing.T) {
	for _, c := range []struct{ user, project, want string }{
		{`["+codemode"]`, ``, `[+codemode]`},
		{`["read"]`, `["+grep"]`, `[read +grep]`},
		{`["+grep"]`, `["bash"]`, `[bash]`},
		{`["-bash","+powershell"]`, `["-powershell"]`, `[-bash +powershell -powershell]`},
		{`[]`, ``, `[]`},
		{`["read"]`, `[]`, `[]`},
		{`[]`, `["+grep","+ls","-grep"]`, `[ls]`}, // nothing, and not the default tools, is what is changed
	} {
		user, project := `{"defaultTools":`+c.user+`}`, ""
		if c.project != "" {
			project = `{"defaultTools":` + c.project + `}`
		}
		l := load(t, user, project)
		if got := fmt.Sprint(l.DefaultTools); got != c.want || l.DefaultTools == nil {
			t.Errorf("%s and %s give %s, want %s", c.user, c.project, got, c.want)
		}
	}
}

// A project can not do what only the user may decide.
func TestKeysOfTheUserAlone(t *testing.T) {
	l := load(t, `{"httpProxy":"http://mine","defaultProjectTrust":"never"}`,
		`{"httpProxy":"http://its","defaultProjectTrust":"always","selfUpdateCommand":["rm","-rf"],"cacheWarming":"off","deviceId":"x"}`)
	if l.Network.Proxy != "http://mine" || l.DefaultProjectTrust != "never" || l.SelfUpdateCommand != nil || l.Network.CacheWarming != "idle" || l.DeviceID != "" {
		t.Errorf("settings %+v", l.Settings)
	}
	if len(l.Notes) != 5 {
		t.Errorf("notes %v", l.Notes)
	}
}

func TestOlderNames(t *testing.T) {
	old := `{"queueMode":"all","websockets":false,"skills":{"enableSkillCommands":false,"customDirectories":["./s"]},"retry":{"maxDelayMs":7}}`
	l := load(t, old, "")
	if l.SteeringMode != "all" || l.Network.Transport != "sse" || l.SkillCommands || fmt.Sprint(l.UserResources.Skills) != "[./s]" || l.Retry.Provider.MaxDelay != 7*time.Millisecond {
		t.Errorf("settings %+v, notes %v", l.Settings, l.Notes)
	}
	l = load(t, `{"queueMode":"all","steeringMode":"one-at-a-time"}`, "")
	if l.SteeringMode != "one-at-a-time" {
		t.Errorf("the older name wins: %s", l.SteeringMode)
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := settings.Update(t.Context(), path, map[string]any{"theme": "dark", "retry.maxRetries": 2}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"steeringMode":"all"`, `"transport"`, `"maxRetryDelayMs"`, `"maxRetries"`, `"dark"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %s: %s", want, text)
		}
	}
	if strings.Contains(string(text), "queueMode") || strings.Contains(string(text), "retry.maxRetries") {
		t.Errorf("the file has %s", text)
	}
}

func TestExplain(t *testing.T) {
	l := load(t, `{"theme":"dark","retry":{"maxRetries":5},"mine":1,"editorPaddingX":9}`, `{"retry":{"maxRetries":1},"httpProxy":"x"}`)
	var b strings.Builder
	if err := l.WriteExplanation(&b, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"retry.maxRetries = 1\n    project: ", "    over 5 in ", "theme = \"dark\"\n    user: ",
		"editorPaddingX has its default\n    not used: 9 in ", "mine = 1\n", "this program does not know it", "httpProxy has its default\n    not used: \"x\"",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks %q:\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := l.WriteExplanation(&b, "retry"); err != nil || !strings.Contains(b.String(), "retry.provider.timeoutMs has its default") {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	if err := l.WriteExplanation(&b, "codemode"); err != nil || strings.Count(b.String(), "it changes nothing here: pi has no tool that runs scripts") != 2 {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := l.WriteExplanation(&b, "them"); err != nil {
		t.Errorf("a prefix: %v", err)
	}
	if err := l.WriteExplanation(&b, "thmee"); err == nil || !strings.Contains(err.Error(), "theme") {
		t.Errorf("an unknown key: %v", err)
	}
}

// Keys that are not known are kept, and told of with those that are most like them.
func TestUnknownKeys(t *testing.T) {
	l := load(t, `{"$schema":"x","thmee":"dark","retry":{"maxRetrys":5},"retry":{"maxRetries":5},"theme":null,"compaction":null}`, `{"thmee":1}`)
	var got []string
	for _, d := range l.Unknown() {
		got = append(got, d.Message)
	}
	want := []string{
		"thmee: this program does not know it; did you mean theme, themes?",
		"retry.maxRetrys: this program does not know it; did you mean retry.maxRetries",
		"thmee: this program does not know it; did you mean theme, themes?",
	}
	if len(got) != len(want) {
		t.Fatalf("told of %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("said %q, want %q", got[i], want[i])
		}
	}
}

// A settings file that is not quite JSON is used, or left alone; it is never
// written over.
func TestNotQuiteJSON(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"comma":   {`{"theme":"dark","defaultModel":"m1",}`, false},
		"bom":     {"\uFEFF" + `{"theme":"dark","defaultModel":"m1"}`, true},
		"comment": {"{\n// note\n" + `"theme":"dark","defaultModel":"m1"}`, false},
		"cut":     {`{"theme":"dark","defau`, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := load(t, c.text, "")
			if c.ok != (len(l.Notes) == 0) || c.ok != (l.DefaultModel == "m1") {
				t.Errorf("model %q, notes %v", l.DefaultModel, l.Notes)
			}
			if !c.ok && !strings.Contains(l.Notes[0].String(), "user.json: line ") {
				t.Errorf("the note does not say where: %s", l.Notes[0])
			}
			path := filepath.Join(t.TempDir(), "settings.json")
			if err := os.WriteFile(path, []byte(c.text), 0o640); err != nil {
				t.Fatal(err)
			}
			err := settings.Update(t.Context(), path, map[string]any{"theme": "light"})
			text, readErr := os.ReadFile(path)
			if readErr != nil {
				t.Fatal(readErr)
			}
			switch {
			case c.ok && (err != nil || !strings.Contains(string(text), `"light"`) || !strings.Contains(string(text), `"defaultModel":"m1"`)):
				t.Errorf("%v: %s", err, text)
			case !c.ok && (err == nil || string(text) != c.text):
				t.Errorf("written over, %v: %s", err, text)
			}
		})
	}
}

// Two writers lose nothing, and a reader never sees half a file.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "settings.json")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	env, err := execenv.Local(dir, execenv.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 25 {
		if err := os.Remove(target); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, key := range []string{"theme", "defaultModel"} {
			wg.Go(func() {
				if err := settings.Update(t.Context(), link, map[string]any{key: "x"}); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Go(func() {
			for range 20 {
				if _, notes := settings.Load(t.Context(), env.FS, link); len(notes) > 0 {
					t.Errorf("round %d: a reader sees %v", round, notes)
				}
			}
		})
		wg.Wait()
		s, _ := settings.Load(t.Context(), env.FS, link)
		if s.Terminal.Theme != "x" || s.DefaultModel != "x" {
			t.Errorf("round %d: theme %q, model %q", round, s.Terminal.Theme, s.DefaultModel)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}
