package member

import (
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// A list is the page of the sorted list of the members of a set, whatever page, order and moment of
// change are asked for; its total is of all pages.
func TestIndex_ListIsAPageOfTheSortedList(t *testing.T) {
	const members = 2_000
	r := rand.New(rand.NewPCG(1, 1))
	a, m := NewAudience(), &reference.Model{}
	for o := range domain.Ordinal(members) {
		x := reference.Member{ID: domain.MemberIDOf(uint64(o)+1, domain.Slot(r.IntN(domain.Slots))), Changed: 1_600_000_000 + r.Uint32N(100_000)}
		m.Members = append(m.Members, x)
		a.Add(x.ID)
		a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrChangedHigh, Value: uint16(x.Changed >> 16)})
		a.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrChangedLow, Value: uint16(x.Changed)})
	}
	index := a.Commit()
	any := rapid.Map(rapid.IntRange(0, members-1), func(i int) reference.Member { return m.Members[i] })
	rapid.Check(t, func(t *rapid.T) {
		l := domain.MemberListing{Up: rapid.Bool().Draw(t, "up"), Limit: rapid.IntRange(0, 120).Draw(t, "limit")}
		switch rapid.IntRange(0, 2).Draw(t, "page") {
		case 0:
			l.Offset = rapid.IntRange(0, members).Draw(t, "offset")
		case 1:
			l.After = any.Draw(t, "after").ID
		}
		if rapid.Bool().Draw(t, "since") {
			l.Changed = any.Draw(t, "changed").Changed
		}
		q, set := &domain.Question{Shape: domain.ShapeMemberList, MemberListing: l}, []uint64(nil)
		if rapid.Bool().Draw(t, "of some") {
			set = make([]uint64, (members+63)/64)
			for _, x := range rapid.SliceOf(any).Draw(t, "members") {
				o := x.ID.Sequence() - 1
				set[o>>6] |= 1 << (o & 63)
				q.Filter.Members = append(q.Filter.Members, x.ID)
			}
			q.Filter.Members = append(q.Filter.Members, 0) // of no member
		}
		q.MemberListing.Offset, q.MemberListing.Limit = 0, l.End() // a shard gives the rows above the page, too
		if d := gocmp.Diff(m.Answer(q).MemberList, index.List(set, &l), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// The least keys come first, whatever keys are equal, and none is lost.
func TestLeastFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64Range(0, rapid.Uint64Range(1, 1000).Draw(t, "most"))).Draw(t, "keys")
		n := rapid.IntRange(0, len(keys)).Draw(t, "n")
		want := slices.Sorted(slices.Values(keys))
		leastFirst(keys, n)
		slices.Sort(keys[:n])
		slices.Sort(keys[n:])
		if !slices.Equal(keys, want) {
			t.Fatalf("%d of %v: %v", n, want, keys)
		}
	})
}

// BenchmarkIndex_List is the first 1,000 members by id in a shard of 12,500, which came in any order.
func BenchmarkIndex_List(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	a := NewAudience()
	for _, i := range r.Perm(12_500) {
		a.Add(domain.MemberIDOf(uint64(i)+1, domain.Slot(r.IntN(domain.Slots))))
	}
	index := a.Commit()
	b.ReportAllocs()
	for b.Loop() {
		index.List(nil, &domain.MemberListing{Up: true, Limit: 1000})
	}
}

// A member changed when a record last changed it: a registration, an opt-in, an opt-out;
// what leaves everything as it was does not change it.
func TestChanged_IsWhenARecordLastChangedTheMember(t *testing.T) {
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
			return s.Register(nil, &domain.RegisterMember{Service: domain.Spotify, At: 6_999}, 1)
		}, 6},
		{func() []domain.Change { return s.OptIn(nil, brand, 70_000_000) }, 70_000},
		{func() []domain.Change { return s.OptIn(nil, brand, 80_000_000) }, 70_000},
		{func() []domain.Change { return s.OptOut(nil, brand, 90_000_000) }, 90_000},
		{func() []domain.Change {
			return s.Register(nil, &domain.RegisterMember{Service: domain.Spotify, At: 100_000_000_000}, 1)
		}, 100_000_000},
	} {
		follow(step.do())
		if got := at(); got != step.want {
			t.Errorf("changed at %d, want %d", got, step.want)
		}
	}
}
