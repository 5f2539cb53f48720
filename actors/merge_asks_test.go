package actors

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A wait for a position follows what members send on merge by merge: as deep as those of its account are merged,
// and no deeper once the merges are taken back. A chain of one account costs no other account a message.
func TestMerge_WaitsFollowTheMergesOfTheirAccount(t *testing.T) {
	const shards = 8
	x := &powers{harness: furnished(t, shards, 1, Options{})}
	for i := range domain.DeepestMerge + 1 {
		x.ids = append(x.ids, x.register(i))
	}
	merge := func(i int) {
		x.submit(domain.Submission{Account: 1, Slot: x.ids[i+1].Slot(), Command: &domain.MergeMembers{Member: x.ids[i+1], From: x.ids[i]}})
	}
	unmerge := func(i int) {
		x.submit(domain.Submission{Account: 1, Slot: x.ids[i+1].Slot(), Command: &domain.UnmergeMember{Member: x.ids[i+1], From: x.ids[i]}})
	}
	asks := func(account domain.AccountID) int64 {
		at := domain.Position{Journal: x.journal.id}
		x.settled()
		for s := range shards {
			at.Shards = append(at.Shards, domain.ShardOffset{Shard: s, Next: x.end(s)})
		}
		before := x.node.asked.Load()
		x.must(x.node.Await(domain.ForAccount(t.Context(), account), at))
		return x.node.asked.Load() - before
	}
	for i := range x.ids[1:] { // each shard has sent to others, as traffic has it
		merge(i)
		x.settled()
		unmerge(i)
	}
	alone, other := asks(1), asks(2)
	if alone > shards+shards*shards || other != alone {
		t.Errorf("%d and %d messages without merges", alone, other)
	}
	for i := range x.ids[1:] {
		merge(i)
	}
	chain, other := asks(1), asks(2)
	t.Logf("%d messages without merges, %d over a chain of %d, %d of another account", alone, chain, domain.DeepestMerge, other)
	if chain <= alone || chain > shards+(domain.DeepestMerge+1)*shards*shards {
		t.Errorf("%d messages over a chain of %d, %d without", chain, domain.DeepestMerge, alone)
	}
	if maxAsks := int64(shards + shards*shards); other > maxAsks {
		t.Errorf("another account's wait sends %d messages, %d are the most without merges", other, maxAsks)
	}
	for i := len(x.ids) - 2; i >= 0; i-- {
		unmerge(i)
	}
	if after := asks(1); after > shards+shards*shards {
		t.Errorf("%d messages once all is taken back", after)
	}
}
