package activity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// BeforeRegistration is the detail of a dead letter whose replay named a member that registered after the
// letter: the member's identity may have been another's then, who was erased since.
const BeforeRegistration = "before_registration"

// Add adds an activity to the group of its member, which is in a place. Of a member that is not active, or was
// not yet, it is parked or refused.
func (a *Activities) Add(t *tx.Tx, r *domain.Record, at member.Place) error {
	if asked := r.AskedBy(); !asked.IsZero() {
		a.batch.asked[asked] = struct{}{}
	}
	return a.add(t, r, at)
}

func (a *Activities) add(t *tx.Tx, r *domain.Record, at member.Place) error {
	s := t.State
	s.Shard.Sequence++
	act := members.Activity{Record: r, Sequence: s.Shard.Sequence, Clock: t.Clock()}
	received := r.Activity.Received
	if received != 0 || !a.batch.groups.Add(s.Loaded, at, s.Accounts.Of(at.Account).Audience, act) {
		m, err := s.Loaded.Load(at)
		switch {
		case err != nil:
			return err
		case !m.State().Active():
			notActive(t, r, m)
			return nil
		case received != 0 && received < m.State().Member.Created:
			Refuse(t, r, domain.UnknownMember, BeforeRegistration)
			return nil
		}
		a.batch.groups.AddTo(m, at, act)
	}
	r.Activity.Content.Recorded = act.Clock
	return nil
}

// Flush lets each member apply its group, and stages what changed: also what no member had a part in, such as a
// forward, which must be in the batch that moves its origin (I3).
func (a *Activities) Flush(t *tx.Tx) error {
	now := t.At
	for i, g := range a.batch.groups.Groups() {
		if i%yield.Every == 0 {
			a.Yield.Yield()
		}
		acts := g.Activities()
		t.At.Offset = acts[0].Record.Offset
		if err := t.ApplyGroup(a.batch.groups, g); err != nil {
			return err
		}
		for i := range acts {
			t.At = tx.Moment{Offset: acts[i].Record.Offset, Clock: acts[i].Clock}
			a.disposed(t, &acts[i], g.ID)
		}
	}
	a.batch.groups.Clear()
	clear(a.batch.asked)
	t.At = now
	return t.Flush()
}

// disposed passes on the disposition of a member's activity: to counters, waiters, dead letters.
func (a *Activities) disposed(t *tx.Tx, act *members.Activity, id domain.MemberID) {
	r, d := act.Record, &act.Disposition
	switch {
	case d.Reason != domain.Accepted:
		Refuse(t, r, d.Reason, "")
		return
	case d.Repeat:
		a.Stats.Duplicates.Add(1)
	default:
		a.Stats.Recorded.Add(1)
	}
	if !r.AskedBy().IsZero() {
		t.Complete(r, domain.Outcome{Member: id, Row: d.Row, New: !d.Repeat})
	}
}
