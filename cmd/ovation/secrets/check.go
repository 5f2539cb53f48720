package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// OtherError is a file of secrets that is not that of the installation, or that is not there.
type OtherError struct {
	Path string
	Err  error // which secret is another one
}

// Error says which file is wrong, why, and what helps.
func (e *OtherError) Error() string {
	return fmt.Sprintf("the secrets are not those of this installation: %s: %v; "+
		"put there the file of secrets that the installation's other nodes have, or that of a backup", e.Path, e.Err)
}

// Unwrap is the cause.
func (e *OtherError) Unwrap() error { return e.Err }

var (
	errMissing = errors.New("no such file, and the log is that of an installation")
	errPepper  = errors.New("its pepper is another one")
	errToken   = errors.New("its token key is another one")
	errSigning = errors.New("the installation knows none of its signing keys")
)

// tokenLabel is what the token key signs to be known by.
const tokenLabel = "ovation token key check 1"

// TokenCheck identifies the token key without revealing it.
func (s *Secrets) TokenCheck() (check [16]byte) {
	mac := hmac.New(sha256.New, s.Token[:])
	mac.Write([]byte(tokenLabel))
	copy(check[:], mac.Sum(nil))
	return check
}

// Check is an *OtherError unless the pepper, whose check value is given, and the token key are those of a layout. New
// secrets are those of none.
func (s *Secrets) Check(path string, pepper [16]byte, l *domain.Layout) error {
	switch {
	case s.New():
		return &OtherError{path, errMissing}
	case l.Pepper != pepper:
		return &OtherError{path, errPepper}
	case l.Token != s.TokenCheck():
		return &OtherError{path, errToken}
	}
	return nil
}

// CheckSigning is an *OtherError where the installation knows signing keys, and none of the file's: a key that is
// new in a file comes beside those that were there.
func (s *Secrets) CheckSigning(path string, known []*domain.SigningKey) error {
	for _, k := range known {
		if slices.ContainsFunc(s.Signing, func(held SigningKey) bool { return held.KID == k.KID }) {
			return nil // PublishSigningKeys compares the halves
		}
	}
	if len(known) == 0 {
		return nil
	}
	return &OtherError{path, errSigning}
}
