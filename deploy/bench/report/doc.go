// Package report holds what the figures of the bench are made of: spreads of several runs,
// histograms of latencies, the table that is printed, and the machine that was measured.
// Values only; Latencies may be written by any goroutine.
package report
