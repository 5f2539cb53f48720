package kafka

import "sync/atomic"

// Stats is what a client has counted since it was made.
type Stats struct {
	Requests        uint64 // requests sent, of every kind
	Fetches         uint64 // pages read, empty ones too
	FetchedBytes    uint64 // record batches as they came
	Records         uint64 // records shown
	Corrupt         uint64 // batches given up as unreadable
	Retries         uint64 // failures that may pass, of fetching and producing
	ProducedBatches uint64
	ProducedRecords uint64
	ProducedBytes   uint64 // record batches as they were stored
	Sessions        uint64 // producer ids asked for
}

type counters struct {
	requests, fetches, fetchedBytes, records, corrupt, retries,
	producedBatches, producedRecords, producedBytes, sessions atomic.Uint64
}

// Stats gives the counts so far; each is right, they are not of one moment.
func (c *conns) Stats() Stats {
	s := &c.stats
	return Stats{
		Requests:        s.requests.Load(),
		Fetches:         s.fetches.Load(),
		FetchedBytes:    s.fetchedBytes.Load(),
		Records:         s.records.Load(),
		Corrupt:         s.corrupt.Load(),
		Retries:         s.retries.Load(),
		ProducedBatches: s.producedBatches.Load(),
		ProducedRecords: s.producedRecords.Load(),
		ProducedBytes:   s.producedBytes.Load(),
		Sessions:        s.sessions.Load(),
	}
}
