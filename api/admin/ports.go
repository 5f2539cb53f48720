package admin

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Engine is what the admin port needs of the node. Any goroutine may call it.
type Engine interface {
	submitter
	// Directory is the newest state of the catalog.
	Directory() Directory
	// AcceptGap lets a stopped partition be read on, and gives the record that allows it.
	// Without a gap it is NotFound; one of the journal that must be forced and is not is a Conflict.
	AcceptGap(ctx context.Context, topic string, partition int, force bool) (domain.AcceptGap, error)
	// SetAsideRecord makes a dead letter of the record at which a shard of the node stopped. Where it did not stop there it
	// is NotFound; where the record must be forced and is not, a Conflict.
	SetAsideRecord(ctx context.Context, shard int, offset int64, force bool) error
	// RemoveNode takes a node off the list of the installation for good. One that is not listed is
	// NotFound, one that is alive and not forced a Conflict.
	RemoveNode(ctx context.Context, id domain.NodeID, force bool) error
	// Status is what /status shows, as a value for encoding/json.
	Status() any
	// Ready is nil when the node can answer, else why not.
	Ready() error
	// Degraded is nil, or what has stopped while the node answers rightly.
	Degraded() error
}

// submitter appends a command to the catalog and waits for its outcome. The error is for an
// outcome that is not known.
type submitter interface {
	Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error)
}

// Directory lists what the catalog has, each by ID. It never changes once returned.
type Directory interface {
	Accounts() []*domain.Account
	Applications() []*domain.Application
	Keys() []*domain.Key
	SigningKeys() []*domain.SigningKey // in the order in which they begin to sign
	Sessions() []*domain.Session       // of the console, by when they began
	// Deeds are the changes that people asked for by the console, the newest first; with an account those of its people.
	Deeds(of ...domain.AccountID) []*domain.Deed
}

// LetterQuery says which dead letters a page is of.
type LetterQuery struct {
	Reasons []string
	Account domain.AccountID // 0: any
	Since   string           // published from then on: a time, or how long ago; empty: any
	Before  int64            // the offset of the topic to read back from; −1: its end
	Limit   int              // letters that are listed
}

// Letters are the dead letters of the installation. Any goroutine may call it.
type Letters interface {
	// Letters is a page of the letters that pass.
	Letters(ctx context.Context, q LetterQuery) (LetterPage, error)
	// Letter is the one at an offset of the topic. Where there is none it is NotFound.
	Letter(ctx context.Context, offset int64) (ShownLetter, error)
}

// signing is the node's private halves of the keys that sign member tokens. Any goroutine may
// call it.
type signing interface {
	// Rotate makes a key, keeps its private half and adds its public half to the catalog. It
	// signs at once or after a while; with end all other keys end at once.
	Rotate(ctx context.Context, atOnce, end bool) (domain.SigningKey, error)
	// Holds reports that the node has the private half of a key.
	Holds(kid string) bool
}
