package actors

import (
	"context"
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// shows requires what an item's content and member are, by two reads: the first may read the store,
// the second what the first has cached.
func (r *harness) shows(item domain.FeedItem, at domain.Position, content string, login int64) {
	r.t.Helper()
	for range 2 {
		var shown []domain.Shown
		r.answered(func() (err error) {
			shown, err = r.node.Show(context.Background(), 1, []domain.FeedItem{item}, at)
			return err
		})
		gotContent, gotLogin := "", int64(-1)
		if c := shown[0].Content; c != nil {
			gotContent = c.Content
		}
		if m := shown[0].Member; m != nil {
			gotLogin = m.LastLogin()
		}
		if gotContent != content || gotLogin != login {
			r.t.Fatalf("shown are content %q and login %d, want %q and %d", gotContent, gotLogin, content, login)
		}
	}
}

// acted publishes an action of a member and is its item in the feed.
func (r *harness) acted(id domain.MemberID, a domain.Activity) domain.FeedItem {
	r.t.Helper()
	a.Content.Content = fmt.Sprint(a.Hash)
	r.publish(a)
	r.settled()
	q := allOf(domain.ShapeFeed, 1)
	q.Listing = domain.Listing{Every: true, Limit: 10}
	for _, item := range r.ask(q).Feed.Items {
		if item.Row.Time == domain.Second(a.Time) {
			return item
		}
	}
	r.t.Fatalf("%+v is not listed", a)
	return domain.FeedItem{}
}

// What was shown before is shown as it is now, once that is applied: a member who logged in, a
// one-time action that an earlier one replaced, an action that was deleted, a member who was erased.
func TestShow_WhatChangesIsNotShownAsItWas(t *testing.T) {
	t.Parallel()
	r := furnished(t, 2, 1, Options{})
	id := r.register(1)
	act := func(hash uint64, time int64, oneTime bool) domain.FeedItem {
		a := domain.Activity{Member: id, Definition: 100, Brand: 1, Time: time, Hash: hash}
		if oneTime {
			a.Definition, a.OneTime = 101, true
		}
		return r.acted(id, a)
	}
	m, at, err := r.node.Member(context.Background(), 1, id, domain.Position{})
	r.must(err)
	login := m.LastLogin()
	submit := func(c domain.Command) {
		at = at.Reach(r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: c}).Position)
	}

	plain, later := act(1, 1_600_000_000, false), act(2, 1_600_000_005, true)
	r.shows(plain, at, "1", login)
	r.shows(later, at, "2", login)
	earlier := act(3, 1_600_000_004, true)
	r.shows(later, at, "", login)
	r.shows(earlier, at, "3", login)

	identity := identityOf(1)
	submit(&domain.LogIn{Member: id, Application: 1, Service: domain.LastFM, Identity: identity, At: login + 5000})
	login += 5000
	r.shows(plain, at, "1", login)

	submit(&domain.DeleteAction{Member: id, Action: plain.Row.ID()})
	r.shows(plain, at, "", login)
	r.shows(earlier, at, "3", login)

	submit(&domain.EraseMember{Member: id, At: login})
	r.shows(earlier, at, "", -1)
}
