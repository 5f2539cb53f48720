package credentials

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// An imported hash is stored like those of this program. Of argon2id that is the keyed hash of
// it. bcrypt cannot be made again under a given salt: the hash itself is a field of the service
// record, sealed, and what is stored names it; the first login replaces both.
const (
	bcryptHead = "$bcrypt$"

	maxBcryptCost = 14 // about a second
)

// ImportedHash is a hash of a password that was made elsewhere, as a request gives it.
type ImportedHash string

var errImportedHash = errors.New("must be a bcrypt hash of a cost up to 14, or an argon2id hash of 32 bytes in PHC format with m up to 65536, m times t up to 196608 and p up to 4")

// ParseParam reads a hash. The error does not quote it.
func (h *ImportedHash) ParseParam(s string) error {
	if strings.HasPrefix(s, "$2") {
		cost, err := bcrypt.Cost([]byte(s))
		if err != nil || cost > maxBcryptCost || len(s) != 60 {
			return errImportedHash
		}
	} else if _, err := argonKey(s); err != nil {
		return errImportedHash
	}
	*h = ImportedHash(s)
	return nil
}

// argonKey is the hash proper of an argon2id hash in PHC format.
func argonKey(phc string) ([]byte, error) {
	if _, _, err := parsePHC(phc); err != nil {
		return nil, err
	}
	key, err := base64.RawStdEncoding.Strict().DecodeString(phc[strings.LastIndexByte(phc, '$')+1:])
	if err != nil || len(key) != keyLen {
		return nil, errPHC
	}
	return key, nil
}

// Imported is what is stored of an imported hash, and what of it is sealed with the service
// record.
func (p *Passwords) Imported(h ImportedHash) (stored, sealed string, err error) {
	if !strings.HasPrefix(string(h), "$2") {
		key, err := argonKey(string(h))
		if err != nil {
			return "", "", err
		}
		return string(h[:strings.LastIndexByte(string(h), '$')+1]) + p.keyed(key), "", nil
	}
	var salt [saltLen]byte
	_, _ = rand.Read(salt[:]) // never fails
	head := bcryptHead + base64.RawStdEncoding.EncodeToString(salt[:]) + "$"
	return head + p.keyed([]byte(head+string(h))), string(h), nil
}

// Check is what is stored of a password if it is the right one, else something else under the same
// salt: known is what is stored, sealed the hash that it was imported with.
func (p *Passwords) Check(ctx context.Context, account domain.AccountID, password, known, sealed string) (string, error) {
	if !strings.HasPrefix(known, bcryptHead) {
		return p.Hash(ctx, account, password, known)
	}
	head, right := known[:strings.LastIndexByte(known, '$')+1], false
	err := p.slowly(ctx, account, HashCost{Lanes: 1}, func() {
		right = bcrypt.CompareHashAndPassword([]byte(sealed), []byte(password)) == nil
	})
	switch {
	case err != nil:
		return "", err
	case right && head+p.keyed([]byte(head+sealed)) == known:
		return known, nil
	}
	return head, nil
}

// WasImported reports that a stored hash is one that a login replaces.
func WasImported(stored string) bool { return strings.HasPrefix(stored, bcryptHead) }

// SealedHash is the hash that the password of an address was imported with.
func SealedHash(m *domain.Member, address domain.IdentityHash) string {
	for i := range m.Services {
		if r := &m.Services[i]; r.Service == domain.Email && r.Identity == address {
			if h := r.Fields.Get(domain.RecordImportedHash); h != "" {
				return h
			}
		}
	}
	return ""
}

// DropSealedHash takes that hash out of a personal part.
func DropSealedHash(p *domain.Personal, address domain.IdentityHash) {
	for i := range p.Services {
		if s := &p.Services[i]; s.Identity == address {
			s.Fields = s.Fields.With(domain.Fields{{Field: domain.RecordImportedHash}})
		}
	}
}
