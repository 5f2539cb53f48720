// Package contents keeps what actions have beside their columns: marker, content, link, media
// and place.
//
//	blocks.go   Writer: into blocks of bounded size
//	view.go     View: of many rows at once, as of a commit
//	search.go   what a brand's contents have; filters.go: which blocks cannot have it
//
// A Writer is its shard's goroutine's. A View, and Filters, may be used by any.
package contents
