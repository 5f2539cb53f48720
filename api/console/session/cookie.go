package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/sealed"
)

// halfBytes is how long the half of a session is that its pages keep, and the token of a link.
const halfBytes = 32

// proof is what a cookie says.
type proof struct {
	session     domain.SessionID
	role        domain.Role
	account     domain.AccountID
	application domain.ApplicationID
	key         uint32
	expires     int64             // ms since 1970
	half        [sha256.Size]byte // hash of the other half
}

// of reports that the proof is of that session.
func (p *proof) of(s *domain.Session) bool {
	return p.session == s.ID && p.role == s.Role && p.account == s.Account && p.application == s.Application && p.key == s.Key
}

// The bytes of a proof, each of a fixed length, after its version:
//
//	session [16], role, account u32, application u32, key u32, expires u64, half [32]
const (
	proofVersion = 1
	proofBytes   = 1 + 16 + 1 + 4 + 4 + 4 + 8 + sha256.Size
)

func (p *proof) encode() []byte {
	b := make([]byte, 0, proofBytes)
	b = append(append(b, proofVersion), p.session[:]...)
	b = append(b, byte(p.role))
	b = binary.BigEndian.AppendUint32(b, uint32(p.account))
	b = binary.BigEndian.AppendUint32(b, uint32(p.application))
	b = binary.BigEndian.AppendUint32(b, p.key)
	b = binary.BigEndian.AppendUint64(b, uint64(p.expires))
	return append(b, p.half[:]...)
}

func decodeProof(b []byte) (p proof, ok bool) {
	if len(b) != proofBytes || b[0] != proofVersion {
		return p, false
	}
	copy(p.session[:], b[1:])
	p.role = domain.Role(b[17])
	p.account = domain.AccountID(binary.BigEndian.Uint32(b[18:]))
	p.application = domain.ApplicationID(binary.BigEndian.Uint32(b[22:]))
	p.key = binary.BigEndian.Uint32(b[26:])
	p.expires = int64(binary.BigEndian.Uint64(b[30:]))
	copy(p.half[:], b[38:])
	return p, true
}

// sealer seals proofs. A proof opens for the door that it was sealed for alone.
type sealer struct{ of sealed.Sealer }

func newSealer(secret [16]byte) sealer { return sealer{sealed.New(secret, "console session")} }

// maxCookie bounds what is opened.
const maxCookie = 256

func (s sealer) seal(p *proof, door string) string { return s.of.Seal(p.encode(), door) }

func (s sealer) open(cookie, door string) (p proof, ok bool) {
	b, ok := s.of.Open(cookie, door, maxCookie)
	if !ok {
		return p, false
	}
	return decodeProof(b)
}

var encoding = base64.RawURLEncoding.Strict()

// NewToken is the token of a link, which is shown once, and the hash by which the catalog keeps the link.
func NewToken() (token string, hash domain.LinkHash) {
	b := random()
	return encoding.EncodeToString(b[:]), sha256.Sum256(b[:])
}

// hashOf is the SHA-256 of 32 bytes that a text is; false: it is not.
func hashOf(text string) (sum [sha256.Size]byte, ok bool) {
	if len(text) != encoding.EncodedLen(halfBytes) {
		return sum, false
	}
	b, err := encoding.DecodeString(text)
	if err != nil || len(b) != halfBytes {
		return sum, false
	}
	return sha256.Sum256(b), true
}

func random() (b [halfBytes]byte) {
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return b
}
