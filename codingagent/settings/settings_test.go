package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
)

func load(t *testing.T, text string) (Settings, []Diagnostic, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := execenv.Local(filepath.Dir(path), execenv.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, notes := Load(t.Context(), env.FS, path)
	if after, err := os.ReadFile(path); err != nil || string(after) != text {
		t.Errorf("reading changed the file: %q %v", after, err)
	}
	return s, notes, path
}

func TestLoad(t *testing.T) {
	s, notes, _ := load(t, "\uFEFF"+`{"defaultProvider":"p","defaultModel":"m","defaultThinkingLevel":"high","modelThinkingLevels":{"p/m":"low"},
		"steeringMode":"all","defaultTools":["+grep"],"httpIdleTimeoutMs":"60000","unknown":{"x":1},
		"retry":{"enabled":false,"maxRetries":5,"baseDelayMs":10,"provider":{"maxRetryDelayMs":0}},"images":{"autoResize":false},
		"compaction":{"reserveTokens":5,"modelOverrides":{"p/m":{"keepRecentTokens":7}}}}`)
	if reserve, keep := s.Compaction.For("p/m"); reserve != 5 || keep != 7 || !s.Compaction.Enabled {
		t.Errorf("compaction: %+v", s.Compaction)
	}
	if reserve, keep := s.Compaction.For("p/other"); reserve != 5 || keep != 20000 {
		t.Errorf("compaction of another model: %d %d", reserve, keep)
	}
	if len(notes) != 0 {
		t.Errorf("notes %v", notes)
	}
	if s.DefaultProvider != "p" || s.DefaultModel != "m" || s.DefaultThinkingLevel != ai.ThinkingHigh || s.ModelThinkingLevels["p/m"] != ai.ThinkingLow {
		t.Errorf("models: %+v", s)
	}
	if s.SteeringMode != agentcore.QueueAll || s.FollowUpMode != agentcore.QueueOneAtATime || len(s.DefaultTools) != 1 || s.HTTPIdleTimeout != time.Minute {
		t.Errorf("modes: %+v", s)
	}
	r := s.Retry
	if r.Enabled || r.MaxRetries != 5 || r.BaseDelay != 10*time.Millisecond || r.MaxDelay != time.Minute || r.Provider.MaxDelay >= 0 || s.Images.AutoResize {
		t.Errorf("retry: %+v", r)
	}
}

func TestLoadReportsWrongTypesAndGoesOn(t *testing.T) {
	s, notes, path := load(t, `{"defaultModel":7,"defaultProvider":"p","defaultThinkingLevel":"loud","retry":{"enabled":"yes"},"images":[]}`)
	if s.DefaultProvider != "p" || s.DefaultModel != "" || !s.Retry.Enabled || s.DefaultThinkingLevel != ai.ThinkingMedium {
		t.Errorf("%+v", s)
	}
	all := ""
	for _, n := range notes {
		all += n.String() + "\n"
	}
	for _, want := range []string{path, "defaultModel: expected a text, found 7", `retry.enabled: expected true or false, found "yes"`, "defaultThinkingLevel: expected a thinking level", "images: expected an object"} {
		if !strings.Contains(all, want) {
			t.Errorf("notes lack %q:\n%s", want, all)
		}
	}
}

func TestLoadBrokenFiles(t *testing.T) {
	for text, want := range map[string]string{
		"{\"theme\":\"dark\",\n\"defaultModel\":\"m1\",}": "line 2",
		"{\"theme\":": "line 1",
		"[]":          "one JSON object",
	} {
		s, notes, _ := load(t, text)
		if len(notes) != 1 || !strings.Contains(notes[0].Message, want) || s.DefaultModel != "" {
			t.Errorf("%q: %v", text, notes)
		}
	}
	if _, notes, _ := load(t, " \n"); len(notes) != 0 {
		t.Errorf("an empty file: %v", notes)
	}
}

// What changes nothing is known as a setting, else nobody could find out why.
func TestInert(t *testing.T) {
	for key := range inert() {
		if !slices.Contains(Keys(), key) {
			t.Errorf("%s is no setting", key)
		}
	}
}
