package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

func TestLook(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Widget\n\nIt makes widgets.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	models := ai.NewModels(codingagent.DemoProvider(0))
	model, err := models.Model("demo", "guide")
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"describe this project":  "It makes widgets.",
		"create x.txt with text": "switched off",
	} {
		answer, err := look(t.Context(), models, model, dir, request)
		if err != nil || !strings.Contains(answer, want) {
			t.Errorf("%s: %q %v, want %q", request, answer, err, want)
		}
	}
}
