package actors

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Many submissions have results in their order, records of one log stand in it in
// that order, and one that fails is no other's failure.
func TestManySubmissionsAreAppliedInOrderAndOneByOne(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a busy machine may be late
	defer cancel()
	r := newRig(t, 2, Options{})
	r.furnish(1)
	ids := []domain.MemberID{r.register(0), r.register(1), r.register(2), r.register(3)}
	const n = 2400 // more than an appender holds of bulk
	sub := func(i int) domain.Submission {
		a := &domain.Activity{Member: ids[i%4], Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(i), Hash: uint64(i + 1)}
		if i%100 == 99 {
			a.Member = ids[i%4] + 50*domain.Slots // nobody
		}
		return domain.Submission{Account: 1, Slot: a.Member.Slot(), Activity: a, Request: domain.RequestID{9, byte(i), byte(i >> 8)}, BodyHash: 1}
	}
	var all []domain.Submission
	for i := range n {
		all = append(all, sub(i))
	}
	at := domain.Position{}
	for round := range 2 { // the second time each request id is known
		for i, res := range r.node.SubmitAll(ctx, all) {
			out, code := res.Outcome, domain.OK
			if i%100 == 99 {
				code = domain.NotFound
			}
			if res.Err != nil || out.Code != code || out.Replayed != (round == 1) || code == domain.OK && (!out.New || out.Row.Hash != uint64(i+1)) {
				t.Fatalf("round %d, %d: %+v", round, i, res)
			}
			at = at.Reach(out.Position)
		}
	}
	if got := r.tally(1).Total; got.Actions != n-n/100 || got.Members != 4 {
		t.Errorf("%+v", got)
	}
	for p, part := range r.journal.parts {
		var order []uint64
		for _, rec := range part {
			if rec.Kind == domain.KindActivity {
				order = append(order, rec.Activity.Hash)
			}
		}
		half := len(order) / 2
		if len(order) < n/2 || !slices.IsSorted(order[:half]) || !slices.IsSorted(order[half:]) {
			t.Errorf("partition %d: %d records, out of order", p, len(order))
		}
	}
	if err := r.node.Await(ctx, at); err != nil {
		t.Error(err)
	}

	// Without a request id nothing is kept for a repeat: the dedup key alone tells.
	for i := range all {
		all[i].Request, all[i].Durable = domain.RequestID{}, true
		all[i].Activity.Raw = "{}"
	}
	before := r.node.running[0].Stats.Dead[domain.UnknownMember].Load() + r.node.running[1].Stats.Dead[domain.UnknownMember].Load()
	at = domain.Position{}
	for i, res := range r.node.SubmitAll(ctx, all) {
		if res.Err != nil || len(res.Outcome.Position.Shards) != 1 {
			t.Fatalf("%d: %+v", i, res)
		}
		at = at.Reach(res.Outcome.Position)
	}
	if err := r.node.Await(ctx, at); err != nil {
		t.Fatal(err)
	}
	if got := r.tally(1).Total; got.Actions != n-n/100 {
		t.Errorf("repeats count: %+v", got)
	}
	after := r.node.running[0].Stats.Dead[domain.UnknownMember].Load() + r.node.running[1].Stats.Dead[domain.UnknownMember].Load()
	if after-before != n/100 {
		t.Errorf("%d dead letters", after-before)
	}
	r.settled()
	letters := map[domain.RequestID]bool{}
	r.letters.mu.Lock()
	for _, d := range r.letters.all {
		letters[d.Request] = true
	}
	r.letters.mu.Unlock()
	if len(letters) != n/100 || letters[domain.RequestID{}] {
		t.Errorf("%d names of dead letters, want %d", len(letters), n/100)
	}
	ended, end := context.WithCancel(ctx)
	end()
	for _, res := range r.node.SubmitAll(ended, all[:10]) {
		if res.Err != nil && !errors.Is(res.Err, domain.ErrUnavailable) {
			t.Errorf("%v", res.Err)
		}
	}
}
