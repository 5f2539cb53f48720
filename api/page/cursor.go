package page

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
// It is opaque to clients. The mac is the keyed hash of the contract: a cursor that
// was altered, or comes with other parameters or another account's key, does not open.
const cursorVersion = 1

// Cursor is the last row of a page, and what the list was asked by.
type Cursor struct {
	Minute int64
	Span   bind.Span
	Row    Row
}

// Row is what a row is listed by. The list decides which parts are set.
type Row struct {
	Rank, ID uint64
	Text     string
}

// Sealer is the key of the macs.
type Sealer [32]byte

// NewSealer derives it from the key of the access tokens.
func NewSealer(secret [16]byte) (k Sealer) {
	derive := hmac.New(sha256.New, secret[:])
	derive.Write([]byte("cursor"))
	derive.Sum(k[:0])
	return k
}

const macBytes = 16

// mac is the keyed hash of a cursor's bytes and of the question that they belong to.
func (k *Sealer) mac(body []byte, account domain.AccountID, question string) []byte {
	h := hmac.New(sha256.New, k[:])
	head := binary.BigEndian.AppendUint32(nil, uint32(account))
	h.Write(binary.BigEndian.AppendUint32(head, uint32(len(body))))
	h.Write(body)
	h.Write([]byte(question))
	return h.Sum(nil)[:macBytes]
}

// Seal makes a cursor's token.
func (k *Sealer) Seal(c *Cursor, account domain.AccountID, question string) string {
	return k.token(c.encode(), account, question)
}

// MaxCursor bounds what is decoded: the longest name that a brand can have fits, and a stream over some hundred shards.
const MaxCursor = 4096

// Open reads a token that Seal made for the same account and question.
func (k *Sealer) Open(token string, account domain.AccountID, question string) (*Cursor, bool) {
	body, ok := k.body(token, account, question)
	if !ok {
		return nil, false
	}
	return decodeCursor(body)
}

// token is the bytes of a cursor with their mac, as text.
func (k *Sealer) token(body []byte, account domain.AccountID, question string) string {
	return base64.RawURLEncoding.EncodeToString(append(body, k.mac(body, account, question)...))
}

// body is the bytes that a token was made of, for the same account and question; there is one at least.
func (k *Sealer) body(token string, account domain.AccountID, question string) ([]byte, bool) {
	b, ok := tokenBytes(token)
	if !ok {
		return nil, false
	}
	body := b[:len(b)-macBytes]
	return body, hmac.Equal(b[len(body):], k.mac(body, account, question))
}

// tokenBytes are those of a token, a mac and one byte before it at least.
func tokenBytes(token string) ([]byte, bool) {
	// The decoder skips line ends; a token has none.
	if len(token) > MaxCursor || strings.ContainsAny(token, "\r\n") {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return b, err == nil && len(b) > macBytes
}

func (c *Cursor) encode() []byte {
	b := append(make([]byte, 0, 64+len(c.Row.Text)), cursorVersion)
	for _, v := range [...]int64{c.Minute, c.Span.From, c.Span.To} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range [...]uint64{c.Row.Rank, c.Row.ID, uint64(len(c.Row.Text))} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, c.Row.Text...)
}

// decodeCursor reads what encode made: no two bodies are one cursor.
func decodeCursor(b []byte) (*Cursor, bool) {
	if len(b) == 0 || b[0] != cursorVersion {
		return nil, false
	}
	c, size := &Cursor{}, uint64(0)
	rest, ok := b[1:], true
	for _, to := range [...]*int64{&c.Minute, &c.Span.From, &c.Span.To} {
		v, n := binary.Varint(rest)
		ok, rest, *to = ok && n > 0, rest[max(n, 0):], v
	}
	for _, to := range [...]*uint64{&c.Row.Rank, &c.Row.ID, &size} {
		v, n := binary.Uvarint(rest)
		ok, rest, *to = ok && n > 0, rest[max(n, 0):], v
	}
	if !ok || size != uint64(len(rest)) || c.Minute > math.MaxInt64/60 || c.Minute < math.MinInt64/60 {
		return nil, false
	}
	if c.Row.Text = string(rest); !bytes.Equal(c.encode(), b) {
		return nil, false
	}
	return c, true
}
