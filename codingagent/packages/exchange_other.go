//go:build !linux && !darwin

package packages

import "errors"

// exchange swaps two directories in one step, where a system can.
func exchange(string, string) error { return errors.ErrUnsupported }
