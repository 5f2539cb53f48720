package state

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// State is where an export is.
type State struct {
	Version int    `json:"version"`
	Of      Of     `json:"of"`
	Next    int    `json:"next_part"` // number of the next part
	Rows    int64  `json:"rows"`      // of all parts
	Since   string `json:"since"`     // the next run begins with what was recorded, or changed, at it; empty: with everything
	Probe   Params `json:"probe"`     // address of a page: the API refuses its cursor once members are merged or unmerged after the run began
	Run     *Run   `json:"run"`       // that is under way; nil: none
}

// Of is what is exported; a folder is about one.
type Of struct {
	Table    string `json:"table"`
	Account  string `json:"account"`
	Format   string `json:"format"`
	Personal bool   `json:"personal"`
	From     string `json:"from"` // actions that were completed before it are left out; empty: none
}

// Run is one run, and how far it is.
type Run struct {
	Began  string `json:"began"`  // by the clock of a node
	Probe  Params `json:"probe"`  // made before anything was read
	Whole  bool   `json:"whole"`  // it reads everything
	Window string `json:"window"` // start of the one that it is in; empty: of the first
	Page   Params `json:"page"`   // the next one there; nil: the first
}

// HasPages reports that the run has read pages that it does not read again.
func (r *Run) HasPages() bool { return r != nil && (r.Window != "" || r.Page != nil) }

// Params are those of a page's address.
type Params map[string]string

// version of what is stored.
const version = 2 // the probe has its name

// ErrOther says that a folder is about another export.
var ErrOther = errors.New("it is of another export: choose another --state")

// ErrInUse says that another process has the folder open.
var ErrInUse = errors.New("another export is running with this --state")

// Store is the folder.
type Store struct {
	State State

	db    *pebble.DB
	cache *pebble.Cache
	fresh map[uint64]uint64 // noted since the last commit
}

// What the store holds in memory.
const (
	cacheBytes    = 4 << 20
	memTableBytes = 4 << 20
)

var stateKey = []byte("s")

// Open opens a folder, which is made if it is not there.
func Open(dir string, of Of) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	s := &Store{cache: pebble.NewCache(cacheBytes), fresh: map[uint64]uint64{}}
	o := &pebble.Options{FS: vfs.Default, Cache: s.cache, MemTableSize: memTableBytes, MaxOpenFiles: 100, Logger: silent{}, FormatMajorVersion: pebble.FormatNewest}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10) // most rows are new: a look-up reads no block
	}
	var err error
	if s.db, err = pebble.Open(dir, o); err != nil {
		s.cache.Unref()
		if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) || strings.Contains(err.Error(), "lock held by current process") {
			err = ErrInUse
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err := s.load(of); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), s.Close())
	}
	return s, nil
}

// silent is a log for nothing: errors are returned.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}

// Fatalf is called where the store cannot go on.
func (silent) Fatalf(format string, _ ...any) { panic("the state cannot go on: " + format) }

func (s *Store) load(of Of) error {
	value, closer, err := s.db.Get(stateKey)
	if errors.Is(err, pebble.ErrNotFound) {
		s.State = State{Version: version, Of: of, Next: 1}
		return nil
	}
	if err != nil {
		return err
	}
	err = errors.Join(json.Unmarshal(value, &s.State), closer.Close())
	switch {
	case err != nil:
		return err
	case s.State.Version != version:
		return fmt.Errorf("it is of another version of this program (%d, not %d): choose another --state", s.State.Version, version)
	case s.State.Of != of:
		return fmt.Errorf("%w: %s", ErrOther, difference(s.State.Of, of))
	}
	return nil
}

// difference names the first thing in which two differ.
func difference(was, is Of) string {
	switch {
	case was.Table != is.Table:
		return "it exports " + was.Table
	case was.Account != is.Account:
		return "it is of account " + was.Account + ", the key is of account " + is.Account
	case was.Format != is.Format:
		return "its format is " + was.Format
	case was.From != is.From:
		return "its --since is " + was.From
	case was.Personal:
		return "it is with --personal"
	}
	return "it is without --personal"
}

// Exported reports that this version of a row was exported, or is noted.
func (s *Store) Exported(id, rowVersion uint64) (bool, error) {
	if noted, ok := s.fresh[id]; ok {
		return noted == rowVersion, nil
	}
	value, closer, err := s.db.Get(rowKey(id))
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	was := uint64(0)
	if len(value) == 8 {
		was = binary.BigEndian.Uint64(value)
	}
	return was == rowVersion, closer.Close()
}

// Note notes a row of the part that is written.
func (s *Store) Note(id, rowVersion uint64) { s.fresh[id] = rowVersion }

// Noted is how many rows are noted.
func (s *Store) Noted() int { return len(s.fresh) }

// Commit keeps what was noted, and the state.
func (s *Store) Commit() error {
	text, err := json.Marshal(&s.State)
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for id, rowVersion := range s.fresh {
		var value []byte
		if rowVersion != 0 {
			value = binary.BigEndian.AppendUint64(nil, rowVersion)
		}
		if err := b.Set(rowKey(id), value, nil); err != nil {
			return err
		}
	}
	if err := b.Set(stateKey, text, nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	clear(s.fresh)
	return nil
}

// Close ends it; what was not committed is lost.
func (s *Store) Close() error {
	err := s.db.Close()
	s.cache.Unref()
	return err
}

func rowKey(id uint64) []byte { return binary.BigEndian.AppendUint64([]byte{'r'}, id) }

// Moment is a time as a state has it.
func Moment(t time.Time) string { return t.UTC().Format(time.DateTime) }
