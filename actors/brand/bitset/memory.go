package bitset

import "slices"

// Sized is s with length n; what it holds is undefined where it did not grow.
func Sized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

// Grown is s with at least length n, its elements kept and zero beyond.
func Grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(slices.Grow(s, n-len(s)+n/4), make([]T, n-len(s))...)
}
