package member

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestListed_HasOptedInListedAndPerformedWithoutOptedOut(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 5))
	a := NewAudience()
	value := func(id uint32) string { return domain.OptValue(domain.OptSegment, id) }
	type fan struct{ alive, in, out, put, does bool }
	const members = 9000 // three pages
	fans := make([]fan, members)
	performers := make([]uint64, members/64-3) // some did nothing since the view was made
	for o := range fans {
		f := &fans[o]
		a.Add(domain.MemberIDOf(uint64(o+1), 0))
		set := func(attribute domain.Attribute, v string, to *bool, share int) {
			if *to = rnd.IntN(share) == 0; *to {
				a.Put(&domain.Bit{Ord: domain.Ordinal(o), Attribute: attribute, Value: v, On: true})
			}
		}
		f.alive = true
		a.Put(&domain.Bit{Ord: domain.Ordinal(o), Attribute: domain.AttrMember, On: true})
		if rnd.IntN(9) == 0 {
			f.alive = false
			a.Put(&domain.Bit{Ord: domain.Ordinal(o), Attribute: domain.AttrMember})
		}
		if o>>pageBits != 1 { // no member of the middle page opted in
			set(domain.AttrOptIn, value(7), &f.in, 5)
			set(domain.AttrListed, value(7), &f.put, 6)
		}
		set(domain.AttrOptOut, value(7), &f.out, 7)
		var other bool
		set(domain.AttrOptIn, value(8), &other, 2)
		if f.does = rnd.IntN(4) == 0 && o>>6 < len(performers); f.does {
			performers[o>>6] |= 1 << (o & 63)
		}
	}
	c := a.Commit()
	for _, rule := range [][]uint64{nil, performers} {
		got := c.Listed(make([]uint64, 3), 7, rule)
		for o, f := range fans {
			want := f.alive && !f.out && (f.in || f.put || f.does && rule != nil)
			if on := got[o>>6]>>(o&63)&1 == 1; on != want {
				t.Fatalf("seed %d, member %d %+v, rule %t: on the list %t", seed, o, f, rule != nil, on)
			}
		}
	}
	if got := c.Listed(nil, 9, nil); len(got) != (members+63)/64 {
		t.Errorf("%d words", len(got))
	} else {
		for i, w := range got {
			if w != 0 {
				t.Fatalf("word %d of an empty list is %x", i, w)
			}
		}
	}
}
