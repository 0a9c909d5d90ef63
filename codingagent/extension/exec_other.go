//go:build !unix

package extension

import (
	"errors"
	"os"
)

func terminate(*os.Process) error { return errors.ErrUnsupported }

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
