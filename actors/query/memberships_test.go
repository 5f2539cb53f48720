package query

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// keptMemberships is a snapshot with memberships of list 7, by sequence.
type keptMemberships struct {
	view.Snapshot
	seqs []uint64
}

func (k keptMemberships) Memberships(_ domain.AccountID, segment domain.SegmentID, above uint64, f func(*domain.Membership) bool) error {
	for _, seq := range k.seqs {
		if segment == 7 && seq > above && !f(&domain.Membership{Seq: seq, Segment: segment}) {
			return nil
		}
	}
	return nil
}

// A page has the memberships above its place, as many as it may have; a place before what is kept, and a list that is not followed, are
// errors. From the beginning are those that are kept.
func TestMemberships_Pages(t *testing.T) {
	lists := view.Lists{7: {Version: 1, First: 10, Last: 40}, 8: {Version: 1, First: 5, Last: 5}}
	for _, c := range []struct {
		name  string
		query domain.StreamQuery
		none  bool // the account has nothing in the shard
		err   error
		want  []uint64
		next  uint64
		more  bool
	}{
		{name: "from the beginning", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Limit: 9}, want: []uint64{20, 30, 40}, next: 40},
		{name: "two at most", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Limit: 2}, want: []uint64{20, 30}, next: 30, more: true},
		{name: "three at most", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Limit: 3}, want: []uint64{20, 30, 40}, next: 40},
		{name: "after the second", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{30}, Limit: 2}, want: []uint64{40}, next: 40},
		{name: "after the last", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{40}, Limit: 2}, next: 40},
		{name: "after one that is not visible here", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{50}, Limit: 2}, next: 50},
		{name: "where it begins", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{10}, Limit: 1}, want: []uint64{20}, next: 20, more: true},
		{name: "before it", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{9}, Limit: 1}, err: domain.ErrMembershipsGone},
		{name: "before it, of what is kept", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{9}, Limit: 1, Kept: true}, want: []uint64{20}, next: 20, more: true},
		{name: "none wanted", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Above: []uint64{20}}, next: 20, more: true},
		{name: "now", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Start: domain.StreamNow, Limit: 9}, next: 40},
		{name: "of an empty list", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 8, Limit: 9}, next: 5},
		{name: "not followed", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 9, Limit: 9}, err: domain.ErrNotFollowed},
		{name: "no account", query: domain.StreamQuery{Kinds: domain.ListEvents, Segment: 7, Limit: 9}, none: true, err: domain.ErrNotFollowed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &execution{
				local: &Local{}, view: &view.View{Snapshot: keptMemberships{seqs: []uint64{20, 30, 40}}},
				account: &view.Account{Lists: lists}, question: &domain.Question{Account: 1, Stream: c.query},
			}
			if c.none {
				s.account = nil
			}
			p, err := s.memberships()
			if err != c.err || (p == nil) != (err != nil) {
				t.Fatalf("%+v, %v", p, err)
			}
			if p == nil {
				return
			}
			var got []uint64
			for i := range p.Events {
				got = append(got, p.Events[i].Sequence())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || p.Next != c.next || p.More != c.more {
				t.Errorf("%+v: %s", p, diff)
			}
		})
	}
}
