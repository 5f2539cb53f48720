package bind

import (
	"errors"
	"strconv"
	"strings"
)

// Ages are ages in whole years, both ends included.
type Ages struct {
	Least, Most int
	Given       bool
}

var errAges = errors.New("must be a range of whole years from 0 to 999, such as 29-35")

// ParseParam reads a-b.
func (a *Ages) ParseParam(s string) error {
	from, to, _ := strings.Cut(strings.TrimSpace(s), "-")
	var ok [2]bool
	a.Least, ok[0] = years(from)
	a.Most, ok[1] = years(to)
	if !ok[0] || !ok[1] || a.Least > a.Most {
		return errAges
	}
	a.Given = true
	return nil
}

// years reads at most three digits.
func years(s string) (n int, ok bool) {
	if len(s) == 0 || len(s) > 3 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
