package text_test

import (
	"fmt"

	"github.com/pi-go/pi/tui/text"
)

func ExampleWidth() {
	fmt.Println(text.Width("e\u0301"), text.Width("한글"), text.Width("\x1b[31mred\x1b[0m"))
	// Output: 1 4 3
}

func ExampleWrap() {
	for _, line := range text.Wrap("\x1b[1mone two\x1b[0m three", 8) {
		fmt.Printf("%q\n", line)
	}
	// Output:
	// "\x1b[1mone two\x1b[0m"
	// "three"
}

func ExampleSanitize() {
	fmt.Printf("%q\n", text.Sanitize("10%\r99%\x1b[2J\x07"))
	// Output: "99%␇"
}

func ExampleTruncate() {
	fmt.Println(text.Truncate("a long line", 6, "…"))
	// Output: a lon…
}
