// Package querytest has the walk over a list, page after page from the last row on, that the
// tests of query and of a whole node make, and the random questions that they walk.
package querytest
