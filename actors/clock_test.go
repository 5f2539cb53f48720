package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A tick moves a shard's clock to its record's time, whatever hour its node believes in: a
// node that is a day ahead expires no request id.
func TestShard_ATickOfANodeAheadForgetsNoRequest(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
	r.register(1)
	said := domain.Record{Kind: domain.KindActivity, Account: 1, Request: domain.RequestID{9}, BodyHash: 5, Activity: domain.Activity{
		Identity: identityOf(1), Definition: 100, Brand: 1, Defaulted: true, Time: -1, Hash: 5,
	}}
	again := said
	again.Activity.Hash = 6 // a dedup key of its own: the request id alone tells the repeat
	tick := func(hoursAhead int64) domain.Record {
		return domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: uint32(r.journal.now()/3_600_000 + hoursAhead)}}
	}
	for _, batch := range [][]domain.Record{{said}, {tick(26)}, {again}, {tick(24 * 365)}, {again}} {
		if _, err := r.journal.Append(context.Background(), 0, batch); err != nil {
			t.Fatal(err)
		}
		r.settled()
	}
	r.close()
	r.open()
	a, err := r.store.Audit(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if s := a.State(); s.Rows != 1 || s.Clock != r.journal.now() {
		t.Errorf("%d actions of one request, clock %d, the log's is %d", s.Rows, s.Clock, r.journal.now())
	}
}
