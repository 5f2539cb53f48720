// Package mappings has the mappings of files as people download them, and of what sites collect: of each the name, what
// the file is, and the mapping as who writes one would (package collect). A mapping without a
// member is one of a file that does not say whose it is.
//
// Guess reads the first rows of a file by each of them. A sample of made-up rows of each is in testdata.
package mappings
