package evals

import (
	"embed"
	"fmt"
)

//go:embed tasks/*.yaml
var sampleFiles embed.FS

// Samples gives tasks that the built-in demo model solves (see
// [codingagent.DemoProvider]): a first look at how tasks are written, and a
// check that everything works without a key.
func Samples() ([]Task, error) {
	tasks, err := Load(sampleFiles, "tasks")
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	return tasks, nil
}
