// Package avatar draws the picture of a member that has none: an SVG made of the member's
// number alone, so it needs no key and is the same on every node. That there is a picture does not
// say that there is a member; the server answers that of a member who is erased as gone.
//
// Functions are pure; any goroutine may call them.
package avatar
