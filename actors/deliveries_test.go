package actors

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// How far a webhook came is what counted of several senders, over a restart too: of two that begin with the same progress
// one is told that its record does not count.
func TestDeliveries_OneOfTwoSendersCounts(t *testing.T) {
	r := newHarness(t, 2, Options{})
	r.ready()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	event := domain.Event{EventPlace: domain.EventPlace{Sequence: 3, Kind: domain.EventActivity}, Member: 4097}
	keep := func(d domain.Delivered) bool {
		t.Helper()
		d.Webhook, d.Partition = 7, 1
		for {
			counts, err := r.node.Deliveries().Keep(ctx, 1, &d)
			if err == nil {
				return counts
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
		}
	}
	if !keep(domain.Delivered{Through: 5, Pending: []domain.Undelivered{{Events: []domain.Event{event}, Tries: 1, Status: "503"}}}) {
		t.Error("the first record does not count")
	}
	if keep(domain.Delivered{Through: 9}) {
		t.Error("a record counts that knew nothing of the first")
	}
	if _, moves := r.node.Deliveries().Sending(7); moves != 1 {
		t.Errorf("%d records count", moves)
	}
	r.restart()
	r.ready()
	if !keep(domain.Delivered{Base: 1, Through: 6, Failing: 9}) {
		t.Error("the next record does not count after a restart")
	}
	var got domain.Progress
	var pending []domain.Undelivered
	r.eventually("the progress is visible", func() bool {
		var err error
		got, pending, err = r.node.Deliveries().Progress(1, 7)
		return err == nil && got.Version == 2
	})
	want := domain.Progress{Webhook: 7, Version: 2, Through: 6, Failing: 9}
	if diff := cmp.Diff(want, got); diff != "" || len(pending) != 1 || pending[0].Status != "503" {
		t.Errorf("%s, %+v", diff, pending)
	}
	_, before := r.node.Deliveries().Sending(7)
	wish := &domain.Delivered{Webhook: 7, Partition: 1, Base: 2, Through: 2}
	out, err := r.node.Submit(ctx, domain.Submission{Account: 1, Request: domain.RequestID{9}, Slot: domain.FirstSlot(1, 2), Command: wish})
	if err != nil || out.Again {
		t.Errorf("what an account wants: %+v, %v", out, err)
	}
	if n := r.node.Deliveries().Wishes(7); n == 0 || r.node.Deliveries().Wishes(8) != 0 {
		t.Errorf("%d wishes are seen", n)
	}
	r.eventually("what an account wants is visible", func() bool {
		p, _, err := r.node.Deliveries().Progress(1, 7)
		return r.node.Deliveries().WishesVisible(7) && err == nil && p.Version == 3 && p.Through == 2
	})
	if _, moves := r.node.Deliveries().Sending(7); moves != before {
		t.Errorf("it counts as a record of a node")
	}
	if p, _, err := r.node.Deliveries().Progress(0, 7); err != nil || p.Version != 0 {
		t.Errorf("the other shard has %+v, %v", p, err)
	}
	if rank := r.node.Deliveries().Rank(7); rank != 0 || !r.node.Deliveries().Alone() {
		t.Errorf("a node alone has rank %d", rank)
	}
}

// What there is for a webhook of a list is the list's memberships, too: an opt-in is no row.
func TestDeliveries_LastEvent(t *testing.T) {
	r := newHarness(t, 1, Options{})
	r.ready()
	r.furnish(1)
	id := r.register(0)
	segment := r.submit(domain.Submission{Account: 1, Command: &domain.PutSegment{Segment: domain.Segment{Name: "a"}, Given: []string{"Name"}, At: 5}}).ID
	all := &domain.Webhook{ID: 7, Account: 1, Events: domain.FeedEvents}
	list := &domain.Webhook{ID: 8, Account: 1, Events: domain.ListEvents, Filters: []domain.WebhookFilter{{Name: "segment", Value: strconv.Itoa(int(segment))}}}
	if of := r.node.Deliveries(); of.LastEvent(0, all) != of.LastEvent(0, list) {
		t.Error("there are memberships of a list that is not followed")
	}
	r.submit(domain.Submission{Account: 1, Command: &domain.FollowSegment{ID: domain.SegmentID(segment), At: time.Now().UnixMilli()}})
	r.eventually("the list is followed", func() bool { return r.node.Deliveries().LastEvent(0, list) > r.node.Deliveries().LastEvent(0, all) })
	before := r.node.Deliveries().LastEvent(0, list)
	r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptSegment, ID: segment}, At: 6}})
	r.eventually("a membership", func() bool { return r.node.Deliveries().LastEvent(0, list) > before })
	if of := r.node.Deliveries(); of.LastEvent(0, list) <= of.LastEvent(0, all) {
		t.Error("a membership is of every webhook")
	}
}
