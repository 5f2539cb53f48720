// Package extended reads conditions on the Extended node of a member and the path that a list is
// ordered by, and applies them to nodes.
//
//	query     = condition { "and" condition }
//	condition = path operator value
//	path      = [ "Extended." ] name { "." name }
//	operator  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//	value     = bare text | "'" text "'"
//
// Names, "and" and the prefix are in any case. A bare value is a word, or several without an
// operator in those after the first; in a quoted one a quote is written twice. A path leads
// through an array to any of its elements. A number and a value that is one compare as numbers, of
// any size; everything else as text, byte by byte. "~" finds a text in any case. A field that is
// missing or null meets "!=" alone.
//
//	query.go    the grammar, and which nodes meet a query
//	path.go     paths, and what they lead to
//	key.go      what a path orders nodes by
//	number.go   numbers as bytes that sort as they do
//	node.go     the node: derived fields, and beside them those that were merged
//
// The package is pure; any goroutine may call it. A Node belongs to one goroutine.
package extended
