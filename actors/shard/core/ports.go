package core

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/view"
)

// DeadLetters publishes dead letters: the original bytes, key and headers, read at
// the origin, with reason, detail, origin and a stable id in headers.
type DeadLetters interface {
	Publish(ctx context.Context, letters []domain.DeadLetter) error
}

// DataKeys are the keys that seal what is personal of members.
type DataKeys interface {
	// Delete returns nil when the keys are deleted for good, those that never were as well.
	Delete(ctx context.Context, ids []domain.KeyID) error
}

// Store is one shard's part of the node's store. The shard's goroutine owns
// it, but for Snapshot's results. Changes are staged and become durable together
// with the state, in one batch (I3), with Commit or a little later, and at Close: what a
// power cut takes of the last commits is in the journal. After an error of Stage or Commit
// the store must be closed and opened again: what was staged is gone.
type Store interface {
	accounts.Store
	activity.Store
	identity.Store
	tx.Store

	// State is what was stored with the last commit; zero in a new store.
	State() domain.ShardState
	// Origins calls f with the highest origin applied of each stream.
	Origins(f func(domain.Origin)) error
	// Members calls f with each member's place, by account and ordinal.
	Members(f func(account domain.AccountID, ord domain.Ordinal, id domain.MemberID)) error
	// Outbox calls f with the entries not yet trimmed, in order.
	Outbox(f func(*domain.Outgoing)) error

	// Parked calls f with every parked activity. An error of f ends the reading and is given back.
	Parked(f func(*domain.Parked) error) error

	// Action finds the member's row with that sequence; dead ones and staged ones too.
	Action(account domain.AccountID, ord domain.Ordinal, seq uint64) (domain.Row, bool, error)

	// Prefetch says for which rows (Account, Ord, Time, Hash) Seen will be asked soon,
	// so that what it looks at can be read for all of them side by side.
	Prefetch(rows []domain.Row)

	// Mark notes the state hash of all that is staged and committed as that of all
	// records below an offset; Marked is the offset of the last mark committed.
	Mark(at int64) error
	Marked() (at int64, err error)

	// Headroom is nil, or why nothing more is to be staged for now: the disk is nearly full.
	// What is staged may be committed all the same.
	Headroom() error

	// Commit stores the open batch with the state and the origins that moved.
	// Facts is the store's to keep: State returns it.
	Commit(state domain.ShardState, origins []domain.Origin) error
	// Snapshot is the store as of the last commit, for readers on any goroutine.
	Snapshot() view.Snapshot
	Close() error
}
