package main

import (
	"testing"

	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// The progress of a rebuild has its rate, and how long all shards that are left take at that rate.
func TestRebuild_Progress(t *testing.T) {
	for _, c := range []struct {
		run  verify.Rebuild
		want string
	}{
		{verify.Rebuild{State: verify.Running}, "0 of 0 shards are done, running"},
		{
			verify.Rebuild{State: verify.Running, Seconds: 1, Shards: []verify.RebuiltShard{{Shard: 3, State: verify.Replaying, Records: 900}}},
			"0 of 1 shards are done, shard 3: 0 of about 900 records replayed",
		},
		{
			verify.Rebuild{State: verify.Running, Seconds: 20, Shards: []verify.RebuiltShard{
				{Shard: 1, State: verify.Rebuilt, Records: 1000, Replayed: 1000},
				{Shard: 2, State: verify.Replaying, Records: 2000, Replayed: 1000},
				{Shard: 3, State: verify.Waiting, Records: 3000},
			}},
			"1 of 3 shards are done, shard 2: 1000 of about 2000 records replayed, 100 a second, about 40s left",
		},
		{
			verify.Rebuild{State: verify.Running, Seconds: 10, Shards: []verify.RebuiltShard{{Shard: 2, State: verify.Replacing, Records: 90, Replayed: 100}}},
			"0 of 1 shards are done, shard 2: replacing, 10 a second",
		},
	} {
		if got := rebuildProgress(&c.run); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
