// Package scan reads keys and their values from a store or a snapshot: one key, a range, or a
// shard's part of a family that begins with the month.
package scan
