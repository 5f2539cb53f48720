package scan

import "errors"

// ErrEnded is the error of a question that was given up before it was answered.
var ErrEnded = errors.New("brand: nobody waits for the answer any more")

// Until has the questions that x answers from now on end, with ErrEnded, once ended
// reports that nobody waits for them any more. It is asked before every stretch of at
// most 65,536 rows; after it reported so once it is asked no more. nil: they do not end.
func (x *Scratch) Until(ended func() bool) { x.ended, x.over = ended, false }

// stretch is how many loose rows are counted between two looks.
const stretch = 1 << 16

// goesOn reports that somebody waits for the answer. What is counted after it reported
// that nobody does is no answer, but the scratch is as after any other question.
func (x *Scratch) goesOn() bool {
	if !x.over && x.ended != nil {
		x.over = x.ended()
	}
	return !x.over
}

// fate is the error, or ErrEnded where there is none and nobody waits.
func (x *Scratch) fate(err error) error {
	if err == nil && x.over {
		return ErrEnded
	}
	return err
}
