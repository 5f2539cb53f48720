package merge

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Handovers are counted for each shard, in the order of shards. A view keeps the counts of its commit.
func TestHandovers_Counted(t *testing.T) {
	x := &tx.Tx{State: &tx.State{Shards: testShards}}
	of := func(shard int) domain.MemberID { return domain.MemberIDOf(1, slot(shard)) }
	for _, shard := range []int{2, 0, 2} {
		countSent(x, of(shard))
	}
	first := []domain.Handover{{Shard: 0, Sent: 1}, {Shard: 2, Sent: 2}}
	view := x.State.Shard.Handovers
	if !slices.Equal(view, first) {
		t.Errorf("sent %v, want %v", view, first)
	}
	countReceived(x, of(2))
	countReceived(x, of(1))
	want := []domain.Handover{{Shard: 0, Sent: 1}, {Shard: 1, Received: 1}, {Shard: 2, Sent: 2, Received: 1}}
	if got := x.State.Shard.Handovers; !slices.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	if !slices.Equal(view, first) {
		t.Errorf("the view has %v since, want %v", view, first)
	}
}
