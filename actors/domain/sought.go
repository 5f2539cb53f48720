package domain

import "iter"

// Sought is what is looked for in what actions say, as whoever stores that is told. One
// goroutine uses it.
type Sought struct {
	// Near gives, of a text in which contents stand one behind the other among other things,
	// what tells for a place where from there on the first may begin of what is looked for;
	// −1: nowhere. It may err on that side only. It holds until Near is called again. The gist
	// is that of the contents, or nil.
	Near func(text []byte, gist []uint64) (next func(from int) int)
	// Gist sums up contents: May tells by it that none of them has what is looked for. A gist
	// does not depend on what that is, and is never changed.
	Gist func(contents iter.Seq[[]byte]) []uint64
	May  func(gist []uint64) bool
	// Found takes a content, and times of which its action's is one. It does not keep the
	// content.
	Found func(seq uint64, content []byte, in Range)
}
