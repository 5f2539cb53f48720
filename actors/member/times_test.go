package member

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// An index keeps the times of its commit, to the second, also of members of other
// pages; who is not active has none.
func TestI7_TimesAreThoseOfTheCommit(t *testing.T) {
	const fans = 3 << pageBits / 2
	r := rand.New(rand.NewPCG(7, 7))
	a := NewAudience()
	type times struct{ created, login domain.Second }
	var states []*State
	var now []times
	for o := range domain.Ordinal(fans) {
		at := r.Int64N(1 << 32 * 1000)
		states = append(states, New(&domain.RegisterMember{At: at}, 1, domain.MemberIDOf(uint64(o)+1, 1), o))
		a.Add(domain.MemberIDOf(uint64(o)+1, 1))
		now = append(now, times{})
	}
	type moment struct {
		index *Index
		want  []times
	}
	var moments []moment
	for range 5 {
		for range fans {
			o := r.IntN(fans)
			s := states[o]
			at := s.Member.Created + r.Int64N(1<<20)
			for _, c := range s.Register(nil, &domain.RegisterMember{Service: domain.Spotify, At: at}, 1) {
				if v, ok := c.Value.(*domain.Column); ok {
					a.PutColumn(v)
				}
			}
			now[o] = times{seconds(s.Member.Created), seconds(at)}
		}
		moments = append(moments, moment{a.Commit(), append([]times(nil), now...)})
	}
	for k, m := range moments {
		for o, want := range m.want {
			if got := (times{m.index.Created(domain.Ordinal(o)), m.index.LastLogin(domain.Ordinal(o))}); got != want {
				t.Fatalf("commit %d, member %d: %+v, want %+v", k, o, got, want)
			}
		}
	}
	if c := a.Commit(); c.Created(fans) != 0 || c.LastLogin(1<<30) != 0 {
		t.Error("a member that is not there has a time")
	}
}
