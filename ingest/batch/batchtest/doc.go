// Package batchtest makes record batches for tests that write into the embedded log as no
// client of ours does.
package batchtest
