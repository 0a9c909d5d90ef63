package packages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pi-go/pi/codingagent/packages"
	"github.com/pi-go/pi/codingagent/settings"
)

func ExampleParse() {
	for _, text := range []string{"npm:@scope/tools@^1.2", "git:owner/tools@v1", "github:owner/tools"} {
		s, err := packages.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(s.Kind, s.Identity("/home/me/.pi/agent", "/home/me"), s.Pinned())
	}
	// Output:
	// npm npm:@scope/tools false
	// git git:github.com/owner/tools true
	// the source github:owner/tools would be a path of this machine; write git:github.com/owner/tools, or ./github:owner/tools if it is one
}

func ExampleManager() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	if err := os.MkdirAll(filepath.Join(root, "project", "mine", "skills"), 0o755); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	m := packages.New(packages.Options{AgentDir: filepath.Join(root, "agent"), Dir: filepath.Join(root, "project"), Home: root})
	if _, err := m.Install(ctx, settings.User, "./mine"); err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range m.List(ctx) {
		fmt.Println(e.Source.Text, e.Installed)
	}
	// Output:
	// ../project/mine true
}
