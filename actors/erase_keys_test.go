package actors

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A registration that is asked for again before its member is known comes with another data key,
// which is deleted: the member knows nothing of it. A copy of the first record leaves the key of the
// member, whichever shard has it.
func TestErase_KeyOfARepeatIsDeleted(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	for i := range 8 { // of either shard, with and without a claim on the other
		home, partner := identityOf(100+2*i), identityOf(101+2*i)
		keyOf := func(n byte) domain.KeyID { return domain.KeyID{1, byte(i), n} }
		ask := func(n byte) domain.MemberID {
			s := registration(home, partner, "u")
			s.Request = domain.RequestID{9, byte(i)}
			s.Command.(*domain.RegisterMember).Personal = domain.PersonalPut{Sealed: domain.Sealed{Key: keyOf(n), Data: "sealed"}}
			out, err := r.node.Submit(t.Context(), s)
			if err != nil || out.Code != domain.OK || out.Member == 0 {
				t.Fatalf("%+v %v", out, err)
			}
			return out.Member
		}
		id := ask(1)
		for _, n := range []byte{2, 1, 3} {
			if again := ask(n); again != id {
				t.Fatalf("member %d is %d", id, again)
			}
		}
		r.eventually("deleted keys", func() bool {
			r.deleted.mu.Lock()
			defer r.deleted.mu.Unlock()
			return r.deleted.ids[keyOf(2)] > 0 && r.deleted.ids[keyOf(3)] > 0
		})
		r.deleted.mu.Lock()
		if r.deleted.ids[keyOf(1)] > 0 {
			t.Errorf("the key of member %d is deleted", id)
		}
		r.deleted.mu.Unlock()
	}
}
