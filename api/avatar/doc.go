// Package avatar draws the picture of a member that has none: an SVG made of the member's
// number alone, so it needs no key and is the same on every node. Every number that a member may
// have has its picture, whether there is a member, was one, or never was.
//
// Functions are pure; any goroutine may call them.
package avatar
