package actors

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/machine"
)

// A page is applied in slices, and each may be the last before a power cut. What is stored
// with each names the epoch of the batch in which its last record lies (the rig's store looks
// at every commit): with that of the page before, the log of a leader that has moved since
// would seem to have been cut; with that of the page's last batch, a log that was cut within
// the page would seem whole up to there.
func TestShard_StoresTheEpochOfItsLastRecord(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
	member := r.register(1)
	rnd := rand.New(rand.NewPCG(1, 1))
	for round := range 3 {
		r.close()
		r.journal.page = 5 * machine.MicroBatch
		var records []domain.Record
		for i := range 4 * machine.MicroBatch {
			records = append(records, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
				Member: member, Hash: uint64(round*1_000_000 + i + 1), Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(i),
			}})
		}
		records[0].Request = domain.RequestID{1, byte(round)} // its slice is committed
		if _, err := r.journal.Append(context.Background(), 0, records); err != nil {
			t.Fatal(err)
		}
		r.open()
		r.crash(rnd)
	}
	if got := r.tally(1).Total.Actions; got != 3*4*machine.MicroBatch {
		t.Errorf("%d actions count, want %d", got, 3*4*machine.MicroBatch)
	}
}
