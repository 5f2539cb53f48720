//go:build !linux

package tuning

import "errors"

// installed is asked on Linux alone.
func installed() (int64, error) { return 0, errors.ErrUnsupported }
