package scan

import "errors"

// ErrEnded is the error of a question that was given up before it was answered.
var ErrEnded = errors.New("brand: nobody waits for the answer any more")

// cancellation is whether the answer is still wanted.
type cancellation struct {
	ended func() bool // reports that it is not; nil: it always is
	over  bool        // ended reported so
}

// stretch is how many loose rows are counted between two looks.
const stretch = 1 << 16

// goesOn reports that somebody waits for the answer. What is counted after it reported
// that nobody does is no answer, but the scratch is as after any other question.
func (x *cancellation) goesOn() bool {
	if !x.over && x.ended != nil {
		x.over = x.ended()
	}
	return !x.over
}

// fate is the error, or ErrEnded where there is none and nobody waits.
func (x *cancellation) fate(err error) error {
	if err == nil && x.over {
		return ErrEnded
	}
	return err
}
