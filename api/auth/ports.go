package auth

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Catalog is one state of what the installation knows of keys. Any goroutine may call it, as often as it likes.
type Catalog interface {
	Key(hash domain.KeyHash) (*domain.Key, bool)
	KeyByID(id uint32) (*domain.Key, bool)
	Application(id domain.ApplicationID) (*domain.Application, bool)
	// Listed reports that the allowlist of any application has the domain.
	Listed(domain string) bool
}

// Tokens judges member tokens. Any goroutine may call it.
type Tokens interface {
	// Verify is the member of a token that is good for the application: else
	// domain.InvalidKey, or domain.WrongApplication for one of another application.
	Verify(raw string, application domain.ApplicationID, keys []*domain.SigningKey, now time.Time) (domain.MemberID, error)
	// Made is the second since 1970 in which a token was made that Verify has taken.
	Made(raw string) int64
}

// Header are the headers of a message by their canonical names.
type Header = map[string][]string
