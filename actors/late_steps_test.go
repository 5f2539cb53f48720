package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Where the last step of a request comes when the request itself is forgotten, its outcome is that of a repeat:
// a shard may have stood still for days.
func TestSubmit_RepeatAfterALateStep(t *testing.T) {
	const days = 3 * 24 * 3600 * 1000
	home, elsewhere := 1000, 2000 // identities of shard 0 and of shard 1
	for identityOf(home).Slot().Shard(2) != 0 {
		home++
	}
	for identityOf(elsewhere).Slot().Shard(2) != 1 {
		elsewhere++
	}
	for name, command := range map[string]func(into, from domain.MemberID) domain.Submission{
		"merge": func(into, from domain.MemberID) domain.Submission {
			return domain.Submission{Slot: into.Slot(), Command: &domain.MergeMembers{Member: into, From: from}}
		},
		"unmerge": func(into, from domain.MemberID) domain.Submission {
			return domain.Submission{Slot: into.Slot(), Command: &domain.UnmergeMember{Member: into, From: from}}
		},
		"registration": func(domain.MemberID, domain.MemberID) domain.Submission {
			return registration(identityOf(home), identityOf(elsewhere), "u")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				x := &powers{harness: furnished(t, 2, 1, Options{})}
				into, from := x.memberOf(0), x.memberOf(1)
				s := command(into, from)
				if _, unmerge := s.Command.(*domain.UnmergeMember); unmerge {
					x.must(x.do(into, &domain.MergeMembers{Member: into, From: from}))
				}
				x.settled()
				s.Account, s.Request, s.BodyHash = 1, domain.RequestID{7}, 77
				x.journal.hold(1)
				end := x.end(1)
				ctx, cancel := context.WithCancel(t.Context())
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					_, _ = x.node.Submit(ctx, s)
				}()
				x.eventually("step", func() bool { return x.end(1) > end })
				cancel()
				<-gone
				x.journal.mu.Lock()
				x.journal.clock += days
				x.journal.mu.Unlock()
				x.publishOf(into, 1)
				x.publishOf(from, 1)
				x.journal.hold(-1)
				x.settled()
				out, err := x.repeated(s)
				want := domain.OK
				if name == "unmerge" { // its first shard has nothing to remember by then: it is asked again
					want = domain.NotFound
				}
				if err != nil || out.Code != want {
					t.Errorf("a repeat of it has %+v, %v", out, err)
				}
				x.settled()
				for id := range 2 {
					x.sameInAnyPages(t, id, whole, x.end(id))
				}
			})
		})
	}
}
