package core

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Journal is the log that the records are of, and that the outbox appends to.
type Journal interface {
	// Topic is the topic's id, as found at start.
	Topic() domain.TopicID
	// Cluster is the Kafka cluster's id.
	Cluster() string
	// Appender is an appender of its own, for the outbox of a machine that is opened.
	Appender() journal.Appender
}

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

// Store is one shard's part of the node's store. The shard's goroutine owns it, but for what Snapshots gives.
type Store interface {
	Loading
	outbox.Store
	Lookups
	Staging
	Snapshots
	Close() error
}

// Loading is read at a start: what was stored with the last commit.
type Loading interface {
	accounts.Store
	// State is zero in a new store.
	State() domain.ShardState
	// Origins calls f with the highest origin applied of each stream.
	Origins(f func(domain.Origin)) error
	// Members calls f with each member's place, by account and ordinal.
	Members(f func(account domain.AccountID, ord domain.Ordinal, id domain.MemberID)) error
	// Parked calls f with every parked activity. An error of f ends the reading and is given back.
	Parked(f func(*domain.Parked) error) error
	// FollowedLists calls f with each followed list, by account and segment, which is f's to keep.
	FollowedLists(f func(*domain.FollowedList)) error
	// LastMemberships calls f with the sequence of the last membership of each followed list that has one.
	LastMemberships(f func(account domain.AccountID, segment domain.SegmentID, sequence uint64)) error
	// Progresses calls f with the progress of each webhook, which is f's to keep.
	Progresses(f func(*domain.Progress)) error
}

// Lookups are what applying a record asks.
type Lookups interface {
	tx.Lookups
	activity.Store
	identity.Store
	Actions
	Prefetching
}

// Actions finds actions by the ids that commands name.
type Actions interface {
	// Action finds the member's row with that sequence; dead ones and staged ones too.
	Action(account domain.AccountID, ord domain.Ordinal, seq uint64) (domain.Row, bool, error)
}

// Prefetching reads for many records side by side.
type Prefetching interface {
	// Prefetch says for which rows (Account, Ord, Time, Hash) Seen will be asked soon.
	Prefetch(rows []domain.Row)
}

// Staging takes changes, and commits them together with the state, in one batch (I3). They are durable with
// Commit or a little later, and at Close: what a power cut takes of the last commits is in the journal. After an
// error of Stage or Commit the store must be closed and opened again: what was staged is gone.
type Staging interface {
	tx.Staging
	Marks
	// Headroom is nil, or why nothing more is to be staged for now: the disk is nearly full.
	// What is staged may be committed all the same.
	Headroom() error
	// Commit stores the open batch with the state and the origins that moved. Facts is the store's to keep: State
	// returns it.
	Commit(state domain.ShardState, origins []domain.Origin) error
}

// Marks are those of the state hash.
type Marks interface {
	// Mark notes the state hash of all that is staged and committed as that of all records below an offset.
	Mark(at int64) error
	// Marked is the offset of the last mark committed.
	Marked() (at int64, err error)
}

// Snapshots are of the last commit, for readers on any goroutine.
type Snapshots interface {
	Snapshot() view.Snapshot
}
