package actors

import (
	"context"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What is recorded of a member that is merged into one that is merged into a third, each of another shard,
// counts as the third's at the position of the outcome: an answer waits for it, however many shards it has
// to come through.
func TestMerge_PositionCoversMergesOfMerges(t *testing.T) {
	x := newPowers(t, 3, 12)
	var chain []domain.MemberID
	for shard := range 3 {
		for _, id := range x.ids {
			if id.Slot().Shard(3) == shard {
				chain = append(chain, id)
				break
			}
		}
	}
	if len(chain) != 3 {
		t.Fatalf("members are in %d shards of 3", len(chain))
	}
	for n := range 2 {
		if err := x.do(chain[n+1], &domain.MergeMembers{Member: chain[n+1], From: chain[n]}); err != nil {
			t.Fatal(err)
		}
	}
	x.settled()
	q := allOf(domain.ShapeTally, 1)
	q.Filter.Members = chain[2:]
	before := x.ask(q).Tally.Total.Actions
	for n := range uint64(5) {
		x.journal.hold(2)
		out, err := x.node.Submit(t.Context(), domain.Submission{
			Account: 1, Slot: chain[0].Slot(), Request: domain.RequestID{8, 15: byte(n)},
			Activity: &domain.Activity{Member: chain[0], Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1<<50 + n},
		})
		if err != nil || out.Code != domain.OK {
			t.Fatal(out, err)
		}
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if a, err := x.node.Ask(short, q, out.Position); err == nil {
			t.Errorf("an answer of %d actions does not wait for the %dth", a.Tally.Total.Actions-before, n+1)
		}
		cancel()
		x.journal.hold(-1)
		a, err := x.node.Ask(t.Context(), q, out.Position)
		if err != nil || a.Tally.Total.Actions != before+n+1 {
			t.Errorf("%d actions are visible, want %d: %v", a.Tally.Total.Actions-before, n+1, err)
		}
	}
}
