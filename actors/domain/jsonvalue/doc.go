// Package jsonvalue bounds the JSON values that the program keeps and gives out as they are: the
// content of an action and the Extended node of a member. Every road in checks, mends and composes a value by
// the same functions, so that what one road takes another takes too, and every JSON reader can
// read the answers: also one with a limit of recursion, with numbers of 64 bits, or with strict
// Unicode. Texts in them that look alike are alike: see package composed.
//
// The functions read valid JSON once, from the beginning to the end. The package has the standard
// library and package composed alone, and every room may import it.
package jsonvalue
