package mermaid_test

import (
	"fmt"

	"github.com/pi-go/pi/tui/mermaid"
)

func ExampleRender() {
	src := "flowchart LR\n  A[Client] -->|asks| B[Server]"
	d, err := mermaid.Render(src, mermaid.Options{Width: 80})
	if err != nil {
		fmt.Println(src) // the source is better than nothing
		return
	}
	fmt.Println(d)
	// Output:
	// ┌────────┐           ┌────────┐
	// │ Client ├───asks───▶│ Server │
	// └────────┘           └────────┘
}
