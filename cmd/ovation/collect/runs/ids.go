package runs

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// IDs are the ids of a run's actions, on disk. It belongs to one goroutine.
//
//	key    i, SHA-256 of member and id, its first 16 bytes   value  line and number within the row, as uvarints
//	       m, SHA-256 of what a feed shows, likewise                 empty: of an action whose marker the mapping gave
type IDs struct {
	db    *pebble.DB
	cache *pebble.Cache
	dir   string
	batch *pebble.Batch
	fresh map[[17]byte]place // of the batch
}

// place is where an id was met.
type place struct {
	line int64
	of   uint64
}

// IDs opens those of a run.
func (f *Folder) IDs(id string) (*IDs, error) { return openIDs(f.idsOf(id)) }

func (f *Folder) idsOf(id string) string { return filepath.Join(f.dir, id+".ids") }

// HasIDs reports that those of a run are there.
func (f *Folder) HasIDs(id string) bool {
	_, err := os.Stat(f.idsOf(id))
	return err == nil
}

// Forget removes the ids of a run.
func (f *Folder) Forget(id string) error { return os.RemoveAll(f.idsOf(id)) }

// TemporaryIDs are those of a dry run. Discard ends them.
func TemporaryIDs() (*IDs, error) {
	dir, err := os.MkdirTemp("", "ovation-collect-")
	if err != nil {
		return nil, err
	}
	ids, err := openIDs(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return ids, nil
}

// What the store holds in memory: a run may have any number of ids.
const (
	cacheBytes    = 4 << 20
	memTableBytes = 2 << 20
)

func openIDs(dir string) (*IDs, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	ids := &IDs{dir: dir, cache: pebble.NewCache(cacheBytes), fresh: map[[17]byte]place{}}
	o := &pebble.Options{FS: vfs.Default, Cache: ids.cache, MemTableSize: memTableBytes, MaxOpenFiles: 100, Logger: silent{}, FormatMajorVersion: pebble.FormatNewest}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10) // most ids are new: a look-up reads no block
	}
	var err error
	if ids.db, err = pebble.Open(dir, o); err != nil {
		ids.cache.Unref()
		return nil, err
	}
	ids.batch = ids.db.NewBatch()
	return ids, nil
}

// silent is a log for nothing: errors are returned.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}

// Fatalf is called where the store cannot go on.
func (silent) Fatalf(format string, _ ...any) { panic("the store of ids cannot go on: " + format) }

// Met notes an action of a member with an id, and reports that an earlier one of the run has them. An action that is
// noted again, as after a crash, is no repeat of itself.
func (s *IDs) Met(member, id string, line int64, of uint64) (repeat bool, err error) {
	key := keyOf('i', member, id)
	first, met := s.fresh[key]
	if !met {
		if first, met, err = s.get(key); err != nil {
			return false, err
		}
	}
	if met {
		return first != place{line, of}, nil
	}
	s.fresh[key] = place{line, of}
	return false, s.batch.Set(key[:], binary.AppendUvarint(binary.AppendUvarint(nil, uint64(line)), of), nil)
}

func (s *IDs) get(key [17]byte) (p place, met bool, err error) {
	value, closer, err := s.db.Get(key[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return p, false, nil
	}
	if err != nil {
		return p, false, err
	}
	line, n := binary.Uvarint(value)
	of, _ := binary.Uvarint(value[max(n, 0):])
	return place{int64(line), of}, true, closer.Close()
}

// Shown is what a feed shows of an action, by which it is found where the mapping gives markers.
type Shown struct {
	Marker   string
	Time     domain.Second
	Activity uint32
	Brand    uint32
}

func (w *Shown) key() [17]byte {
	var b [12]byte
	binary.BigEndian.PutUint32(b[:], uint32(w.Time))
	binary.BigEndian.PutUint32(b[4:], w.Activity)
	binary.BigEndian.PutUint32(b[8:], w.Brand)
	return keyOf('m', string(b[:]), w.Marker)
}

// Note notes an action whose marker the mapping gave.
func (s *IDs) Note(w Shown) error {
	key := w.key()
	return s.batch.Set(key[:], nil, nil)
}

// Noted reports that an action was noted.
func (s *IDs) Noted(w Shown) (bool, error) {
	_, met, err := s.get(w.key())
	return met, err
}

// Keep writes what was noted since the last call; it outlives the process.
func (s *IDs) Keep() error {
	err := s.batch.Commit(pebble.NoSync)
	s.batch.Reset()
	clear(s.fresh)
	return err
}

// Sync makes what was kept outlive a power cut.
func (s *IDs) Sync() error { return s.db.LogData(nil, pebble.Sync) }

// Close ends it; what was not kept is lost.
func (s *IDs) Close() error {
	err := errors.Join(s.batch.Close(), s.db.Close())
	s.cache.Unref()
	return err
}

// Discard closes it and removes its files.
func (s *IDs) Discard() error {
	err := errors.Join(s.Close(), os.RemoveAll(s.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func keyOf(kind byte, parts ...string) (key [17]byte) {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	key[0] = kind
	var sum [sha256.Size]byte
	copy(key[1:], h.Sum(sum[:0]))
	return key
}
