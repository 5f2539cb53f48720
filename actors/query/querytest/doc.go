// Package querytest has the walk over a list, page after page behind the last row, that the
// tests of query and of a whole node make, and the random questions that they walk.
package querytest
