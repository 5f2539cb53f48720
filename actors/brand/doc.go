// Package brand is the home of an account's actions in one shard: the columns of its brands and all
// that reads them. It holds no code itself; each package in it imports those below it alone.
//
//	scan      answers questions from a view: the families of statistics, a worker's scratch
//	topk      the first of many: a page of a listing, the places of a ranking
//	text      keyword, substring search and content filter
//	rows      columns: a table that one writer changes, views that any goroutine reads
//	outline   when rows that are on disk only were made
//	bitset    sets of ordinals and of sequences
//
// All of it is pure: time, chance, disk and goroutines are the caller's.
package brand
