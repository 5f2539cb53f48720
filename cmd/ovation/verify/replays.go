package verify

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Bounds of one replay. The heap's parts are less where the memory of a run is less.
const (
	filterBytes  = 4 << 20 // of each shadow store
	columnBytes  = 2 << 20 // of each shadow: nothing asks a replay
	tailBytes    = 8 << 20 // of each store; as much for its content filters
	awakeBytes   = 6 << 20 // of each shadow
	maxOpenFiles = 200     // of each store

	compareRate = 64 << 20 // bytes read a second in comparisons, when a rate is given
)

// replays is what the replays of a run share.
type replays struct {
	ctx     context.Context
	node    *actors.Node
	adapt   func(*store.Shard) shard.Store
	records *pacer
	bytes   *pacer
	cache   *store.Cache // of all shadow stores
	buffer  int          // a write buffer of one
	heap    int          // what one may take of the heap for a purpose, at most
}

// buffersOfCache is how many write buffers the cache of the shadow stores is worth: they are
// taken out of it, and what is left has to hold what a replay looks up.
const buffersOfCache = 4

func newReplays(ctx context.Context, c Config, rate, atOnce int) *replays {
	w := &replays{
		ctx: ctx, node: c.Node, adapt: c.Adapt, records: &pacer{rate: rate}, bytes: &pacer{},
		cache:  store.NewCache(c.Memory, maxOpenFiles*atOnce),
		buffer: max(tuning.MiB, int(c.Memory)/buffersOfCache/atOnce),
		heap:   max(tuning.MiB, int(c.Memory)/4/atOnce),
	}
	if rate > 0 {
		w.bytes.rate = compareRate
	}
	return w
}

// pace lets comparisons read so many bytes a second, if a rate is given, and ends them with
// the run.
func (w *replays) pace(bytes int) error { return w.bytes.wait(w.ctx, bytes) }

// options are those of a replacement's store.
func (w *replays) options() store.Options {
	return store.Options{
		Cache: w.cache, MemTableBytes: w.buffer, FilterBytes: min(filterBytes, w.heap), MaxOpenFiles: maxOpenFiles,
	}
}

// shadowOptions are those of a shadow store, which is removed after the comparison.
func (w *replays) shadowOptions() store.Options {
	o := w.options()
	tail := min(tailBytes, w.heap)
	o.TailBytes = tail
	o.SealRows = tail / tuning.TailRowBytes
	o.ContentFilterBytes = tail
	o.Throwaway = true
	return o
}

// shadow begins a replay into the store that open gives.
func (w *replays) shadow(id int, open func() (*store.Shard, error)) (*replay.Shadow, error) {
	return w.node.Replay(w.ctx, id, replay.Options{
		Pace: w.records.wait, ResidentBytes: columnBytes, MemberBytes: min(awakeBytes, w.heap),
		Open: func() (shard.Store, error) {
			s, err := open()
			if err != nil {
				return nil, err
			}
			return w.adapt(s), nil
		},
	})
}

// A replay follows the live shard until it is within lagRecords of it, at most catchUpRounds
// times. What is kept at the live shard's position, such as a snapshot, is so for the rest of
// the replay only.
const (
	lagRecords    = 20_000
	catchUpRounds = 20
)

// catchUp replays until the shadow is close to the live shard's position.
func (w *replays) catchUp(shadow *replay.Shadow, live func() (int64, error)) error {
	for range catchUpRounds {
		at, err := live()
		if err != nil {
			return err
		}
		if err := shadow.To(w.ctx, at); err != nil {
			return err
		}
		now, err := live()
		if err != nil || now-at < lagRecords {
			return err
		}
	}
	return nil
}

// reportEvery is how often a run's progress is noted.
const reportEvery = 200 * time.Millisecond

// reporting calls report now and then until stop, which calls it once more.
func reporting(report func()) (stop func()) {
	end := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				report()
			case <-end:
				report()
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
