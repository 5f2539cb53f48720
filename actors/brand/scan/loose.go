package scan

import "slices"

// looseRows are rows outside of chunks, or gathered from them, in columns: ordinal, target and, if
// daily, day of the range.
type looseRows struct {
	ord, to, day []uint32
	at           []uint32 // by group or day: where the ordinals in grouped start, then where they end
	grouped      []uint32 // the ordinals of rows in order of their groups or days
}

// room makes place for n more loose rows and one more, which a loop without a
// branch may write in vain.
func (x *looseRows) room(n int) (at int) {
	at = len(x.ord)
	if need := at + n + 1; need > cap(x.ord) {
		need += need / 2
		x.ord = append(make([]uint32, 0, need), x.ord...)
		x.to = append(make([]uint32, 0, need), x.to...)
		x.day = append(make([]uint32, 0, need), x.day...)
	}
	x.ord, x.to, x.day = x.ord[:at+n+1], x.to[:at+n+1], x.day[:at+n+1]
	return at
}

// keep leaves n loose rows.
func (x *looseRows) keep(n int) { x.ord, x.to, x.day = x.ord[:n], x.to[:n], x.day[:n] }

// sized is s with length n; what it holds is undefined where it did not grow.
func sized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

// grown is s with at least length n, its elements kept and zero beyond.
func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(slices.Grow(s, n-len(s)+n/4), make([]T, n-len(s))...)
}
