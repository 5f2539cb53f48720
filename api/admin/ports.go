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
	// Without a gap it is NotFound.
	AcceptGap(ctx context.Context, topic string, partition int) (domain.AcceptGap, error)
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
}
