package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// Skip is the place after which a page has no events of a shard.
const Skip = ^uint64(0)

// Source is the stream that a webhook takes its events from. It is called by any goroutine, Await by one at a time.
type Source interface {
	// Page is what comes after a place of each shard, at most limit events. It may be asked again, but after ErrFilters, which
	// Render may give too.
	Page(ctx context.Context, after []uint64, limit int) (Page, error)
	// Await returns when there may be events after the last page that had no more, and when ctx ends.
	Await(ctx context.Context) error
	// Render gives the contents of events of a shard as of now, in their order. It leaves out events that have none any more,
	// such as an action of a member who was erased since.
	Render(ctx context.Context, shard int, events []Event) ([]Rendered, error)
	// Cursor is the stream's cursor after these places.
	Cursor(after []uint64) string
}

// Page is a page of a stream.
type Page struct {
	Events [][]Event // by shard, ascending
	Next   []uint64  // by shard: the page is complete up to here
	More   bool      // there may be events after Next now
}

// Rendered is the contents of an event.
type Rendered struct {
	Event Event           // as it was taken
	Time  time.Time       // of what happened
	Data  json.RawMessage // as in the stream
}

// Poster sends a request to a receiver. Any goroutine calls it.
type Poster interface {
	Post(ctx context.Context, r egress.Request) egress.Answer
}

// Keeper keeps what is not to be lost. One goroutine at a time calls it.
type Keeper interface {
	// Keep keeps the states of queues that moved, and the webhook's health. It returns once they are durable. It is
	// called again with later values, also where it failed. ErrElsewhere: what was kept is not what this Sender began
	// with, and it ends.
	Keep(ctx context.Context, states map[int]State, h Health) error
	// Disable has the webhook send nothing more, on all nodes. It is asked again until it is done.
	Disable(ctx context.Context, why Reason) error
	// Ended lists a message that the receiver took, or that is given up, with the status of its last try. It may be called
	// beside Keep. What it lists is kept with the state of the shard.
	Ended(shard int, m *Message, at time.Time, status string, givenUp bool)
}

// ErrElsewhere is the error of a Keeper that another one has kept something since.
var ErrElsewhere = errors.New("another sender of the webhook is at work, or its account wants events once more")

// ErrFilters is the error of a Source that finds no events before the webhook is changed: what its filters name is not
// there any more.
var ErrFilters = errors.New("the events of the webhook are not found by its filters")

// Secrets are those that sign at a moment: two during a rotation.
type Secrets func(ctx context.Context, at time.Time) ([]signature.Secret, error)
