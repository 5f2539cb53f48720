package activity

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Stats counts what the decoders of a node did since it started. Any goroutine may
// read it; the zero value is ready. It must not be copied.
type Stats struct {
	decoded   [domain.Reasons]atomic.Uint64
	noCountry atomic.Uint64
}

// Decoded is the number of records decoded, refused ones included.
func (s *Stats) Decoded() uint64 {
	var n uint64
	for i := range s.decoded {
		n += s.decoded[i].Load()
	}
	return n
}

// Refused is the number of records refused for the reason; for Accepted the number
// of those that hold an activity.
func (s *Stats) Refused(reason domain.Reason) uint64 {
	if int(reason) >= len(s.decoded) {
		return 0
	}
	return s.decoded[reason].Load()
}

// NoCountry is the number of activities whose country is none: they count without it.
func (s *Stats) NoCountry() uint64 { return s.noCountry.Load() }

func (s *Stats) count(reason domain.Reason) { s.decoded[reason].Add(1) }
