package wire

import (
	"sync/atomic"
)

// Why connections are closed.
const (
	closeMalformed = iota // bytes that are no request
	closeTooLarge
	closeUnknown // a request, or a version of one, that is not served
	closeFull    // too many connections, and none idle
	closeIdle    // idle, in favour of a new one
	closeSlow    // a frame that did not arrive, or an answer that was not taken, in time
	closeReasons
)

var closeNames = [closeReasons]string{
	"malformed_request", "request_too_large", "unsupported_request", "too_many_connections",
	"idle_in_favour_of_another", "too_slow",
}

const lastCode = 127

type counts struct {
	open, accepted, requests atomic.Uint64
	appends, appended        atomic.Uint64
	fetches, fetched         atomic.Uint64
	closed                   [closeReasons]atomic.Uint64
	codes                    [lastCode + 2]atomic.Uint64 // by code + 1
}

// Stats is what a broker has done since it was made.
type Stats struct {
	Open         int    // connections now
	Accepted     uint64 // connections ever
	Requests     uint64
	Appends      uint64 // record batches taken
	AppendBytes  uint64
	Fetches      uint64
	FetchedBytes uint64
	// Refused counts by reason: errors of the protocol in lower case, as answered for
	// a partition, topic or request, and reasons for closing a connection.
	Refused map[string]uint64
}

// Stats are the counters now.
func (b *Broker) Stats() Stats {
	n := &b.counts
	s := Stats{
		Open: int(n.open.Load()), Accepted: n.accepted.Load(), Requests: n.requests.Load(),
		Appends: n.appends.Load(), AppendBytes: n.appended.Load(),
		Fetches: n.fetches.Load(), FetchedBytes: n.fetched.Load(),
		Refused: map[string]uint64{},
	}
	for i := range n.closed {
		if v := n.closed[i].Load(); v > 0 {
			s.Refused[closeNames[i]] = v
		}
	}
	for i := range n.codes {
		if v := n.codes[i].Load(); v > 0 {
			s.Refused[codeName(int16(i)-1)] += v
		}
	}
	return s
}

// refuse counts an error that is answered, and gives it back.
func (b *Broker) refuse(code int16) int16 {
	if code != 0 && code >= -1 && code <= lastCode {
		b.counts.codes[code+1].Add(1)
	}
	return code
}

// refusal is the code of an error, counted.
func (b *Broker) refusal(err error) int16 { return b.refuse(codeOf(err)) }
