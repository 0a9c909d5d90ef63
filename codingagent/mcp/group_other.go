//go:build !unix

package mcp

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup has nothing to do: the transport ends the program itself.
func killGroup(*exec.Cmd) {}
