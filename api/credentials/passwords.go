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

	"golang.org/x/crypto/argon2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/limit"
)

// HashCost is what one argon2id hash takes.
type HashCost struct {
	Passes, MemoryKiB uint32
	Lanes             uint8
}

// owasp is the least that OWASP's Password Storage Cheat Sheet advises for argon2id:
// 19 MiB, two passes, one lane.
var owasp = HashCost{Passes: 2, MemoryKiB: 19 << 10, Lanes: 1}

// What a hash may ask for at most, be it imported or stored: each login pays for it. The work is
// memory times passes.
const (
	maxMemoryKiB = 64 << 10
	maxWorkKiB   = 3 * maxMemoryKiB
	maxLanes     = 4
)

// How many bytes a new password has.
const (
	minPassword = 8
	maxPassword = 256
)

const (
	saltLen = 16
	keyLen  = 32
)

// waitersOfOne bounds the requests of one account that wait for a hash (I8).
const waitersOfOne = 64

// defaultBytes is the memory of hashes under way where the program gives no other.
const defaultBytes = 64 << 20

// Passwords hashes passwords, within bounds of cores and of memory that accounts share.
type Passwords struct {
	cost   HashCost
	pepper [32]byte    // keys what is stored of a hash
	cores  *limit.Pool // a core for each lane of a hash under way
	memory *limit.Pool // in bytes
	before func(bytes int64)
}

// Memory bounds the memory of hashes.
type Memory struct {
	Bytes  int64             // of hashes under way, or those of a single one; default 64 MiB
	Before func(bytes int64) // is called before a hash allocates so many bytes, by its goroutine; may be nil
}

// NewPasswords makes a Passwords; the key is the pepper of what is stored. Zero cost: the least
// that OWASP advises. Hashes under way take at most the given memory, and all cores but one.
func NewPasswords(cost HashCost, key [16]byte, m Memory) *Passwords {
	cores := max(int64(runtime.GOMAXPROCS(0))-1, 1)
	p := &Passwords{
		cost:   cmp.Or(cost, owasp),
		cores:  limit.NewPool(limit.Bounds{Bytes: cores, Share: max(cores/2, 1), Waiters: waitersOfOne}),
		memory: limit.NewPool(limit.Bounds{Bytes: cmp.Or(m.Bytes, defaultBytes), Waiters: waitersOfOne}),
		before: m.Before,
	}
	derive := hmac.New(sha256.New, key[:])
	derive.Write([]byte("password"))
	derive.Sum(p.pepper[:0])
	return p
}

// CheckNew refuses a password that is too short or too long to be a new one. One that is compared may
// have any length: hashes are imported, whatever they are of.
func CheckNew(password string) *domain.Error {
	switch n := len(password); {
	case n < minPassword:
		return domain.Bad(domain.InvalidParameter, "password", fmt.Sprintf("password must be at least %d bytes long", minPassword))
	case n > maxPassword:
		return domain.Bad(domain.InvalidParameter, "password", fmt.Sprintf("password must be at most %d bytes long", maxPassword))
	}
	return nil
}

// Hash is what is stored of a password, in PHC format: the keyed hash of its argon2id hash, under
// the parameters and the salt of a hash that is known, else under today's and a new salt.
// The wait for it ends with ctx, and at once where the account has too many that wait: see
// limit.Pool.
func (p *Passwords) Hash(ctx context.Context, account domain.AccountID, password, known string) (string, error) {
	cost, salt := p.cost, make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails
	if known != "" {
		var err error
		if cost, salt, err = parsePHC(known); err != nil {
			return "", &domain.Error{Code: domain.Internal, Op: "read a password's parameters", Err: err}
		}
	}
	var key []byte
	err := p.slowly(ctx, account, cost, func() {
		key = argon2.IDKey([]byte(password), salt, cost.Passes, cost.MemoryKiB, cost.Lanes, keyLen)
	})
	if err != nil {
		return "", err
	}
	return phcHead(cost, salt) + p.keyed(key), nil
}

// slowly makes a hash, when the account has its cores and its memory.
func (p *Passwords) slowly(ctx context.Context, account domain.AccountID, cost HashCost, hash func()) error {
	wait := func() context.Context { return ctx }
	cores, err := p.cores.Acquire(wait, account, int64(cost.Lanes))
	if err != nil {
		return err
	}
	defer cores.Release()
	memory, err := p.memory.Acquire(wait, account, int64(cost.MemoryKiB)<<10)
	if err != nil {
		return err
	}
	defer memory.Release()
	if bytes := int64(cost.MemoryKiB) << 10; bytes > 0 && p.before != nil {
		p.before(bytes)
	}
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
	if err != nil || !c.bounded() || !strings.HasPrefix(text, phcHead(c, salt)) {
		return c, nil, errPHC
	}
	return c, salt, nil
}

// bounded reports a cost that a login may have.
func (c HashCost) bounded() bool {
	return c.Passes >= 1 && c.Lanes >= 1 && c.Lanes <= maxLanes && c.MemoryKiB <= maxMemoryKiB &&
		uint64(c.MemoryKiB)*uint64(c.Passes) <= maxWorkKiB
}
