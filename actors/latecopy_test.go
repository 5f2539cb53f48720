package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// memberNow is what the node has of a member.
func (r *harness) memberNow(id domain.MemberID) *domain.Member {
	r.t.Helper()
	m, _, err := r.node.Member(context.Background(), 1, id, domain.Position{})
	r.must(err)
	return m
}

// A copy of a registration that comes to its own partition long after it, when its request is forgotten and its
// member no longer has the identity, makes no second member and deletes no data key: neither where the identity is
// free, nor where another member has it, nor where the copy would be refused for a partner that another one has.
func TestRegistration_LateCopyLeavesMembersAndKeys(t *testing.T) {
	const day = 24 * 3600 * 1000
	key := domain.KeyID{5, 1}
	for name, then := range map[string]func(r *harness, home, partner domain.IdentityHash){
		"free": func(*harness, domain.IdentityHash, domain.IdentityHash) {},
		"of another member": func(r *harness, home, _ domain.IdentityHash) {
			r.submit(registration(home, domain.IdentityHash{}, "v"))
		},
		"of another member, with a key": func(r *harness, home, _ domain.IdentityHash) {
			s := registration(home, domain.IdentityHash{}, "v")
			s.Command.(*domain.RegisterMember).Personal = domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{6}, Data: "s"}}
			r.submit(s)
		},
		"free, its partner taken here": func(r *harness, _, partner domain.IdentityHash) {
			r.submit(registration(fanOf(5, 0), partner, "v"))
		},
		"of a member in another shard": func(r *harness, home, _ domain.IdentityHash) {
			other := r.submit(registration(fanOf(6, 1), domain.IdentityHash{}, "w")).Member
			r.submit(domain.Submission{Account: 1, Slot: other.Slot(), Command: &domain.AttachService{Member: other, Register: domain.RegisterMember{
				Application: 1, Identity: home, Service: domain.LastFM,
			}}})
		},
		"of a member that is erased": func(r *harness, home, _ domain.IdentityHash) {
			out := r.submit(registration(home, domain.IdentityHash{}, "v"))
			r.submit(domain.Submission{Account: 1, Slot: out.Member.Slot(), Command: &domain.EraseMember{Member: out.Member, At: 1}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := furnished(t, 2, 1, Options{})
			home, partner := fanOf(0, 0), partnerOf(1, 0)
			s := registration(home, partner, "u")
			s.Command.(*domain.RegisterMember).Personal = domain.PersonalPut{Sealed: domain.Sealed{Key: key, Data: "s"}}
			first := r.submit(s)
			var made domain.Record
			r.eachRecord(0, func(rec *domain.Record) {
				if p := domain.PersonalOf(rec.Command); p != nil && p.Key == key {
					made = *rec
				}
			})
			r.submit(domain.Submission{Account: 1, Slot: first.Member.Slot(), Command: &domain.AttachService{Member: first.Member, Register: domain.RegisterMember{
				Application: 1, Identity: fanOf(3, 0), Service: domain.Deezer,
			}}})
			r.submit(domain.Submission{Account: 1, Slot: first.Member.Slot(), Command: &domain.RemoveService{Member: first.Member, Record: r.memberNow(first.Member).Services[0].ID}})
			if made.Command == nil || member.Holds(r.memberNow(first.Member), home) {
				t.Fatalf("%+v of %+v", made, r.memberNow(first.Member))
			}
			then(r, home, partner)
			r.settled()
			r.journal.mu.Lock()
			r.journal.clock += 3 * day
			r.journal.mu.Unlock()
			before := r.node.Status().Shards[0].Counts.Registered + r.node.Status().Shards[1].Counts.Registered
			for range 2 {
				r.append(0, made)
				r.settled()
			}
			if after := r.node.Status().Shards[0].Counts.Registered + r.node.Status().Shards[1].Counts.Registered; after != before {
				t.Errorf("the copies register %d members", after-before)
			}
			r.deleted.mu.Lock()
			if n := r.deleted.ids[key]; n != 0 {
				t.Errorf("the key of a member that lives is deleted %d times: %v", n, r.deleted.ids)
			}
			r.deleted.mu.Unlock()
			r.replaysEqual(t)
			if has := r.memberNow(first.Member).Personal; has.Key != key {
				t.Errorf("the member has the key %v", has.Key)
			}
		})
	}
}
