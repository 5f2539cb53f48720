package activity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"strings"
	"sync"

	"github.com/dchest/siphash"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// Labels of what is made of the pepper beside identities. As messages of the same
// HMAC they cannot be an identity's: the fifth byte of that is an IdentityKind,
// theirs is a letter.
const (
	labelID    = "ovation id hash 1"
	labelCheck = "ovation pepper check 1"
)

// MinPepper is the least number of bytes a pepper may have.
const MinPepper = 16

// Hasher makes the keyed hashes of an installation. All of them are frozen: places
// of records, names of members and dedup keys hang on them for the installation's
// life. Any goroutine may call it.
type Hasher struct {
	k0, k1 uint64 // of ID
	check  [16]byte
	macs   sync.Pool // *mac
}

// mac is an HMAC state under the pepper, with room for one message.
type mac struct {
	hash hash.Hash
	buf  []byte
}

// NewHasher is the hasher under an installation's pepper, which is copied.
func NewHasher(pepper []byte) (*Hasher, error) {
	if len(pepper) < MinPepper {
		return nil, errors.New("activity: pepper is too short")
	}
	key := append([]byte(nil), pepper...)
	h := &Hasher{}
	h.macs.New = func() any { return &mac{hash: hmac.New(sha256.New, key), buf: make([]byte, 0, 256)} }
	m := h.macs.Get().(*mac)
	id := m.sum([]byte(labelID))
	h.k0, h.k1 = binary.LittleEndian.Uint64(id[:8]), binary.LittleEndian.Uint64(id[8:])
	h.check = m.sum([]byte(labelCheck))
	h.macs.Put(m)
	return h, nil
}

// Check identifies the installation's pepper without revealing it.
func (h *Hasher) Check() [16]byte { return h.check }

// Identity is the hash of an identity: the first 16 bytes of HMAC-SHA-256 of account
// (4 bytes), kind (1) and the parts of the canonical form, each after its length
// (4 bytes), all big-endian. The parts by kind, with what is done to them here:
//
//	ByService                     service word, lower case, "the service" is spotify; uid, composed
//	ByPartner                     partner code, composed; partner id, composed
//	ByLogin ByVerifiedEmail
//	ByEmail                       canonical address; trimmed, letters of ASCII in lower case
//	ByUsername                    service word, as above; username, composed
//
// Composed is the form of Unicode of package composed. Addresses are not: a letter like one of ASCII must not become it.
func (h *Hasher) Identity(account domain.AccountID, kind domain.IdentityKind, parts ...string) domain.IdentityHash {
	m := h.macs.Get().(*mac)
	m.buf = binary.BigEndian.AppendUint32(m.buf[:0], uint32(account))
	m.buf = append(m.buf, byte(kind))
	for i, p := range parts {
		switch kind {
		case domain.ByService, domain.ByUsername:
			if i == 0 {
				p = serviceWord(p)
			}
			p = composed.Text(p)
		case domain.ByPartner:
			p = composed.Text(p)
		case domain.ByLogin, domain.ByVerifiedEmail, domain.ByEmail:
			p = foldASCII(strings.TrimSpace(p))
		}
		m.buf = binary.BigEndian.AppendUint32(m.buf, uint32(len(p)))
		m.buf = append(m.buf, p...)
	}
	sum := m.sum(m.buf)
	if cap(m.buf) <= 64<<10 {
		h.macs.Put(m)
	}
	return sum
}

// ID is the dedup key of (source, id) within a member: SipHash-2-4 of both, each
// after its length (4 bytes, big-endian). Key: HMAC of a label under the pepper.
func (h *Hasher) ID(source, id string) uint64 {
	var room [192]byte
	b := binary.BigEndian.AppendUint32(room[:0], uint32(len(source)))
	b = append(b, source...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(id)))
	b = append(b, id...)
	return siphash.Hash(h.k0, h.k1, b)
}

// sum is the first half of the HMAC of message.
func (m *mac) sum(message []byte) (first [16]byte) {
	m.hash.Reset()
	m.hash.Write(message)
	m.buf = m.hash.Sum(m.buf[:0])
	copy(first[:], m.buf)
	return first
}

// serviceWord is the canonical form of a service identifier, known or not. Letters
// are those of ASCII: a frozen hash follows no table of Unicode but that of composed forms, which never changes.
func serviceWord(s string) string {
	s = foldASCII(s)
	if s == "the service" {
		return "spotify"
	}
	return s
}

// foldASCII puts the letters of ASCII into lower case.
func foldASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if c := b[j]; 'A' <= c && c <= 'Z' {
					b[j] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
