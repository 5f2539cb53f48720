package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Access is a member's access token: one AES block over the id's 48 bits and the random 80, in
// hex, and the time of its making. The member is found from the token alone.
func (t *Tokens) Access(member domain.MemberID, random [10]byte, made int64) string {
	var block [16]byte
	for i := range 6 {
		block[i] = byte(uint64(member) >> (8 * (5 - i)))
	}
	copy(block[6:], random[:])
	t.block.Encrypt(block[:], block[:])
	return hex.EncodeToString(block[:]) + "_" + strconv.FormatInt(made, 10)
}

// Hash is the keyed hash by which an access token is known. It covers the random bits alone:
// the id they go with is not known before the member is.
func (t *Tokens) Hash(random [10]byte) (out [16]byte) {
	m := hmac.New(sha256.New, t.mac[:])
	m.Write(random[:])
	copy(out[:], m.Sum(nil))
	return out
}

// AccessToken is an access token as given.
type AccessToken struct {
	block [16]byte
	made  int64
}

// ParseAccess reads an access token: 32 hex digits, _, and the Unix seconds of its making.
func ParseAccess(text string) (a AccessToken, ok bool) {
	digits, made, _ := strings.Cut(text, "_")
	if len(digits) != 2*len(a.block) {
		return a, false
	}
	if _, err := hex.Decode(a.block[:], []byte(digits)); err != nil {
		return a, false
	}
	n, err := strconv.ParseInt(made, 10, 64)
	a.made = n
	return a, err == nil && n >= 0 && strconv.FormatInt(n, 10) == made
}

// Member is the member that an access token is one of, if it is one at all.
func (t *Tokens) Member(a AccessToken) domain.MemberID {
	block := t.open(a)
	id := uint64(0)
	for _, b := range block[:6] {
		id = id<<8 | uint64(b)
	}
	return domain.MemberID(id)
}

// Is reports that an access token is the member's, in a time that does not depend on where it
// differs.
func (t *Tokens) Is(a AccessToken, m *domain.Member) bool {
	block := t.open(a)
	hash := t.Hash([10]byte(block[6:]))
	same := subtle.ConstantTimeCompare(hash[:], m.TokenHash[:])
	return same == 1 && a.made == m.TokenMade && t.Member(a) == m.ID
}

func (t *Tokens) open(a AccessToken) (block [16]byte) {
	t.block.Decrypt(block[:], a.block[:])
	return block
}
