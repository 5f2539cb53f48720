// Package text searches the contents of actions for a keyword, in any case. A Keyword decides for one
// content whether a value in it has the keyword; a Finder skips contents that cannot, at the
// speed of a search for bytes (substring search); a content filter, an n-gram Bloom filter over many
// contents, rules keywords out without reading the contents (FilterOf, MayContain).
//
// Finder and filter err on one side only: what they skip does not have the keyword. Everything
// is pure; a Keyword and a filter never change and are for any goroutine, a Finder is for one.
package text
