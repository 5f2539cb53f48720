package streams

import (
	"errors"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A token says where a stream goes on: at the place that it was made of, from now or from the beginning. One of another question, account
// or number of shards is refused.
func TestFrom(t *testing.T) {
	sealer := page.NewSealer([16]byte{1})
	ids := func(question string, account domain.AccountID) page.StreamIDs {
		l := page.NewList(&page.Links{}, &sealer)
		l.Stream = question
		return l.StreamIDs(account, domain.TopicID{7})
	}
	here, other, foreign := ids("a", 1), ids("b", 1), ids("a", 2)
	now := follow.Cursor{40, 50}
	for _, c := range []struct {
		name, token string
		want        follow.Cursor // nil: it is refused
	}{
		{"an id", here.Seal([]uint64{3, 4}), follow.Cursor{3, 4}},
		{"empty", "", follow.Cursor{0, 0}},
		{"begin", page.StreamBegin, follow.Cursor{0, 0}},
		{"now", page.StreamNow, now},
		{"of another question", other.Seal([]uint64{3, 4}), nil},
		{"of another account", foreign.Seal([]uint64{3, 4}), nil},
		{"of fewer shards", here.Seal([]uint64{3}), nil},
		{"rubbish", "x", nil},
	} {
		got, err := From(&here, c.token, now)
		if !slices.Equal(got, c.want) || (c.want == nil) != errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// An event is its name and its data in one line each, and an empty line; its place is that of what happened.
func TestEvent(t *testing.T) {
	e, err := Event(&domain.StreamEvent{Shard: 3, Membership: domain.Membership{Seq: 9, Segment: 7, Entered: true}}, &wire.Membership{MemberID: "5"})
	want := "event: enter\ndata: {\"SegmentID\":\"\",\"MemberID\":\"5\",\"Time\":\"\"}\n\n"
	if err != nil || e.Shard != 3 || e.Seq != 9 || string(e.Text) != want {
		t.Errorf("%+v %q, %v", e, e.Text, err)
	}
}
