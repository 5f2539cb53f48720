// Package batchtest makes record batches for tests, also those that no client of ours sends.
package batchtest
