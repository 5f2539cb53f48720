package core_test

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/core"
)

// next applies records at the offsets that follow, as far as the catalog at hand allows.
func (p *partition) next(records ...domain.Record) core.Applied {
	p.t.Helper()
	for i := range records {
		records[i].Offset, records[i].Time = p.end+int64(i), 1_700_000_000_000+p.end
	}
	done, err := p.m.Apply(records)
	if err != nil {
		p.t.Fatal(err)
	}
	p.end += int64(done.Passed)
	return done
}

// A micro-batch ends before a record that names a brand which the catalog at hand does not have, be it in rows that a
// merge lends. Nothing of that record is applied before the catalog has the brand.
func TestMachine_AppliesNoBrandOfANewerCatalog(t *testing.T) {
	const unknown = brandCount + 1
	on(t, shards(1), func(p *partition) {
		id, other := p.member(1), p.member(2)
		ahead, row := played(id, 3), domain.LentRow{Row: domain.Row{Seq: 9, Brand: unknown, Definition: 100, Time: 1}}
		ahead.Activity.Brand = unknown
		lend := domain.Record{Kind: domain.KindLend, Account: 1, Command: &domain.Lend{
			Step: domain.LendRows, Member: id, Other: other, Ticket: 1, Rows: []domain.LentRow{{Row: domain.Row{Brand: 1}}, row},
		}}
		forward := ahead
		forward.Kind = domain.KindForward
		for _, r := range []domain.Record{ahead, forward, lend} {
			before := p.m.State.Shard
			if done := p.next(played(id, 1), played(id, 2), r, played(id, 4)); done.Passed != 2 || done.Records != 2 || done.Lacks != 0 {
				t.Fatalf("kind %d: %+v", r.Kind, done)
			}
			if done := p.next(r, played(id, 4)); done.Passed != 0 || done.Records != 0 || done.Lacks != unknown {
				t.Errorf("kind %d: %+v", r.Kind, done)
			}
			if s := p.m.State.Shard; s.Next != before.Next+2 || s.Sequence != before.Sequence+2 {
				t.Errorf("kind %d: from %+v to %+v", r.Kind, before, s)
			}
		}
		p.commit()
		p.know(&domain.Brand{ID: unknown, Account: 1, Dense: unknown})
		p.open()
		if done := p.next(ahead, played(id, 4)); done.Passed != 2 || done.Lacks != 0 {
			t.Errorf("once it is known: %+v", done)
		}
	})
}

// A record that counts nothing may name a brand that never was: one that was refused, that is of another partition,
// or that is set aside.
func TestMachine_LooksUpNoBrandOfWhatCountsNothing(t *testing.T) {
	lost := played(identityOf(1), 1)
	lost.Activity.Brand = 1 << 30
	refused, foreign := lost, lost
	refused.Activity.Refusal = domain.UnknownBrand
	on(t, shards(2), func(p *partition) {
		for n := 0; ; n++ {
			if foreign.Activity.Identity = identityOf(n); foreign.Activity.Identity.Slot().Shard(2) == 1 {
				break
			}
		}
		refused.Activity.Identity, lost.Activity.Identity = domain.IdentityHash{}, domain.IdentityHash{}
		for slot := domain.Slot(0); lost.Activity.Member == 0; slot++ {
			lost.Activity.Member = domain.MemberIDOf(1, slot)
		}
		refused.Activity.Member = lost.Activity.Member
		lost.Epoch = 3
		aside := domain.SetAside{Topic: topic, Offset: p.end + 2, Epoch: lost.Epoch}
		p.know(&aside)
		if !p.c.Partition.Catalog.View().SetsAside(catalog.RecordPlace{Topic: topic, Offset: p.end + 2, Epoch: lost.Epoch}) {
			t.Fatal("the record is not set aside: the test shows nothing")
		}
		if done := p.next(refused, foreign, lost, lost); done.Passed != 3 || done.Lacks != 0 {
			t.Errorf("%+v", done)
		}
		if s := p.m.State.Shard; s.Dead[domain.UnknownBrand] != 1 || s.Dead[domain.Foreign] != 1 || s.Dead[domain.Poison] != 1 {
			t.Errorf("dead letters %v", s.Dead)
		}
	})
}
