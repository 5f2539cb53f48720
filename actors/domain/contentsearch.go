package domain

import "iter"

// ContentSearch is a substring search of contents, as the store runs it. One goroutine uses it.
type ContentSearch struct {
	// Finder gives, of a text in which contents follow one another among other things, the function
	// that gives for a place the first one from there on at which a match may begin; −1: there is
	// none. It may err on that side only. It holds until Finder is called again. The filter is that
	// of the contents, or nil.
	Finder func(text []byte, filter []uint64) (next func(from int) int)
	// FilterOf is the content filter of contents: MayContain rules out by it that one of them has a
	// match. A filter does not depend on what is searched for, and never changes.
	FilterOf   func(contents iter.Seq[[]byte]) []uint64
	MayContain func(filter []uint64) bool
	// Found takes a content, and times of which its action's is one. It does not keep the
	// content.
	Found func(seq uint64, content []byte, in Range)
}
