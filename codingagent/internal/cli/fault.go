package cli

import (
	"fmt"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// fault tells what an extension did wrong: to whoever the mode says, or on
// standard error.
func (p *program) fault(f *extension.Fault) {
	if tell := p.onFault.Load(); tell != nil {
		(*tell)(f)
		return
	}
	fmt.Fprintf(p.sys.Err, "Warning: %s\n", interactive.FaultText(f))
}
