package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/storage"
)

// A replay goes on until it is near the live shard, then both are looked at where the
// live one stands: a snapshot is kept for the rest of the replay and the comparison only.
const (
	verifyNear   = 20_000 // records behind the live shard
	verifyRounds = 20     // after so many a snapshot is taken all the same

	verifyCache    = 16 << 20 // of the shadow store
	verifyMemTable = 16 << 20
	verifyBytes    = 64 << 20 // read a second in a comparison, when a rate is given
)

// verify fills in what comes out of one shard. An error says that it cannot be told.
func (v *verifier) verify(ctx context.Context, s *verifyShard, o verifyOrder, progress func(at int64)) (err error) {
	pace := paceOf(ctx, o.Rate)
	if o.Stored {
		return v.alone(s, verifyConsistent, pace)
	}
	err = v.compare(ctx, s, o, progress, pace)
	var stopped *actors.ReplayError
	switch {
	case errors.As(err, &stopped) && stopped.Gap:
		s.Why = notReplayed(stopped.Why)
	case errors.Is(err, errCut):
		s.Why = notReplayed(err.Error())
	default:
		return err
	}
	return v.alone(s, verifyNotReplayed, pace)
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
func (v *verifier) compare(ctx context.Context, s *verifyShard, o verifyOrder, progress func(at int64), pace func(int) error) (err error) {
	dir := filepath.Join(v.dir, fmt.Sprint(s.Shard))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(v.dir)) }()
	shadow, err := storage.Open(dir, storage.Options{
		CacheBytes: verifyCache, MemTableBytes: verifyMemTable, FilterBytes: 4 << 20, MaxOpenFiles: 200, Throwaway: true,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shadow.Close()) }()
	live, err := v.replay(ctx, s, o, shadow, progress, pace)
	if err != nil {
		return err
	}
	defer live.Close()
	replay, err := shadow.Audit(s.Shard, pace)
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
func (v *verifier) replay(ctx context.Context, s *verifyShard, o verifyOrder, store *storage.Store, progress func(at int64), pace func(int) error) (*storage.Audit, error) {
	shadow, err := v.node.Shadow(ctx, s.Shard, actors.ShadowOptions{Rate: o.Rate, Open: func() (actors.ShardStore, error) {
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
	watched, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup // progress is the run's: not told when the replay is over
	defer watching.Wait()
	defer stop()
	watching.Go(func() {
		for tick := time.NewTicker(200 * time.Millisecond); ; {
			select {
			case <-tick.C:
				progress(shadow.Applied())
			case <-watched.Done():
				tick.Stop()
				return
			}
		}
	})
	for range verifyRounds {
		applied, err := v.node.Applied(s.Shard)
		if err != nil {
			return nil, err
		}
		if err := shadow.To(ctx, applied); err != nil {
			return nil, err
		}
		if now, err := v.node.Applied(s.Shard); err != nil || now-applied < verifyNear {
			break
		}
	}
	live, err := v.store.Audit(s.Shard, pace)
	if err != nil {
		return nil, err
	}
	if err := shadow.To(ctx, live.State().Next); err != nil {
		return nil, errors.Join(err, live.Close())
	}
	return live, nil
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

// paceOf lets a comparison read so many bytes a second, if a rate is given, and ends it
// with ctx.
func paceOf(ctx context.Context, rate int) func(bytes int) error {
	due := time.Now()
	return func(bytes int) error {
		if rate == 0 {
			return ctx.Err()
		}
		now := time.Now()
		if due.Before(now) {
			due = now
		}
		due = due.Add(time.Duration(bytes) * time.Second / verifyBytes)
		if wait := due.Sub(now); wait > 5*time.Millisecond {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		return ctx.Err()
	}
}
