package wire

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A position token is base64url, without padding, of
//
//	version   1 byte: 1
//	journal   16 bytes: topic id; zero: no shard is named
//	catalog   uvarint: offset
//	shards    uvarint, then for each, ascending:
//	          uvarint gap to the shard before, less one · uvarint offset
//
// It is opaque to clients and not signed: an altered one waits for another position.
const positionVersion = 1

// EncodePosition is the token of a position.
func EncodePosition(p domain.Position) string {
	b := make([]byte, 0, 128)
	b = append(append(b, positionVersion), p.Journal[:]...)
	b = binary.AppendUvarint(b, uint64(p.Catalog))
	b = binary.AppendUvarint(b, uint64(len(p.Shards)))
	last := -1
	for _, s := range p.Shards {
		b = binary.AppendUvarint(b, uint64(s.Shard-last-1))
		b = binary.AppendUvarint(b, uint64(s.Next))
		last = s.Shard
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

var errPosition = errors.New("must be a token that X-Position gave")

// maxToken bounds what is decoded: every slot's own shard fits.
const maxToken = 64 << 10

// DecodePosition reads a token.
func DecodePosition(token string) (domain.Position, error) {
	var p domain.Position
	if len(token) > maxToken {
		return p, errPosition
	}
	// The decoder skips line ends; a token has none.
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || strings.ContainsAny(token, "\r\n") || len(b) < 18 || b[0] != positionVersion {
		return p, errPosition
	}
	r := varints{b: b[17:]}
	copy(p.Journal[:], b[1:17])
	p.Catalog = r.offset()
	n := r.next(domain.Slots)
	if r.bad || n > uint64(len(r.b)/2) || n > 0 && p.Journal.IsZero() {
		return domain.Position{}, errPosition
	}
	last := -1
	for range n {
		shard := last + 1 + int(r.next(domain.Slots))
		p.Shards = append(p.Shards, domain.ShardOffset{Shard: shard, Next: r.offset()})
		last = shard
	}
	if r.bad || len(r.b) > 0 || last >= domain.Slots {
		return domain.Position{}, errPosition
	}
	return p, nil
}

// varints reads uvarints in their shortest form; bad stays once one is not.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) next(maxValue uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > maxValue || n > 1 && r.b[n-1] == 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *varints) offset() int64 { return int64(r.next(math.MaxInt64)) }

// Position is a parameter that holds a token.
type Position struct {
	domain.Position
	Given bool
}

// ParseParam reads a token.
func (p *Position) ParseParam(s string) error {
	at, err := DecodePosition(s)
	*p = Position{at, err == nil}
	return err
}
