package actors

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestWhatChangesIsStampedWithTheComingCommit(t *testing.T) {
	const version = 7
	m := &domain.Member{ID: domain.MemberIDOf(3, 4), Account: 1}
	name := domain.IdentityHash{9, 8, 14: 7, 15: 6}
	bit := func(ord domain.Ordinal) domain.Change {
		return domain.Change{Kind: domain.BitPut, Value: &domain.Bit{Account: 1, Ord: ord, Attribute: domain.AttrPaid, On: true}}
	}
	column := domain.Change{Kind: domain.ColumnPut, Value: &domain.Column{Account: 1, Ord: 2, Attribute: domain.AttrCountry, Value: 1}}
	for _, c := range []struct {
		what         string
		change       domain.Change
		record, name bool
		known, any   domain.Attribute // 0: none
	}{
		{what: "a member's record", change: domain.Change{Kind: domain.MemberPut, Value: m}, record: true},
		{what: "an identity held", change: domain.Change{Kind: domain.IdentityPut, Value: &domain.Identity{Hash: name}}, name: true},
		{what: "an identity released", change: domain.Change{Kind: domain.IdentityDrop, Value: &domain.Identity{Hash: name}}, name: true},
		{what: "a pointer", change: domain.Change{Kind: domain.PointerPut, Value: &domain.Pointer{Hash: name}}, name: true},
		{what: "a pointer taken away", change: domain.Change{Kind: domain.PointerDrop, Value: &domain.Pointer{Hash: name}}, name: true},
		{what: "a fact of one who may have rows", change: bit(2), known: domain.AttrPaid, any: domain.AttrPaid},
		{what: "a fact of one who is new", change: bit(3), any: domain.AttrPaid},
		{what: "a column", change: column, known: domain.AttrCountry, any: domain.AttrCountry},
	} {
		s := &shard{views: newViewWriter(version), accounts: map[domain.AccountID]*account{}}
		a := s.account(1)
		for i := range uint64(4) {
			a.audience.Add(domain.MemberIDOf(i+1, 1))
		}
		a.met = 3
		if err := s.follow(nil, &c.change); err != nil {
			t.Fatal(err)
		}
		one := func(what string, x uint64, set bool) {
			t.Helper()
			if set && x != version || !set && x != 0 {
				t.Errorf("%s: the stamp of %s is %d", c.what, what, x)
			}
		}
		one("the record", s.views.stamps.record(m.ID).Load(), c.record)
		one("the name", s.views.stamps.name(name).Load(), c.name)
		for attribute := domain.AttrMember; attribute < 96; attribute++ {
			if p := attribute.Place(); attribute < 32 || attribute >= 64 {
				one("what is known", a.stamps.known[p].Load(), attribute == c.known)
				one("anything", a.stamps.any[p].Load(), attribute == c.any)
			}
		}
	}
}

// The stamps of brands are those of a map, however the numbers of the brands lie.
func TestStampsOfBrandsAreThoseOfAMap(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	var a accountStamps
	last, every := map[uint32]uint64{}, uint64(0)
	for version := uint64(1); version < 2000; version++ {
		for range r.IntN(4) {
			dense := uint32(r.ExpFloat64() * 300)
			if a.rows(dense, version); dense != brand.Visits {
				every = version
			}
			last[dense] = version
		}
		dense, since := uint32(r.ExpFloat64()*300), r.Uint64N(version+1)
		if got := a.rowsSince(dense, since); got != (last[dense] > since) {
			t.Fatalf("seed %d: brand %d since %d: %v, it was %d", seed, dense, since, got, last[dense])
		}
		if got := a.rowsSince(brand.EveryBrand, since); got != (every > since) {
			t.Fatalf("seed %d: any brand since %d: %v, it was %d", seed, since, got, every)
		}
	}
	if a.rowsSince(1<<20, 0) {
		t.Error("a brand that never had a row has a stamp")
	}
}

// BenchmarkStampRows is what a brand's rows of a slice cost beside their appending.
func BenchmarkStampRows(b *testing.B) {
	var a accountStamps
	b.ReportAllocs()
	version := uint64(0)
	for b.Loop() {
		version++
		for dense := range uint32(1000) {
			a.rows(dense+1, version)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/brand")
}
