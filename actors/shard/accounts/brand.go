package accounts

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
)

// brandActor is one brand with columns of its own, or the rest of an account's
// brands: a child of its shard, on the shard's goroutine. Package brand/rows
// has the columns.
type brandActor struct{ columns *rows.Columns }

// Receive is the mailbox.
func (b *brandActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *appendRows:
		b.columns.Append(m.dense, m.rows)
		m.done = true
	case *returnRows:
		b.columns.Return(m.dense, m.rows)
		m.done = true
	case *removeRow:
		b.columns.Remove(m.dense, &m.row)
		m.done = true
	}
}

// The messages: done when the mailbox returns.
type (
	// appendRows are new rows of the brand, in order of sequence.
	appendRows struct {
		dense uint32
		rows  []domain.Row
		done  bool
	}
	// returnRows are rows that were stored before and did not count.
	returnRows struct {
		dense uint32
		rows  []domain.Row
		done  bool
	}
	// removeRow is a row that counts no more.
	removeRow struct {
		dense uint32
		row   domain.Row
		done  bool
	}
)

// brandChild is a brand's actor and what the shard has to do with it.
type brandChild struct {
	actor brandActor
	box   mailbox.Mailbox
	more  appendRows // the message of a micro-batch
	fed   time.Time  // when rows last came
}

// bucket is a brand's new rows of a micro-batch.
type bucket struct {
	dense uint32
	rows  []domain.Row
	child *brandChild // that took the last rows
}

// brandOf is the actor of the columns that the brand's rows are in, or one that finds them.
func (s *Accounts) brandOf(ctx actor.Context, a *Account, dense uint32) *brandChild {
	c := a.table.Target(dense)
	k := a.brands[c]
	if k == nil && c.Cold() { // the rest's actor finds them: nothing is kept that needs one
		c = a.table.Rest()
		k = a.brands[c]
	}
	if k == nil {
		k = &brandChild{actor: brandActor{c}}
		props := mailbox.Props(func() actor.Actor { return &k.actor })
		ctx.Spawn(props.Configure(actor.WithMailbox(func() actor.Mailbox { return &k.box })))
		a.brands[c] = k
	}
	return k
}

// flushRows sends each filled bucket to its brand's actor, as one message. What the actors
// will look at is prefetched first, for all of them side by side.
func (s *Accounts) flushRows(ctx actor.Context, a *Account) {
	for _, b := range a.filled {
		if b.child == nil || b.child.actor.columns != a.table.Target(b.dense) {
			b.child = s.brandOf(ctx, a, b.dense)
		}
	}
	for _, b := range a.filled {
		s.prefetched += b.child.box.Prefetch() + b.child.actor.columns.Prefetch()
	}
	for _, b := range a.filled {
		k := b.child
		k.fed = s.published
		k.more = appendRows{dense: b.dense, rows: b.rows}
		if k.box.PostUserMessage(&k.more); !k.more.done {
			panic("a brand actor failed")
		}
		k.more.rows, b.rows = nil, b.rows[:0]
	}
	a.filled = a.filled[:0]
	if len(a.buckets) > maxBuckets {
		clear(a.buckets)
	}
}

// maxBuckets bounds the buckets that are kept for the next micro-batch.
const maxBuckets = 4096
