package member

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A list is the page of the sorted list of who passes, whatever page, order and moment
// of change are asked for; its total is of all pages.
func TestARollIsAPageOfTheSortedList(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	const fans = 2_000
	a := NewAudience()
	ids, changed := make([]domain.MemberID, fans), make([]domain.Second, fans)
	for o := range domain.Ordinal(fans) {
		ids[o] = domain.MemberIDOf(uint64(o)+1, domain.Slot(r.IntN(domain.Slots)))
		changed[o] = domain.Second(1_600_000_000 + r.IntN(100_000))
		a.Add(ids[o])
		a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrChangedHigh, Value: uint16(changed[o] >> 16)})
		a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrChangedLow, Value: uint16(changed[o])})
	}
	index := a.Commit()
	for range 500 {
		listing := domain.MemberListing{Up: r.IntN(2) == 0, Limit: r.IntN(120)}
		switch r.IntN(3) {
		case 0:
			listing.Offset = r.IntN(fans)
		case 1:
			listing.After = ids[r.IntN(fans)]
		}
		if r.IntN(2) == 0 {
			listing.Changed = changed[r.IntN(fans)]
		}
		var set []uint64
		if r.IntN(3) > 0 {
			set = make([]uint64, (fans+63)/64)
			for range r.IntN(fans) {
				o := r.IntN(fans)
				set[o>>6] |= 1 << (o & 63)
			}
		}
		var all []domain.MemberID
		total := uint64(0)
		for o, id := range ids {
			if set != nil && set[o>>6]>>(o&63)&1 == 0 || changed[o] < listing.Changed {
				continue
			}
			total++
			if listing.After == 0 || listing.Up && id > listing.After || !listing.Up && id < listing.After {
				all = append(all, id)
			}
		}
		slices.Sort(all)
		if !listing.Up {
			slices.Reverse(all)
		}
		want := all[:min(listing.End(), len(all))]
		if got := index.List(set, &listing); got.Total != total || fmt.Sprint(got.Members) != fmt.Sprint(want) {
			t.Fatalf("seed %d, %+v: %d of %d members, want %d of %d\n%v\n%v", seed, listing, len(got.Members), got.Total, len(want), total, got.Members, want)
		}
	}
}

// A member changed when a record last changed it: a registration, an opt-in, an opt-out;
// what leaves everything as it was does not change it.
func TestAMemberChangedWhenARecordLastChangedIt(t *testing.T) {
	s := New(&domain.RegisterMember{At: 5_000}, 1, 4097, 0)
	a := NewAudience()
	a.Add(4097)
	at := func() domain.Second { return a.Commit().Changed(0) }
	follow := func(changes []domain.Change) {
		for _, c := range changes {
			if v, ok := c.Value.(*domain.Column); ok {
				a.PutColumn(v)
			}
		}
	}
	brand := domain.Opt{Kind: domain.OptBrand, ID: 1}
	for _, step := range []struct {
		do   func() []domain.Change
		want domain.Second
	}{
		{func() []domain.Change { return nil }, 0}, // it has no service yet: it is not there
		{func() []domain.Change {
			return s.Register(nil, &domain.RegisterMember{Service: domain.Spotify, UID: "u", At: 6_999}, 1)
		}, 6},
		{func() []domain.Change { return s.OptIn(nil, brand, 70_000_000) }, 70_000},
		{func() []domain.Change { return s.OptIn(nil, brand, 80_000_000) }, 70_000},
		{func() []domain.Change { return s.OptOut(nil, brand, 90_000_000) }, 90_000},
		{func() []domain.Change {
			return s.Register(nil, &domain.RegisterMember{Service: domain.Spotify, UID: "u", At: 100_000_000_000}, 1)
		}, 100_000_000},
	} {
		follow(step.do())
		if got := at(); got != step.want {
			t.Errorf("changed at %d, want %d", got, step.want)
		}
	}
}
