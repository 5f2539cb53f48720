package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage"
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

	store, err := storage.Open("store", storage.Options{FS: r.fs})
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
