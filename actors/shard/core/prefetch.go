package core

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// prefetch brings what the activities of a micro-batch will look at near the processor:
// their members, found by identity, roster and children, and what the store keeps of
// them, one kind of look-up after the other for all of them. Applying is one chain of
// such look-ups a record, each waiting for the one before; here those of many records
// wait at the same time.
//
// It decides nothing and changes nothing: applying looks everything up again. A record takes 8.5 µs of
// CPU with it and 9.9 µs without (BenchmarkApply, six runs of each in turn, 2026-11-27, 2 cores, 20,000 members).
type prefetch struct {
	ids    []domain.MemberID
	acts   []*domain.Activity // those of ids
	places []member.Place
	loaded []*members.Member
	rows   []domain.Row // what the store will be asked for
	sum    uint64       // of what was read: no read may be left out
}

// run prefetches what the records will look at.
func (p *prefetch) run(records []domain.Record, of *identity.Ledger, s *tx.State, store Prefetching) {
	p.ids, p.acts, p.places, p.loaded, p.rows = p.ids[:0], p.acts[:0], p.places[:0], p.loaded[:0], p.rows[:0]
	for i := range records {
		r := &records[i]
		if r.Kind != domain.KindActivity && r.Kind != domain.KindForward {
			continue
		}
		id := r.Activity.Member
		if id == 0 {
			id = of.Peek(r.Activity.Identity)
		}
		if id != 0 {
			p.ids = append(p.ids, id)
			p.acts = append(p.acts, &r.Activity)
		}
	}
	for i, id := range p.ids {
		if at, ok := s.Roster.Find(id); ok {
			a := p.acts[i]
			p.places = append(p.places, at)
			p.rows = append(p.rows, domain.Row{Account: at.Account, Ord: at.Ord, Time: domain.Second(a.Time), Hash: a.Hash})
		}
	}
	for _, at := range p.places {
		if k := s.Loaded.At(at); k != nil {
			p.loaded = append(p.loaded, k)
		}
	}
	for i, k := range p.loaded {
		p.sum += k.Prefetch()
		p.loaded[i] = nil
	}
	clear(p.acts)
	store.Prefetch(p.rows)
}
