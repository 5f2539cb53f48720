package serve

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

// BindMany binds each record of a body of many into what into gives for it. A record is a request
// of its own, with the request id of its index; an error of one is no error of the others. The
// first warnings of the records are the request's.
func BindMany(req *Request, into func(i int) any) (ones []*Request, errs []error) {
	ones, errs = make([]*Request, len(req.Records)), make([]error, len(req.Records))
	outer := fmt.Sprintf("%s %016x", req.Links.Path, req.Params.Hash("", Unhashed...))
	for i, raw := range req.Records {
		ones[i], errs[i] = req.Record(raw, outer, indexed(req.ID, i), into(i))
		for _, w := range ones[i].Response.Warnings {
			if len(req.Response.Warnings) < MaxWarnings && !slices.Contains(req.Response.Warnings, w) {
				req.Response.Warnings = append(req.Response.Warnings, w)
			}
		}
	}
	return ones, errs
}

// indexed is the request id of a record of many: the same for the same index of the
// same request.
func indexed(request domain.RequestID, index int) (id domain.RequestID) {
	sum := sha256.Sum256(binary.BigEndian.AppendUint32(request[:], uint32(index)))
	copy(id[:], sum[:])
	return id
}

// HashMany is the hash that each record carries under an Idempotency-Key: a body with other
// records is another request.
func HashMany(req *Request, ones []*Request) uint64 {
	var all []byte
	for _, one := range ones {
		all = binary.BigEndian.AppendUint64(all, one.Params.Hash(one.Links.Path, Unhashed...))
	}
	return req.DedupKey("request body", string(all))
}

// Misused reports that the request's Idempotency-Key is known of another request.
func Misused(out *domain.Outcome) bool {
	return domain.IsKeyMisused(out.Err())
}

// ItemError is an error as an item of many shows it. A bug is logged, once an item.
func ItemError(req *Request, err error) *wire.ItemError {
	p := problem.Of(err)
	if p.Error.Code == int(domain.Internal) {
		req.Logger().Error("a record of many failed", slog.String("request", req.ID.String()), slog.Any("err", err))
	}
	return &wire.ItemError{Code: p.Error.Code, Message: p.Error.Message}
}
