// Package accounts is what a shard keeps in memory of its accounts, to answer questions from:
// the attributes of their members and, by brand, the columns of their rows.
//
// Apply applies a change that is staged in the store; rows are collected by brand. Flush
// sends each brand its rows, as one message to its actor. After the commit, Committed runs due
// compactions and Publish puts the accounts that changed into the shard's view (I7).
//
// The domains and pages of visits are numbered in one bounded list (places.go); rows of visits have the number.
//
// Columns are kept within a budget over all shards of the node: columncache.go says which
// brands are evicted, warm.go how a cold brand comes back. Everything belongs to the shard's
// goroutine; what others read is the view, and the counters of Stats.
package accounts
