package api

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Engine is what the API needs of the actors. Any goroutine may call it.
type Engine interface {
	// Catalog is the newest state of the catalog; it never changes once returned.
	Catalog() Catalog
	// Submit appends a command or an activity to the log and waits for its outcome,
	// or, if it says so, only until it is durable. An outcome with a code is no
	// error: the error is ErrUnavailable when the outcome is not known in time.
	Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error)
	// Ask answers a question once everything in wait is applied.
	Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error)
	// Member is a member of the account; NotFound or Gone otherwise.
	Member(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error)
	// Content is what an action says beside its columns; nil: nothing.
	Content(ctx context.Context, row domain.Row, wait domain.Position) (*domain.Content, error)
	// Await returns once the position is applied.
	Await(ctx context.Context, wait domain.Position) error
	// Lag is now − the latest moment at which every log's end then seen has since
	// been applied.
	Lag() time.Duration
	// Hit counts an answered request.
	Hit(account domain.AccountID, application domain.ApplicationID, at time.Time)
}

// Catalog is one state of the catalog.
type Catalog interface {
	// Next is the offset after the last record applied.
	Next() int64
	Key(hash domain.KeyHash) (*domain.Key, bool)
	Account(id domain.AccountID) (*domain.Account, bool)
	Application(id domain.ApplicationID) (*domain.Application, bool)
	// Brand and Definition give what the account has; deleted ones are not there.
	Brand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool)
	Definition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool)
	// Brands and Definitions are the account's by ID, deleted ones too.
	Brands(account domain.AccountID) []*domain.Brand
	Definitions(account domain.AccountID) []*domain.Definition
}

// Hasher makes the keyed hashes under the installation's secrets.
type Hasher interface {
	// Identity is the hash of an identity's canonical form.
	Identity(account domain.AccountID, kind domain.IdentityKind, parts ...string) domain.IdentityHash
	// ID is the dedup key of (source, id).
	ID(source, id string) uint64
}
