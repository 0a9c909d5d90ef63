package execenv

import "time"

// SetPatience changes how long a shell waits for the output of background
// processes.
func (s *LocalShell) SetPatience(quiet, patience time.Duration) {
	s.quiet, s.patience = quiet, patience
}
