package store

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/storage/replacement"
)

// Replacement is a shard's part of a store, rebuilt beside it, in <store>.rebuild/<shard>.
// Once it is complete, the next Store.Shard replaces what the store has by it. One
// goroutine.
type Replacement struct {
	store  *Store
	dir    replacement.Dir
	replay *Store // nil: closed
}

// ErrReplaced says that a shard's replacement is complete and waits for the shard to be
// opened.
var ErrReplaced = replacement.ErrComplete

// replacement is where a shard's replacement is.
func (s *Store) replacement(shard uint16) replacement.Dir {
	fs := s.opts.FS
	return replacement.Dir{FS: fs, Path: fs.PathJoin(s.dir+".rebuild", fmt.Sprint(shard)), Shard: shard}
}

// Replace begins a replacement of a shard. Of o the replay takes memory and open files; the
// rest is the store's. A replacement that was not completed is removed; one that was is
// ErrReplaced.
func (s *Store) Replace(shard int, o Options) (*Replacement, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	r := &Replacement{store: s, dir: s.replacement(uint16(shard))}
	if err := r.dir.Begin(); err != nil {
		return nil, fmt.Errorf("storage: replacement of shard %d: %w", shard, err)
	}
	own := s.opts
	own.Cache, own.CacheBytes, own.MemTableBytes = o.Cache, o.CacheBytes, o.MemTableBytes
	own.FilterBytes, own.MaxOpenFiles = o.FilterBytes, o.MaxOpenFiles
	own.Throwaway, own.SyncWithin = true, 0
	var err error
	r.replay, err = Open(r.dir.Replay(), own)
	return r, err
}

// Shard opens the shard that the replay fills. It is closed before Complete.
func (r *Replacement) Shard() (*Shard, error) { return r.replay.Shard(int(r.dir.Shard)) }

// Complete writes what the replay has made as tables and ends it: the next opening of the
// shard takes them. Pace is called with the bytes that were read and may wait; its error
// ends the writing.
func (r *Replacement) Complete(pace func(bytes int) error) error {
	names, err := r.write(pace)
	err = errors.Join(err, r.endReplay())
	if err != nil {
		return fmt.Errorf("storage: replacement of shard %d: %w", r.dir.Shard, err)
	}
	return r.dir.Complete(names)
}

// write writes the tables, as compaction would leave them alone.
func (r *Replacement) write(pace func(bytes int) error) ([]string, error) {
	p := pebbleOptions(r.store.opts)
	p.EnsureDefaults()
	snap := r.replay.db.NewSnapshot()
	names, err := r.dir.Write(snap, p.MakeWriterOptions(len(p.Levels)-1, r.replay.db.TableFormat()), r.store.hasRoom, pace)
	return names, errors.Join(err, snap.Close())
}

// Drop gives the replacement up.
func (r *Replacement) Drop() error {
	return errors.Join(r.endReplay(), r.store.opts.FS.RemoveAll(r.dir.Path))
}

// endReplay closes and removes the replay's store.
func (r *Replacement) endReplay() error {
	if r.replay == nil {
		return nil
	}
	err := r.replay.Close()
	r.replay = nil
	return errors.Join(err, r.store.opts.FS.RemoveAll(r.dir.Replay()))
}
