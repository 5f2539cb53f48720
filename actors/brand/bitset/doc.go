// Package bitset has functions over sets of small numbers, such as the ordinals of members: bit n&63
// of word n>>6 is number n. A set is a plain []uint64, so that loops over columns index it
// themselves. Every number given lies in the set's words. Sized and Grown reuse the memory of sets and
// of arrays by ordinal; Sequences is a set of large numbers. Nothing is synchronized.
package bitset
