//go:build !unix

package tui

const canSuspend = false

func suspend() error { return nil }
