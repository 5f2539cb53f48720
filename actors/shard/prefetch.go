package shard

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// approach brings what the activities of a micro-batch will look at near the processor:
// their members, found by identity, roster and children, and what the store keeps of
// them, one kind of look-up after the other for all of them. Applying is one chain of
// such look-ups a record, each waiting for the one before; here those of many records
// wait at the same time.
//
// It decides nothing and changes nothing: applying looks everything up again.
type approach struct {
	ids    []domain.MemberID
	acts   []*domain.Activity // those of ids
	places []member.Place
	awake  []*members.Actor
	marks  []domain.Row // what the store will be asked for
	seen   uint64       // of what was read: no read may be left out
}

func (s *machine) approach(records []domain.Record) {
	a := &s.effects.batch.approach
	a.ids, a.acts, a.places, a.awake, a.marks = a.ids[:0], a.acts[:0], a.places[:0], a.awake[:0], a.marks[:0]
	for i := range records {
		r := &records[i]
		if r.Kind != domain.KindActivity && r.Kind != domain.KindForward {
			continue
		}
		id := r.Activity.Member
		if id == 0 {
			id = s.identities.Peek(r.Activity.Identity)
		}
		if id != 0 {
			a.ids, a.acts = append(a.ids, id), append(a.acts, &r.Activity)
		}
	}
	for i, id := range a.ids {
		if at, ok := s.roster.Find(id); ok {
			a.places = append(a.places, at)
			a.marks = append(a.marks, domain.Row{Account: at.Account, Ord: at.Ord, Time: domain.Second(a.acts[i].Time), Hash: a.acts[i].Hash})
		}
	}
	for _, at := range a.places {
		if k := s.awake.At(at); k != nil {
			a.awake = append(a.awake, k)
		}
	}
	for i, k := range a.awake {
		a.seen += k.Prefetch()
		a.awake[i] = nil
	}
	clear(a.acts)
	s.store.Approach(a.marks)
}
