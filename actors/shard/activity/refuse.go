package activity

import (
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Refuse makes a dead letter of an activity that came from a log or that no request waits for, and an error for
// the request that waits.
func Refuse(t *tx.Tx, r *domain.Record, reason domain.Reason, detail string) {
	a := &r.Activity
	if reason == domain.GoneMember {
		a.Raw = "" // of a member who is erased nothing is kept
	}
	if !r.AskedBy().IsZero() {
		t.Complete(r, Refusal(reason))
		if a.Raw == "" { // who asks has the answer; a record that was set aside is an operator's too
			if reason == domain.Poison {
				t.State.Shard.Dead[reason]++
			}
			return
		}
	}
	deadLetter(t, r, reason, detail)
}

// Refusal is a reason in the contract's codes.
func Refusal(reason domain.Reason) domain.Outcome {
	e := domain.Fail(domain.InvalidParameter, "the activity is refused: "+reason.String())
	switch reason {
	case domain.UnknownMember:
		e = domain.Fail(domain.NotFound, "no such member")
	case domain.GoneMember:
		e = domain.ErrErased
	case domain.UnknownActivity:
		e = domain.Bad(domain.NotFound, "activityid", "no such activity")
	case domain.UnknownBrand:
		e = domain.Bad(domain.NotFound, "brandid", "no such brand")
	case domain.SharingDisabled:
		e = domain.Fail(domain.Conflict, "the member does not share activities of this service")
	case domain.ConflictingDuplicate:
		e = domain.Bad(domain.Conflict, "marker", "the marker was used for another activity")
	case domain.Poison:
		e = domain.Fail(domain.Internal, "the record of the request could not be applied and was set aside")
	case domain.BadTime, domain.FutureTime, domain.TooOld:
		e = domain.Bad(domain.InvalidParameter, "timestamp",
			"the timestamp is before 2000, too far ahead, or in a month that is given up")
	case domain.Accepted, domain.BadJSON, domain.BadEvent, domain.MissingField, domain.UnknownType,
		domain.UnknownAccount, domain.OverSize, domain.Corrupt, domain.Foreign: // an invalid parameter
	}
	return domain.Failed(e)
}

// deadLetter sends the activity as a dead letter. The origin of a forward is a place in its sender's outbox, in
// which no original is.
func deadLetter(t *tx.Tx, r *domain.Record, reason domain.Reason, detail string) {
	a := &r.Activity
	origin := a.Cause
	if origin.IsZero() && r.Origin.Topic != t.State.Shard.Journal {
		origin = r.Origin
	}
	if origin.IsZero() && a.Raw == "" { // it has no original: counted
		t.State.Shard.Dead[reason]++
		return
	}
	request := r.AskedBy()
	if origin.IsZero() && request.IsZero() {
		request = nameOf(a)
	}
	t.Dead(&domain.DeadLetter{
		Origin: origin, Request: request, Account: r.Account, Reason: reason,
		Detail: strings.Clone(detail), Raw: strings.Clone(a.Raw), At: cmp.Or(a.Received, r.Time),
	})
}

// nameOf is the request that a dead letter is known by. An activity that came in a
// batch and without a request has none: its address and dedup key name it, the same
// whenever it comes again.
func nameOf(a *domain.Activity) (id domain.RequestID) {
	copy(id[:8], a.Identity[:])
	if a.Member != 0 {
		binary.BigEndian.PutUint64(id[:], uint64(a.Member))
	}
	binary.BigEndian.PutUint64(id[8:], a.Hash)
	return id
}
