package router

import (
	"context"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// mail is as much of an actor's context as a message needs.
type mail struct {
	actor.Context
	message any
}

func (m mail) Message() any { return m.message }

// A page that a fetcher of an earlier life of the router sent is not routed: the page before
// it was not. So with all that a fetcher sends.
func TestI2_RouterTakesPagesOfItsOwnFetcherOnly(t *testing.T) {
	own := make(chan struct{})
	stray := make(chan struct{})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	r := &router{fetching: own, shared: newHandle(0, &Options{}, nil), ctx: ended}
	r.Receive(mail{message: &fetched{own, &routerStarted{domain.TopicID{1}, resumption{next: 7, epoch: 2, noted: 7}}}})
	if r.next != 7 || r.shared.Next.Load() != 7 {
		t.Fatalf("the router is at %d", r.next)
	}
	r.Receive(mail{message: &fetched{stray, &routerStarted{domain.TopicID{1}, resumption{next: 9, epoch: 2, noted: 9}}}})
	page := &sourcePage{SourcePage: domain.SourcePage{Next: 1000, End: 1000}, credit: make(chan []domain.Arrival, 1)}
	r.ctx = context.Background()
	r.Receive(mail{message: &fetched{stray, page}}) // routing it panics, since the router has no options
	if r.next != 7 || len(page.credit) != 0 || r.broken {
		t.Errorf("the router is at %d, %d credits", r.next, len(page.credit))
	}
}
