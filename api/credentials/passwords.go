package credentials

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// HashCost is what one argon2id hash takes.
type HashCost struct {
	Passes, MemoryKiB uint32
	Lanes             uint8
}

// owasp is the least that OWASP's Password Storage Cheat Sheet advises for argon2id:
// 19 MiB, two passes, one lane.
var owasp = HashCost{Passes: 2, MemoryKiB: 19 << 10, Lanes: 1}

// What a stored hash may ask for at most: it was made by this program.
const (
	maxPasses    = 16
	maxMemoryKiB = 256 << 10
)

// MinBytes is how many bytes a password has at least.
const MinBytes = 8

const (
	saltLen = 16
	keyLen  = 32
)

// passwordsAtOnce bounds the hashes that are made at the same time, because of the memory
// that they take; passwordsWaiting bounds the requests that wait for one (I8).
const (
	passwordsAtOnce  = 4
	passwordsWaiting = 256
)

// Passwords hashes passwords, a bounded number at once.
type Passwords struct {
	cost    HashCost
	pepper  [32]byte      // keys what is stored of a hash
	slots   chan struct{} // one value a hash under way
	waiting atomic.Int64
}

// NewPasswords makes a Passwords; the key is the pepper of what is stored. Zero cost: the least
// that OWASP advises.
func NewPasswords(cost HashCost, key [16]byte) *Passwords {
	p := &Passwords{cost: cmp.Or(cost, owasp), slots: make(chan struct{}, min(runtime.GOMAXPROCS(0), passwordsAtOnce))}
	derive := hmac.New(sha256.New, key[:])
	derive.Write([]byte("password"))
	derive.Sum(p.pepper[:0])
	return p
}

// Hash is what is stored of a password, in PHC format: the keyed hash of its argon2id hash, under
// the parameters and the salt of a hash that is known, else under today's and a new salt.
// ErrUnavailable: too many wait already.
func (p *Passwords) Hash(ctx context.Context, password, known string) (string, error) {
	cost, salt := p.cost, make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails
	if known != "" {
		var err error
		if cost, salt, err = parsePHC(known); err != nil {
			return "", &domain.Error{Code: domain.Internal, Op: "read a password's parameters", Err: err}
		}
	}
	var key []byte
	err := p.slowly(ctx, func() {
		key = argon2.IDKey([]byte(password), salt, cost.Passes, cost.MemoryKiB, cost.Lanes, keyLen)
	})
	if err != nil {
		return "", err
	}
	return phcHead(cost, salt) + p.keyed(key), nil
}

// slowly does what takes much memory or time, a bounded number at once.
func (p *Passwords) slowly(ctx context.Context, hash func()) error {
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > passwordsWaiting {
		return domain.ErrUnavailable
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return domain.ErrUnavailable
	}
	defer func() { <-p.slots }()
	hash()
	return nil
}

// keyed is what is stored of a hash. The log has it for ever: without the installation's secret it
// says nothing of a password.
func (p *Passwords) keyed(hash []byte) string {
	mac := hmac.New(sha256.New, p.pepper[:])
	mac.Write(hash)
	return base64.RawStdEncoding.EncodeToString(mac.Sum(nil))
}

// phcHead is a hash in PHC format up to the hash itself.
func phcHead(c HashCost, salt []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$", argon2.Version, c.MemoryKiB, c.Passes, c.Lanes, base64.RawStdEncoding.EncodeToString(salt))
}

// errPHC does not quote the text, which is as secret as a password.
var errPHC = errors.New("it is no argon2id hash in PHC format that this program makes")

// parsePHC reads parameters and salt of a hash.
func parsePHC(text string) (c HashCost, salt []byte, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return c, nil, errPHC
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.MemoryKiB, &c.Passes, &c.Lanes); err != nil {
		return c, nil, errPHC
	}
	salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil || c.Passes < 1 || c.Lanes < 1 || c.Passes > maxPasses || c.MemoryKiB > maxMemoryKiB ||
		!strings.HasPrefix(text, phcHead(c, salt)) {
		return c, nil, errPHC
	}
	return c, salt, nil
}
