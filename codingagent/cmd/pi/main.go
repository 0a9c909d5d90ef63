// Command pi is a coding agent for the terminal.
//
//	pi                            chat in this directory
//	pi -p "why does this fail?"   answer once and exit
//	pi --help                     all options
package main

import (
	"os"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/program"
)

// version is set when the program is built by make; a program that was
// installed by the go command has the version of the module.
var version = ai.Version

func main() { os.Exit(program.Program{Version: version}.Main()) }
