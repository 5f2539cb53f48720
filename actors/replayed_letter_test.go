package actors

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
)

// registeredAt registers a member at a time, with an identity in each of two shards.
func (r *harness) registeredAt(at int64, home, partner domain.IdentityHash) domain.MemberID {
	r.t.Helper()
	s := registration(home, partner, "u")
	s.Command.(*domain.RegisterMember).At = at
	return r.submit(s).Member
}

// A dead letter that is replayed counts for a member that was registered when the letter's original was first
// refused. Otherwise it is a dead letter of an unknown member again, which says why and keeps that time, so
// that a replay of it is no newer. The same by whatever the member is named, in whichever shard that is judged, for
// a member that is merged into an older one, beside activities that are no replays, and in every replay of the journal.
func TestReplayedLetter_RegistrationDecides(t *testing.T) {
	const registered = 1_650_000_000_000
	for _, merged := range []bool{false, true} {
		t.Run(fmt.Sprintf("merged %v", merged), func(t *testing.T) {
			r := furnished(t, 2, 1, Options{})
			id := r.registeredAt(registered, fanOf(0, 0), partnerOf(0, 1))
			if merged {
				older := r.registeredAt(1_500_000_000_000, fanOf(0, 1), partnerOf(0, 0))
				r.submit(domain.Submission{Account: 1, Slot: older.Slot(), Command: &domain.MergeMembers{Member: older, From: id}})
			}
			names := []domain.Activity{{Member: id}, {Identity: fanOf(0, 0)}, {Identity: partnerOf(0, 1)}}
			hash, counted, refused := uint64(0), 0, 0
			for _, received := range []int64{0, 1, registered - 1, registered, registered + 1} {
				for _, name := range names {
					for _, once := range []bool{false, true} {
						hash++
						a := r.actOf(0, hash)
						a.Member, a.Identity, a.Received = name.Member, name.Identity, received
						if a.OneTime = once; once {
							a.Definition = 101
						}
						r.publish(a)
						switch {
						case received != 0 && received < registered:
							refused++
						case !once:
							counted++
						}
					}
				}
			}
			r.settled()
			r.eventually("letters", func() bool { return r.letters.reasons()[domain.UnknownMember] == refused })
			for _, l := range r.letters.all {
				if l.Detail != activity.BeforeRegistration || l.At != 1 && l.At != registered-1 {
					t.Errorf("%+v", l)
				}
			}
			r.wantActions(counted + 1) // of the one-time ones the first
			r.replaysEqual(t)
			r.close()
			before := r.factsOf(t)
			r.fs = vfs.NewCrashableMem()
			r.open()
			r.settled()
			r.close()
			if diff := cmp.Diff(before, r.factsOf(t)); diff != "" {
				t.Errorf("built from the journal (-was +is):\n%s", diff)
			}
		})
	}
}

// What was parked while a registration was pending is judged in the same way once the member is active.
func TestReplayedLetter_Parked(t *testing.T) {
	r, held := pendingHarness(t)
	const registered = 1_650_000_000_000
	sub := registration(fanOf(0, 0), partnerOf(0, 1), "u")
	sub.Command.(*domain.RegisterMember).At = registered
	sub.Request, sub.Durable = domain.RequestID{7}, true
	_, err := r.node.Submit(t.Context(), sub)
	r.must(err)
	var acts []domain.Record
	for i, received := range []int64{0, registered - 1, registered} {
		a := r.actOf(0, uint64(i+1))
		a.Identity, a.Received = fanOf(0, 0), received
		origin := domain.Origin{Topic: domain.TopicID{3}, Partition: 10, Offset: int64(i)}
		acts = append(acts, domain.Record{Kind: domain.KindActivity, Account: 1, Origin: origin, Activity: a})
	}
	r.append(0, acts...)
	r.eventually("parked activities", func() bool { return r.node.Status().Shards[0].Parked == 3 })
	r.fs = r.cut(seeded(t))
	r.boot()
	held.Store(false)
	r.eventually("settling", func() bool { return r.node.Status().Shards[0].Parked == 0 })
	r.ready()
	r.settled()
	r.wantActions(2)
	if got := r.letters.all; len(got) != 1 || got[0].Detail != activity.BeforeRegistration || got[0].Origin.Offset != 1 {
		t.Errorf("%+v", got)
	}
	r.replaysEqual(t)
}

// A replay that has no time of its own counts on the day on which its original was refused, however late it is replayed.
func TestReplayedLetter_WithoutATimeCountsWhenItCame(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id := r.registeredAt(1, fanOf(0, 0), partnerOf(0, 1))
	const received = 1_690_000_000_000
	a := r.actOf(id, 1)
	a.Defaulted, a.Time, a.Received = true, 0, received
	r.publish(a)
	r.settled()
	q := allOf(domain.ShapeFeed, 1)
	q.Listing = domain.Listing{Every: true, Limit: 10}
	if items := r.ask(q).Feed.Items; len(items) != 1 || items[0].Row.Time != received/1000 {
		t.Errorf("%+v", items)
	}
}
