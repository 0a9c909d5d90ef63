// Command pi is a coding agent for the terminal.
//
//	pi                            chat in this directory
//	pi -p "why does this fail?"   answer once and exit
//	pi --help                     all options
package main

import (
	"io"
	"log"
	"os"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/program"
)

// version is set when the program is built by make; a program that was
// installed by the go command has the version of the module.
var version = ai.Version

func main() {
	// net/http logs what a server sends behind its answer, into the middle of the
	// screen; nothing of ours uses that log.
	log.SetOutput(io.Discard)
	os.Exit(program.Program{Version: version}.Main())
}
