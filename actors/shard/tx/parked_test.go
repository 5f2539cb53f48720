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
