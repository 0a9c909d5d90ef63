package wire

import (
	"fmt"
	"strings"
)

// Clip shortens what a vendor sent, to be shown to a person.
func Clip(data []byte) string {
	const most = 500
	if len(data) > most {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(data[:most]), ""), len(data))
	}
	return string(data)
}
