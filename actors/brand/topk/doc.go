// Package topk keeps the first of many: Page the rows of a listing that its page may have, after a
// Cursor where there is one, Places the first places of a ranking. Both keep about twice as many as
// are wanted and sort them when they are full; from then on what sorts after the last of those wanted
// is dropped at once (Beyond, Floor).
//
// A Page is reused between questions, its Close forgets the rows. Everything is for one goroutine.
package topk
