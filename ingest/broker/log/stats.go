package log

import "sync/atomic"

type counts struct {
	appends, bytes, repeats, read atomic.Uint64
}

// Stats is what a log has done since it was opened, and what it holds.
type Stats struct {
	Appends   uint64   // batches stored
	Bytes     uint64   // of them
	Repeats   uint64   // batches that a producer sent again and that were there already
	ReadBytes uint64   // given to readers
	Full      uint64   // calls refused for want of free space
	Refusing  string   // why appends are refused now; empty: they are not
	Unstamped bool     // appends alone that the log would stamp are refused
	Corrupt   []string // files in which something cannot be read
	Topics    int
	DiskBytes uint64 // the store's files
}

// Stats are the counters now.
func (l *Log) Stats() Stats {
	s := Stats{
		Appends: l.counts.appends.Load(), Bytes: l.counts.bytes.Load(), Repeats: l.counts.repeats.Load(),
		ReadBytes: l.counts.read.Load(), Full: l.space.refused.Load(),
	}
	if s.Refusing = l.space.nearlyFull(); s.Refusing == "" {
		s.Refusing = l.clock.wrong()
		s.Unstamped = s.Refusing != ""
	}
	s.Corrupt = l.db.CorruptFiles()
	s.Topics = len(l.Topics.All())
	if l.enter() == nil {
		s.DiskBytes = l.db.Metrics().DiskSpaceUsage()
		l.leave()
	}
	return s
}
