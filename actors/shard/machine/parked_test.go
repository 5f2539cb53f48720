package machine

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// The bytes parked in a shard are bounded, too.
func TestParked_WeightIsBounded(t *testing.T) {
	p, at := newParked(), member.Place{Account: 1, Ord: 3}
	big := &domain.Parked{Account: 1, Ord: 3, Number: 1, Activity: domain.Activity{Raw: strings.Repeat("x", parkedWeight/2)}}
	one := weightOfParked(big)
	if !p.fits(at, one) {
		t.Fatal("the first does not fit")
	}
	p.park(big)
	if p.fits(member.Place{Account: 2}, one) {
		t.Fatal("another member's fits beside it")
	}
	if !p.fits(at, parkedWeight-one) || p.fits(at, parkedWeight-one+1) || p.next(at) != 2 {
		t.Fatal("what is left is not what is taken")
	}
	if p.committed(); len(p.of[at].staged) > 0 {
		t.Fatal("what is stored is still kept")
	}
	if p.drop(at); p.all != (parkedSize{}) || !p.fits(at, parkedWeight) {
		t.Fatalf("%+v is left", p.all)
	}
}
