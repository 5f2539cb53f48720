package tuning

import (
	"runtime"
	"testing"
)

// Every part follows --memory, and the tails of all shards keep to what is set aside.
func TestDivide_PartsScale(t *testing.T) {
	parts := func(b Budget) []int64 {
		return []int64{
			b.Store.Cache, b.Store.Buffer, b.Store.filters, b.Store.contentFilters, b.Store.tails,
			b.Log.Cache, b.Log.Buffer, int64(b.Log.Request), int64(b.Log.Connection),
			b.Shards.Members, b.Shards.Columns, b.Shards.Pages, b.Shards.identities,
			b.API.Cached, b.API.InFlight, b.API.Hashes, b.Replay,
		}
	}
	small, large := Divide(256*MiB), Divide(1024*MiB)
	for i, n := range parts(small) {
		if m := parts(large)[i]; n <= 0 || m < n*3/2 {
			t.Errorf("part %d is %d of 256 MiB, %d of 1 GiB", i, n, m)
		}
	}
	for _, shards := range []int{1, 8, 64} {
		for _, b := range []StoreBudget{small.Store, large.Store} {
			if n := int64(shards * b.TailBytes(shards)); shards <= 8 && n > b.tails {
				t.Errorf("%d shards have tails of %d bytes, %d are set aside", shards, n, b.tails)
			}
		}
	}
	if small.Replays() != 1 || large.Replays() != runtime.GOMAXPROCS(0) {
		t.Errorf("%d and %d shards are verified side by side", small.Replays(), large.Replays())
	}
	if n := small.Workers(); n < 1 || n > 2 {
		t.Errorf("%d questions are scanned at once in 256 MiB", n)
	}
}
