package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
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

// sealer seals proofs (AES-256-GCM). A proof opens for the door that it was sealed for alone.
type sealer struct{ aead cipher.AEAD }

// newSealer derives the key from that of the access tokens, which every node of the installation has.
func newSealer(secret [16]byte) sealer {
	derive := hmac.New(sha256.New, secret[:])
	derive.Write([]byte("console session"))
	block, err := aes.NewCipher(derive.Sum(nil))
	if err != nil {
		panic(err) // never: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // never: the block is one of AES
	}
	return sealer{aead}
}

var encoding = base64.RawURLEncoding.Strict()

// maxCookie bounds what is opened.
const maxCookie = 256

func (s sealer) seal(p *proof, door string) string {
	return encoding.EncodeToString(s.aead.Seal(nil, nil, p.encode(), []byte(door)))
}

func (s sealer) open(cookie, door string) (p proof, ok bool) {
	if len(cookie) > maxCookie {
		return p, false
	}
	b, err := encoding.DecodeString(cookie)
	if err != nil {
		return p, false
	}
	if b, err = s.aead.Open(nil, nil, b, []byte(door)); err != nil {
		return p, false
	}
	return decodeProof(b)
}

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
