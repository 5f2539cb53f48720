package actors

import (
	"context"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/store"
)

// A record that no member has a part in moves its stream's origin: what it sends must
// be in the same batch, or the next life drops its repeat and never sends it.
func TestI3WhatASliceSendsIsInTheBatchThatMovesItsOrigin(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	stranger := identityOf(7)
	r.publish(domain.Activity{Identity: stranger, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1})
	r.settled()
	r.close()

	store, err := store.Open("store", store.Options{FS: r.fs})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := store.Shard(stranger.Slot().Shard(2))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	origins, letters := 0, int(s.State().DeadUpTo) // those trimmed were there
	if err := s.Origins(func(o domain.Origin) {
		if o.Topic == r.source.id { // the router's marks have a stream of their own
			origins++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Outbox(func(*domain.Outgoing) { letters++ }); err != nil {
		t.Fatal(err)
	}
	if origins != 1 || letters != 1 {
		t.Fatalf("%d origins moved, %d letters: %v", origins, letters, s.State())
	}
}

// An activity addressed by an identity of another shard than its member's is
// concluded there; a repeat of the request is told so, whoever it asks.
func TestARequestThatIsForwardedCountsOnce(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	home, partner := identityOf(0), identityOf(1)
	if home.Slot().Shard(2) == partner.Slot().Shard(2) {
		t.Fatal("the identities live in one shard: the test shows nothing")
	}
	id := r.submit(domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: home, Service: domain.LastFM, UID: "u", Partner: partner, PartnerCode: "acme", PartnerID: "1",
	}}).Member
	s := domain.Submission{
		Account: 1, Application: 1, Request: domain.RequestID{9}, BodyHash: 5, Slot: partner.Slot(),
		Activity: &domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1},
	}
	first, err := r.node.Submit(context.Background(), s)
	if err != nil || first.Code != domain.OK || first.Member != id || first.Row.Hash != 1 || !first.New || first.Replayed {
		t.Fatalf("%+v %v", first, err)
	}
	for life := range 2 {
		if life > 0 {
			r.close()
			r.open()
		}
		again, err := r.node.Submit(context.Background(), s)
		if err != nil || again.Code != domain.OK || again.Member != id || again.Row.Seq != first.Row.Seq || !again.Replayed {
			t.Fatalf("life %d: %+v %v", life, again, err)
		}
		other := s
		other.BodyHash++
		if out, err := r.node.Submit(context.Background(), other); err != nil || out.Code != domain.Conflict {
			t.Fatalf("life %d: another body: %+v %v", life, out, err)
		}
	}
	if got := r.tally(1).Total; got.Actions != 1 || got.Members != 1 {
		t.Fatalf("%+v", got)
	}
}

// Of requests with one id that are under way together one is the first; the others are
// repeats of it, and one with another body is a conflict, whichever record comes first.
func TestI6RepeatsThatMeetTheFirstOnItsWay(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	fan := r.register(0)
	home, partner := identityOf(2), identityOf(3)
	for i := 3; partner.Slot().Shard(2) == home.Slot().Shard(2); i++ {
		partner = identityOf(i)
	}
	register := &domain.RegisterMember{Application: 1, Identity: home, Service: domain.LastFM, UID: "u", Partner: partner, PartnerCode: "acme", PartnerID: "1"}
	activity := func(at domain.Activity) *domain.Activity {
		at.Definition, at.Brand, at.Time, at.Hash = 100, 1, 1_600_000_000, 77
		return &at
	}
	for i, c := range []struct {
		name string
		s    domain.Submission
	}{
		{"claims of another shard", domain.Submission{Slot: home.Slot(), Command: register}},
		{"an activity", domain.Submission{Slot: fan.Slot(), Activity: activity(domain.Activity{Member: fan})}},
		{"an activity for another shard", domain.Submission{Slot: partner.Slot(), Activity: activity(domain.Activity{Identity: partner})}},
		{"the catalog", domain.Submission{Command: new(domain.PutBrand)}},
	} {
		for round := range 10 {
			s := c.s
			s.Account, s.Application, s.Request, s.BodyHash = 1, 1, domain.RequestID{8, byte(i), byte(round)}, 5
			if _, ok := s.Command.(*domain.PutBrand); ok {
				s.Command = &domain.PutBrand{Given: domain.BrandFields{"Name": "B", "Type": "Music", "Slug": "together-" + string(rune('a'+round))}}
			}
			other := s
			other.BodyHash++
			outs := make([]domain.Outcome, 16)
			var wg sync.WaitGroup
			for k := range outs {
				wg.Go(func() {
					mine := s
					if k%8 == 7 {
						mine = other
					}
					var err error
					if outs[k], err = r.node.Submit(context.Background(), mine); err != nil {
						t.Errorf("%s: %v", c.name, err)
					}
				})
			}
			wg.Wait()
			first, refused := 0, map[bool]int{}
			for k, out := range outs {
				if !out.Replayed {
					first++
				}
				if out.Code == domain.Conflict {
					refused[k%8 == 7]++
				}
			}
			if first != 1 || refused[false] != 0 && refused[true] != 0 || refused[false] != 14 && refused[true] != 2 {
				t.Fatalf("%s, round %d: %d are the first, conflicts of each body %v", c.name, round, first, refused)
			}
		}
	}
}
