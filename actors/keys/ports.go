package keys

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Source keeps wrapped keys. Any goroutine.
type Source interface {
	// Put returns nil when all keys are durable. After an error each may be there or not. One
	// without its bytes is deleted.
	Put(ctx context.Context, keys []domain.WrappedKey) error
	// Get calls found with each wrapped key that there is and the place of its id in ids. The
	// bytes are valid until found returns.
	Get(ctx context.Context, ids []domain.KeyID, found func(i int, wrapped []byte) error) error
}

// Copy is a node's copy of a log of keys. Any goroutine may read it, one at a time writes.
type Copy interface {
	// Place is how far the log was read; zero: not at all.
	Place() domain.KeyPlace
	// Follow writes what was read and how far, both or neither. A key that it deletes is
	// remembered as deleted at that time, for as long as the log keeps tombstones.
	Follow(keys []domain.WrappedKey, place domain.KeyPlace, now time.Time) error
	// Deleted calls found with the place in keys of each that is remembered as deleted.
	Deleted(keys []domain.WrappedKey, found func(i int)) error
	// Room is nil, or why the copy should take no keys for now.
	Room() error
	// Reset empties the copy.
	Reset() error
	// Get is Source's.
	Get(ctx context.Context, ids []domain.KeyID, found func(i int, wrapped []byte) error) error
}

// Log is the log of keys. Any goroutine may call it, one at a time Read.
type Log interface {
	// Topic is the log's id: another one is another log.
	Topic() domain.TopicID
	// End is the offset after the last key.
	End(ctx context.Context) (int64, error)
	// Append returns the offset after the keys when they are durable; below zero: it is not
	// known. It repeats what may pass until ctx ends.
	Append(ctx context.Context, keys []domain.WrappedKey) (next int64, err error)
	// Read gives the keys at and after next, whose batch before had the epoch given; it waits
	// a short while for one. A next below zero is the log's start. A *domain.GapError lasts,
	// other errors may pass.
	Read(ctx context.Context, next int64, epoch int32) (domain.KeyPage, error)
}
