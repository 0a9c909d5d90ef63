// Command one names a single provider; a test looks at what that links.
package main

import (
	"fmt"

	"github.com/pi-go/pi/ai/catalog"
)

func main() { fmt.Println(len(catalog.Anthropic().Models())) }
