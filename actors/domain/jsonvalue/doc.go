// Package jsonvalue bounds the JSON values that the program keeps and gives out as they are: the
// content of an action and the Extended node of a member. Every road in checks and mends a value by
// the same two functions, so that what one road takes another takes too, and every JSON reader can
// read the answers: also one with a limit of recursion, with numbers of 64 bits, or with strict
// Unicode.
//
// Both functions read valid JSON once, from the beginning to the end. The package has the standard
// library alone, and every room may import it.
package jsonvalue
