package verify

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/store"
)

// replayProgress notes the offset up to which a shard is replayed or compared.
type replayProgress func(at int64, replaying bool)

// verify fills in what comes out of one shard, unless there is an error.
func (v *Verifier) verify(w *replays, s *VerifiedShard, stored bool, progress replayProgress) error {
	s.SetAside = v.cfg.Node.SetAside(s.Shard)
	if stored {
		return v.compareWithItself(w, s, Consistent)
	}
	err := v.compareWithReplay(w, s, progress)
	var stopped *replay.Error
	switch {
	case errors.As(err, &stopped) && stopped.Gap != nil:
		s.Why = notReplayed(stopped.Why)
	case errors.Is(err, errCut):
		s.Why = notReplayed(err.Error())
	default:
		return err
	}
	return v.compareWithItself(w, s, NotReplayed)
}

// errCut is why a replay differs and must: the shard has applied what its log lost.
var errCut = errors.New("it was cut, or is another topic, and the operator accepted that: " +
	"the shard has applied what it held before")

// notReplayed is why there is no replay of a shard.
func notReplayed(why string) string {
	return "the journal cannot be replayed from its start (" + why + "); what is stored was compared with itself only"
}

// compareWithItself looks for what is stored and contradicts itself.
func (v *Verifier) compareWithItself(w *replays, s *VerifiedShard, state string) error {
	a, err := v.cfg.Store.Audit(s.Shard, w.pace)
	if err != nil {
		return err
	}
	defer a.Close()
	f, err := a.Consistent()
	if err != nil {
		return err
	}
	s.at(a)
	s.found(f, state)
	return nil
}

// compareWithReplay replays the journal into a shadow store and compares.
func (v *Verifier) compareWithReplay(w *replays, s *VerifiedShard, progress replayProgress) (err error) {
	dir := filepath.Join(v.dir, fmt.Sprint(s.Shard))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	shadow, err := store.Open(dir, w.shadowOptions())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shadow.Close()) }()
	live, err := v.replay(w, s.Shard, shadow, progress)
	if err != nil {
		return err
	}
	defer live.Close()
	stop := reporting(func() { progress(live.State().Next, false) })
	defer stop()
	replay, err := shadow.Audit(s.Shard, w.pace)
	if err != nil {
		return err
	}
	defer replay.Close()
	return v.compare(s, live, replay)
}

// compare fills in how the live shard differs from the replay and contradicts itself.
func (v *Verifier) compare(s *VerifiedShard, live, replay *audit.Audit) error {
	found, err := audit.Compare(live, replay)
	if err != nil {
		return err
	}
	itself, err := live.Consistent()
	if err != nil {
		return err
	}
	from, to, apart, err := audit.Stretch(live, replay)
	if err != nil {
		return err
	}
	if found.Total > 0 && v.cfg.Node.LedBack(s.Shard) {
		return errCut
	}
	s.at(live)
	hash := replay.State().Facts
	s.Replay = hex.EncodeToString(hash[:])
	if apart {
		s.Stretch = &Stretch{from, to}
	}
	s.found(merged(found, itself), Equal)
	return nil
}

// replay brings a shadow to the live shard's position, and gives the live one there.
func (v *Verifier) replay(
	w *replays, shard int, into *store.Store, progress replayProgress,
) (*audit.Audit, error) {
	shadow, err := w.shadow(shard, func() (*store.Shard, error) { return into.Shard(shard) })
	if err != nil {
		return nil, err
	}
	defer shadow.Stop()
	stop := reporting(func() { progress(shadow.Applied(), true) })
	defer stop()
	if err := w.catchUp(shadow, func() (int64, error) { return v.cfg.Node.Applied(shard) }); err != nil {
		return nil, err
	}
	live, err := v.cfg.Store.Audit(shard, w.pace)
	if err != nil {
		return nil, err
	}
	if err := shadow.To(w.ctx, live.State().Next); err != nil {
		return nil, errors.Join(err, live.Close())
	}
	return live, nil
}

// merged adds what a store contradicts of itself in families in which the comparison found
// nothing.
func merged(found, itself *audit.Findings) *audit.Findings {
	all := &audit.Findings{First: slices.Clone(found.First), Total: found.Total}
	for _, d := range itself.First {
		if !slices.ContainsFunc(found.First, func(f audit.Difference) bool { return f.Family == d.Family }) {
			all.First = append(all.First, d)
			all.Total++
		}
	}
	return all
}
