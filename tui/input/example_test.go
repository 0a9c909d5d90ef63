package input_test

import (
	"fmt"

	"github.com/pi-go/pi/tui/input"
)

func ExampleDecoder() {
	var d input.Decoder
	for _, ev := range d.Feed([]byte("a\x1b[1;5A\x1b[200~pasted\x1b[201~")) {
		switch e := ev.(type) {
		case input.Key:
			fmt.Println("key", e.ID)
		case input.Paste:
			fmt.Println("paste", e.Text)
		}
	}
	// Output:
	// key a
	// key ctrl+up
	// paste pasted
}

func ExampleBindings() {
	keys := input.NewBindings([]input.Binding{{Action: "app.quit", Keys: []string{"ctrl+q"}}})
	for _, err := range keys.Set(map[string][]string{"app.quit": {"ctrl+x", "ctr+y"}}) {
		fmt.Println(err)
	}
	fmt.Println(keys.Text("app.quit"))
	// Output:
	// key binding "app.quit": key "ctr+y": "ctr" is no modifier; use ctrl, shift, alt or super
	// ctrl+x
}
