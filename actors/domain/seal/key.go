package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// KeyBytes is the length of a key.
const KeyBytes = 32

// Key is a secret key for AES-256. The zero value is none.
type Key struct{ secret [KeyBytes]byte }

// KeyOf is the key of 32 random bytes.
func KeyOf(random [KeyBytes]byte) Key { return Key{random} }

// IsZero reports that there is no key.
func (k Key) IsZero() bool { return k == Key{} }

// Format prints a fixed word for every verb.
func (Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[key]") }

// MarshalText is a fixed word.
func (Key) MarshalText() ([]byte, error) { return []byte("[key]"), nil }

// Purpose says what a sealed value is. The codes are in what is stored, fixed for ever.
type Purpose uint8

// Purposes. Those from 200 on are this package's own.
const (
	Personal Purpose = 1 // the personal part of a member, or of a command about one
	Visit    Purpose = 2 // where a visit came from (domain.VisitDetails)
	Secret   Purpose = 3 // what an account shares with another program (domain.Webhook)

	dataKey Purpose = 200
	slotKey Purpose = 201
)

// Scope is what a sealed value is bound to: it opens in no other.
type Scope struct {
	Account domain.AccountID
	Purpose Purpose
}

// version begins what is sealed.
const version = 1

// Overhead is how much longer a sealed value is than the plain one.
const Overhead = 1 + 12 + 16

// ErrSealed is a value that does not open: it is damaged, or was sealed under another key or in
// another scope.
var ErrSealed = errors.New("a sealed value does not open: it is damaged, or of another key or scope")

// Cipher is a key made ready to seal and open. Any goroutine may use it. The zero value is none.
type Cipher struct{ aead cipher.AEAD }

// IsZero reports that there is no key.
func (c Cipher) IsZero() bool { return c.aead == nil }

// Format prints a fixed word for every verb.
func (Cipher) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[key]") }

// MarshalText is a fixed word.
func (Cipher) MarshalText() ([]byte, error) { return []byte("[key]"), nil }

// Cipher makes the key ready.
func (k *Key) Cipher() Cipher {
	block, err := aes.NewCipher(k.secret[:])
	if err != nil {
		panic(err) // of a wrong length alone
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // of a block cipher other than AES alone
	}
	return Cipher{aead}
}

// Seal appends the sealed value to dst. It must not share memory with plain.
func (c Cipher) Seal(dst []byte, in Scope, plain []byte) []byte {
	var bound [6]byte
	return c.seal(dst, in.bytes(bound[:0]), plain)
}

// Open appends the plain value to dst, which must not share memory with sealed. It fails with
// ErrSealed, or with domain.ErrNewer on what a newer version has sealed; dst is then as it was.
func (c Cipher) Open(dst []byte, in Scope, sealed []byte) ([]byte, error) {
	var bound [6]byte
	return c.open(dst, in.bytes(bound[:0]), sealed)
}

// bytes are what is authenticated beside the value.
func (s Scope) bytes(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(append(dst, version, byte(s.Purpose)), uint32(s.Account))
}

func (c Cipher) seal(dst, bound, plain []byte) []byte {
	return c.aead.Seal(append(dst, version), nil, plain, bound)
}

func (c Cipher) open(dst, bound, sealed []byte) ([]byte, error) {
	switch {
	case len(sealed) < Overhead:
		return dst, ErrSealed
	case sealed[0] > version:
		return dst, fmt.Errorf("sealed in version %d: %w", sealed[0], domain.ErrNewer)
	case sealed[0] != version:
		return dst, ErrSealed
	}
	plain, err := c.aead.Open(dst, nil, sealed[1:], bound)
	if err != nil {
		return dst, ErrSealed
	}
	return plain, nil
}
