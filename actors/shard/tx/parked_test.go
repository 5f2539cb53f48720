package tx

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// The bytes parked in a shard are bounded, too.
func TestParked_BytesAreBounded(t *testing.T) {
	p, at := newParked(), member.Place{Account: 1, Ord: 3}
	big := &domain.Parked{Account: 1, Ord: 3, Activity: domain.Activity{Raw: strings.Repeat("x", maxParkedBytes/2)}}
	if !p.Fits(at, &big.Activity) {
		t.Fatal("the first does not fit")
	}
	p.Park(big)
	if p.Fits(member.Place{Account: 2}, &big.Activity) {
		t.Fatal("another member's fits beside it")
	}
	rest := domain.Activity{Raw: strings.Repeat("x", maxParkedBytes-bytesOf(&big.Activity)-bytesOf(&domain.Activity{}))}
	if !p.Fits(at, &rest) {
		t.Error("what is left is not what is taken")
	}
	rest.Raw += "x"
	if p.Fits(at, &rest) {
		t.Error("more than is left fits")
	}
	p.committed()
	if staged, has := p.Staged(at); len(staged) > 0 || !has {
		t.Error("what is stored is still kept")
	}
	if p.Drop(at); p.all != (parkedSize{}) || !p.Fits(at, &big.Activity) {
		t.Errorf("%+v is left", p.all)
	}
}

// A member's activities are numbered, over a start as well, and one member has 10,000 at most.
func TestParked_ActivitiesAreBounded(t *testing.T) {
	p, at := newParked(), member.Place{Account: 1, Ord: 3}
	one := func() *domain.Parked { return &domain.Parked{Account: 1, Ord: 3} }
	for n := range uint32(MaxParked) {
		if !p.Fits(at, &domain.Activity{}) {
			t.Fatalf("number %d does not fit", n)
		}
		a := one()
		if n == 5000 { // as after a start
			again := newParked()
			for i := range n {
				a := one()
				a.Number = i + 1
				again.Load(a)
			}
			p = again
		}
		if c := p.Park(a); a.Number != n+1 || c.Kind != domain.ParkedPut || c.Value != a {
			t.Fatalf("%+v has the number %d, want %d", c, a.Number, n+1)
		}
	}
	if p.Fits(at, &domain.Activity{}) || !p.Fits(member.Place{Account: 2}, &domain.Activity{}) || p.Activities() != MaxParked {
		t.Errorf("%d are parked", p.Activities())
	}
	if staged, _ := p.Staged(at); len(staged) != 5000 || staged[0].Number != 5001 {
		t.Errorf("%d are staged", len(staged))
	}
	if _, has := p.Staged(member.Place{Account: 2}); has {
		t.Error("another member has parked")
	}
	if c := p.Drop(at); c.Kind != domain.ParkedDrop || p.Activities() != 0 {
		t.Errorf("%+v, %d are left", c, p.Activities())
	}
	if a := one(); p.Park(a).Kind != domain.ParkedPut || a.Number != 1 {
		t.Errorf("the first number is %d", a.Number)
	}
}
