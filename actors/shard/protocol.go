package shard

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// The messages, by conversation. All are values of this process: they never cross
// nodes. A message is its receiver's once it is sent.

// Shard, catalog → itself: go on with the pages that wait.
type goOn struct{}

// Anyone → shard: see internal/waiters for what is awaited.
type (
	// WhichApplied is answered with *lastApplied: the highest origin of the stream, zero
	// where nothing of it was applied.
	WhichApplied struct{ Stream Stream }
	LastApplied  struct{ Origin domain.Origin }
)

// Shard → member, on the shard's goroutine: done when Send returns.
type (
	// activities are a run of one member's activities.
	activities struct {
		acts    []act
		history member.History
		changes []domain.Change // appended to
		done    bool            // false: it panicked
		err     error
	}
	// act is an activity with what the shard gives it, and what became of it.
	act struct {
		record  *domain.Record
		content *domain.Content
		seq     uint64
		at      moment
		verdict member.Verdict
	}
	// enter is a registration or attachment.
	enter struct {
		command *domain.RegisterMember
		now     int64                      // the log's, ms since 1970
		record  uint64                     // id of a new service record
		waits   domain.PendingRegistration // the claims it needs; some are granted already
		isNew   bool
		changes []domain.Change // appended to

		guess      member.Guess // not right: nothing was registered
		retryAfter uint32       // of a lock
		entered    bool         // it was applied; else it waits
		done       bool
	}
	// settle is the answer to a claim.
	settle struct {
		claim   *domain.Claim
		record  uint64          // id of a new service record
		changes []domain.Change // appended to
		end     member.Settled
		done    bool
	}
	// opt opts in or out.
	opt struct {
		opt     domain.Opt
		in      bool
		at      int64
		changes []domain.Change // appended to
		done    bool
	}
	// deletion takes an action out.
	deletion struct {
		row     domain.Row      // as the member's past holds it
		changes []domain.Change // appended to
		there   bool            // it counted
		done    bool
	}
)

// Outbox publisher → shard.
type (
	// published says how far the outbox is in its logs.
	published struct {
		kind outbox.Kind
		upTo uint64
	}
	// ackPublished comes a second after the first published: time to note it.
	ackPublished struct{}
)

// Catalog → shards: a new view is there. Sent after it is published.
type CatalogMoved struct{}
