package api

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// A cursor is base64url, without padding, of
//
//	version  1 byte: 1
//	minute   varint: when the first page was asked for, minutes since 1970; 0: no matter
//	from, to varint: the range, seconds since 1970; both 0: the list has none
//	rank     uvarint: what the last row of a page is listed by, where that is a number
//	id       uvarint: its id
//	text     uvarint length, bytes: what it is listed by, where that is a text
//	mac      16 bytes: of account, operation and parameters, and of all before
//
// It is opaque to clients. The mac is the keyed hash that the contract speaks of: who
// alters a cursor, or sends it along with other parameters or another account's key,
// has one that was never given.
const cursorVersion = 1

// cursor is the last row of a page, and what the list was asked by.
type cursor struct {
	minute int64
	span   bind.Span
	row    rowKey
}

// rowKey is what a row is listed by. Which parts are set hangs on the list.
type rowKey struct {
	rank, id uint64
	text     string
}

// cursorKey is the key of the macs.
type cursorKey [32]byte

// newCursorKey derives it from the key of the access tokens.
func newCursorKey(secret [16]byte) (k cursorKey) {
	derive := hmac.New(sha256.New, secret[:])
	derive.Write([]byte("cursor"))
	derive.Sum(k[:0])
	return k
}

const macBytes = 16

// mac is the keyed hash of a cursor's bytes and of the question that they belong to.
func (k *cursorKey) mac(body []byte, account domain.AccountID, question string) []byte {
	h := hmac.New(sha256.New, k[:])
	head := binary.BigEndian.AppendUint32(nil, uint32(account))
	h.Write(binary.BigEndian.AppendUint32(head, uint32(len(body))))
	h.Write(body)
	h.Write([]byte(question))
	return h.Sum(nil)[:macBytes]
}

// seal makes a cursor's token.
func (k *cursorKey) seal(c *cursor, account domain.AccountID, question string) string {
	body := c.encode()
	return base64.RawURLEncoding.EncodeToString(append(body, k.mac(body, account, question)...))
}

// maxCursor bounds what is decoded: the longest name that a brand can have fits.
const maxCursor = 4096

// open reads a token that seal made for the same account and question.
func (k *cursorKey) open(token string, account domain.AccountID, question string) (*cursor, bool) {
	// The decoder skips line ends; a token has none.
	if len(token) > maxCursor || strings.ContainsAny(token, "\r\n") {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) < macBytes {
		return nil, false
	}
	body := b[:len(b)-macBytes]
	if !hmac.Equal(b[len(body):], k.mac(body, account, question)) {
		return nil, false
	}
	return decodeCursor(body)
}

func (c *cursor) encode() []byte {
	b := append(make([]byte, 0, 64+len(c.row.text)), cursorVersion)
	for _, v := range [...]int64{c.minute, c.span.From, c.span.To} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range [...]uint64{c.row.rank, c.row.id, uint64(len(c.row.text))} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, c.row.text...)
}

// decodeCursor reads what encode made: no two bodies are one cursor.
func decodeCursor(b []byte) (*cursor, bool) {
	if len(b) == 0 || b[0] != cursorVersion {
		return nil, false
	}
	c, size := &cursor{}, uint64(0)
	rest, ok := b[1:], true
	for _, to := range [...]*int64{&c.minute, &c.span.From, &c.span.To} {
		v, n := binary.Varint(rest)
		ok, rest, *to = ok && n > 0, rest[max(n, 0):], v
	}
	for _, to := range [...]*uint64{&c.row.rank, &c.row.id, &size} {
		v, n := binary.Uvarint(rest)
		ok, rest, *to = ok && n > 0, rest[max(n, 0):], v
	}
	if !ok || size != uint64(len(rest)) || c.minute > math.MaxInt64/60 || c.minute < math.MinInt64/60 {
		return nil, false
	}
	if c.row.text = string(rest); !bytes.Equal(c.encode(), b) {
		return nil, false
	}
	return c, true
}
