package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/storage"
)

// A replay goes on until it is near the live shard, then both are looked at where the
// live one stands: a snapshot is kept for the rest of the replay and the comparison only.
const (
	verifyNear   = 20_000 // records behind the live shard
	verifyRounds = 20     // after so many a snapshot is taken all the same

	verifyFilters = 4 << 20  // of each shadow store
	verifyColumns = 2 << 20  // of each: nothing asks a replay
	verifyTails   = 8 << 20  // of each, with what the gists take
	verifyAwake   = 6 << 20  // of each
	verifyBytes   = 64 << 20 // read a second in comparisons, when a rate is given
)

// verifyWork is what the shards of a run have in common.
type verifyWork struct {
	ctx     context.Context
	o       verifyOrder
	records *pacer
	bytes   *pacer
	cache   *storage.Cache // of all shadow stores
	buffer  int            // a write buffer of one
	heap    int            // what one may take of the heap for a purpose, at most
}

// verifyBuffers is how many write buffers the cache of the shadow stores is worth: they are
// taken out of it, and what is left has to hold what a replay looks up.
const verifyBuffers = 4

func newVerifyWork(ctx context.Context, o verifyOrder, side int, memory int64) *verifyWork {
	w := &verifyWork{
		ctx: ctx, o: o, records: &pacer{most: o.Rate}, bytes: &pacer{},
		cache: storage.NewCache(memory, 200*side), buffer: max(1*tuning.MiB, int(memory)/verifyBuffers/side),
		heap: max(1*tuning.MiB, int(memory)/4/side),
	}
	if o.Rate > 0 {
		w.bytes.most = verifyBytes
	}
	return w
}

// pace lets comparisons read so many bytes a second, if a rate is given, and ends them with
// the run.
func (w *verifyWork) pace(bytes int) error { return w.bytes.wait(w.ctx, bytes) }

// verify fills in what comes out of one shard. An error says that it cannot be told.
func (v *verifier) verify(w *verifyWork, s *verifyShard, progress func(at int64, replaying bool)) (err error) {
	if w.o.Stored {
		return v.alone(s, verifyConsistent, w.pace)
	}
	err = v.compare(w, s, progress)
	var stopped *actors.ReplayError
	switch {
	case errors.As(err, &stopped) && stopped.Gap != nil:
		s.Why = notReplayed(stopped.Why)
	case errors.Is(err, errCut):
		s.Why = notReplayed(err.Error())
	default:
		return err
	}
	return v.alone(s, verifyNotReplayed, w.pace)
}

// errCut says why a replay differs that should: the shard has applied what its log lost.
var errCut = errors.New("it was cut, or is another topic, and the operator accepted that: the shard has applied what it held before")

// alone compares what is stored with itself.
func (v *verifier) alone(s *verifyShard, state string, pace func(int) error) error {
	a, err := v.store.Audit(s.Shard, pace)
	if err != nil {
		return err
	}
	defer a.Close()
	f, err := a.Consistent()
	if err != nil {
		return err
	}
	s.state(a)
	s.found(f, state)
	return nil
}

// compare replays the journal and compares.
func (v *verifier) compare(w *verifyWork, s *verifyShard, progress func(at int64, replaying bool)) (err error) {
	dir := filepath.Join(v.dir, fmt.Sprint(s.Shard))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	shadow, err := storage.Open(dir, storage.Options{
		Cache: w.cache, MemTableBytes: w.buffer, FilterBytes: min(verifyFilters, w.heap), MaxOpenFiles: 200, Throwaway: true,
		TailBytes: min(verifyTails, w.heap), SealRows: min(verifyTails, w.heap) / tuning.TailRowBytes, GistBytes: min(verifyTails, w.heap),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shadow.Close()) }()
	live, err := v.replay(w, s, shadow, progress)
	if err != nil {
		return err
	}
	defer live.Close()
	watched := watch(func() { progress(live.State().Next, false) })
	defer watched.stop()
	replay, err := shadow.Audit(s.Shard, w.pace)
	if err != nil {
		return err
	}
	defer replay.Close()
	found, err := storage.Compare(live, replay)
	if err != nil {
		return err
	}
	itself, err := live.Consistent()
	if err != nil {
		return err
	}
	from, to, apart, err := storage.Stretch(live, replay)
	if err != nil {
		return err
	}
	if found.Total > 0 && v.node.LedBack(s.Shard) {
		return errCut
	}
	s.state(live)
	sum := replay.State().Facts
	s.Replay = hex.EncodeToString(sum[:])
	if apart {
		s.Stretch = &verifyStretch{from, to}
	}
	s.found(together(found, itself), verifyEqual)
	return nil
}

// replay brings a shadow to where the live shard stands, and gives the live one there.
func (v *verifier) replay(w *verifyWork, s *verifyShard, store *storage.Store, progress func(at int64, replaying bool)) (*storage.Audit, error) {
	ctx := w.ctx
	shadow, err := v.node.Shadow(ctx, s.Shard, actors.ShadowOptions{Pace: w.records.wait, ResidentBytes: verifyColumns, AwakeBytes: min(verifyAwake, w.heap), Open: func() (actors.ShardStore, error) {
		sh, err := store.Shard(s.Shard)
		if err != nil {
			return nil, err
		}
		return shardStore{sh}, nil
	}})
	if err != nil {
		return nil, err
	}
	defer shadow.Stop()
	watched := watch(func() { progress(shadow.Applied(), true) })
	defer watched.stop()
	if err := nearLive(ctx, shadow, func() (int64, error) { return v.node.Applied(s.Shard) }); err != nil {
		return nil, err
	}
	live, err := v.store.Audit(s.Shard, w.pace)
	if err != nil {
		return nil, err
	}
	if err := shadow.To(ctx, live.State().Next); err != nil {
		return nil, errors.Join(err, live.Close())
	}
	return live, nil
}

// nearLive brings a shadow near to where the live shard is.
func nearLive(ctx context.Context, shadow *actors.Shadow, live func() (int64, error)) error {
	for range verifyRounds {
		at, err := live()
		if err != nil {
			return err
		}
		if err := shadow.To(ctx, at); err != nil {
			return err
		}
		if now, err := live(); err != nil || now-at < verifyNear {
			return err
		}
	}
	return nil
}

// watching calls a function now and then, until it is stopped: it is not called after that.
type watching struct {
	end  chan struct{}
	over chan struct{}
}

func watch(tell func()) watching {
	w := watching{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(w.over)
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				tell()
			case <-w.end:
				tell()
				return
			}
		}
	}()
	return w
}

func (w watching) stop() {
	close(w.end)
	<-w.over
}

// together adds what a store contradicts of itself in families in which the comparison
// found nothing.
func together(found, itself *storage.Findings) *storage.Findings {
	all := &storage.Findings{First: slices.Clone(found.First), Total: found.Total}
	for _, d := range itself.First {
		if !slices.ContainsFunc(found.First, func(f storage.Difference) bool { return f.Family == d.Family }) {
			all.First, all.Total = append(all.First, d), all.Total+1
		}
	}
	return all
}

// state notes where the shard was looked at.
func (s *verifyShard) state(a *storage.Audit) {
	state := a.State()
	s.Position, s.Facts = state.Next, hex.EncodeToString(state.Facts[:])
	s.Replayed = s.Position
}

// found notes differences; without any the shard's state is fine.
func (s *verifyShard) found(f *storage.Findings, fine string) {
	if s.State, s.Differences = fine, f.Total; f.Total > 0 {
		s.State = verifyDifferent
	}
	for _, d := range f.First {
		s.First = append(s.First, verifyDifference(d))
	}
}
