package log

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

const maxOffset = math.MaxInt64

// Options of a log. The zero value is right for production.
type Options struct {
	FS  vfs.FS           // nil: the disk
	Now func() time.Time // nil: time.Now
	// Since is the time since the opening by a clock that cannot be set; nil: the machine's.
	Since func() time.Duration
	// TrustClock takes the clock for right though the last record is more than an hour ahead
	// of it, or more than 90 days behind.
	TrustClock bool
	MinFree    uint64 // appends are refused below so many bytes free; 0: 256 MiB

	CacheBytes    int64                  // of the cache of blocks; 0: 16 MiB
	MemTableBytes int64                  // of one write buffer; 0: 32 MiB
	FreeSpace     func() (uint64, error) // bytes free for the log; nil: asks the FS
	Logger        *slog.Logger           // nil: slog.Default
	// SyncEvery is the least time between two fsyncs: appends that come in it share the
	// next one. The first after a while is not held back. 0: none is.
	SyncEvery time.Duration
}

// Log is an open log. It is closed by Close, also after an error.
type Log struct {
	Topics *Topics // the directory of topics, and their partitions
	Groups *Groups // offsets that consumer groups committed

	shared
	cluster string
	ids     producerIDs
}

// shared is what topics, partitions and groups of a log have in common.
type shared struct {
	*store
	now    func() time.Time
	space  headroom
	clock  clock
	unpack unpacker
	counts counts
	epoch  int32
}

// Open opens the log in a directory, or makes one. No other process can have it
// open; a log of another format version is refused.
func Open(dir string, o Options) (*Log, error) {
	o.defaults(dir)
	db, err := pebblefs.Open(dir, pebblefs.Options{
		FS: o.FS, Logger: o.Logger, Name: "log", Corrupt: "log: a file is corrupt", Own: errDamaged,
		Restore: "put it back, or the whole directory from a copy: what is in the log is nowhere else", CheckBlocks: true,
	}, o.pebble())
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	l := &Log{shared: shared{
		store: &store{db: db}, now: o.Now, unpack: newUnpacker(runtime.GOMAXPROCS(0)),
		space: headroom{
			free: o.FreeSpace, minFree: o.MinFree,
			refusal: refusal{dir: dir, logger: o.Logger, level: slog.LevelWarn},
		},
		clock: clock{now: o.Now, since: o.Since, refusal: refusal{dir: dir, logger: o.Logger, level: slog.LevelError}},
	}}
	l.ids.store = l.store
	l.Topics = newTopics(&l.shared)
	l.Groups = &Groups{shared: &l.shared, topics: l.Topics}
	if err := l.load(o.TrustClock); err != nil {
		return nil, fmt.Errorf("log %s: %w", dir, errors.Join(err, l.Close()))
	}
	return l, nil
}

func (o *Options) defaults(dir string) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Since == nil {
		o.Since = elapsed()
	}
	o.MinFree = cmp.Or(o.MinFree, 256<<20)
	o.CacheBytes = cmp.Or(o.CacheBytes, 16<<20)
	o.MemTableBytes = cmp.Or(o.MemTableBytes, 32<<20)
	if o.FreeSpace == nil {
		o.FreeSpace = pebblefs.NewSpace(o.FS, dir).Free
	}
	o.Logger = cmp.Or(o.Logger, slog.Default())
}

// pebble are the store's options. Blocks are large and read in order soon after they were
// written, mostly from the memtable, so the cache is small, and few files are kept open.
func (o *Options) pebble() *pebble.Options {
	p := pebblefs.Defaults() // with filters: only the table that has a key is read for it (see around)
	p.CacheSize = o.CacheBytes
	p.MemTableSize = uint64(o.MemTableBytes)
	p.L0StopWritesThreshold = 24
	p.LBaseMaxBytes = 256 << 20
	p.TargetFileSizes = [7]int64{16 << 20} // each level's twice as much
	p.MaxOpenFiles = 64
	every := o.SyncEvery
	p.WALMinSyncInterval = func() time.Duration { return every }
	// Publishers have compressed what is worth it: batches are stored as they came.
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	return p
}

// load reads what the log needs in memory, and begins a new epoch.
func (l *Log) load(trustClock bool) (err error) {
	if err := l.checkFormat(); err != nil {
		return err
	}
	if l.cluster, err = l.loadCluster(); err != nil {
		return err
	}
	if l.epoch, err = l.nextEpoch(l.now()); err != nil {
		return err
	}
	if err := l.ids.load(); err != nil {
		return err
	}
	if err := l.Topics.load(); err != nil {
		return err
	}
	l.clock.begin(l.Topics.newestStamp(), trustClock)
	return nil
}

// Cluster is the installation's id: 22 characters, made with the log.
func (l *Log) Cluster() string { return l.cluster }

// Epoch is the leader epoch of this opening.
func (l *Log) Epoch() int32 { return l.epoch }

// Err is why the store stopped; nil while it works.
func (l *Log) Err() error { return l.err() }

// Close closes the store. One that has stopped is left as it is, and the reason returned.
func (l *Log) Close() error { return l.close() }

// NewProducerID is an id that no producer had before.
func (l *Log) NewProducerID() (int64, error) { return l.ids.take() }

// producerIDs hands out producer ids, which it reserves in the store many at once.
type producerIDs struct {
	store *store

	mu         sync.Mutex
	next, upTo int64 // first id not handed out, first not reserved in the store
}

// idsReserved is how many ids are taken from the store at once.
const idsReserved = 1000

func (ids *producerIDs) load() error {
	v, found, err := ids.store.get([]byte{keyProducers})
	if err != nil || !found {
		return err
	}
	ids.next, err = decodeNumber(v)
	ids.upTo = ids.next
	return err
}

func (ids *producerIDs) take() (int64, error) {
	if err := ids.store.enter(); err != nil {
		return -1, err
	}
	defer ids.store.leave()
	ids.mu.Lock()
	defer ids.mu.Unlock()
	if ids.next == ids.upTo {
		if err := ids.store.set([]byte{keyProducers}, encodeNumber(ids.upTo+idsReserved)); err != nil {
			return -1, err
		}
		ids.upTo += idsReserved
	}
	ids.next++
	return ids.next - 1, nil
}

// Reclaim has the files give up the records that were deleted since the call before: compaction alone
// leaves them for as long as nothing else is written beside them. It rewrites the tables that have
// them, and may be called at any time by one goroutine.
func (l *Log) Reclaim(ctx context.Context) error {
	for _, t := range l.Topics.All() {
		for i := range t.Partitions {
			p, err := l.Topics.Partition(t.ID, int32(i))
			if err != nil {
				continue // deleted meanwhile
			}
			if err := p.reclaim(ctx); err != nil {
				return fmt.Errorf("topic %s partition %d: %w", t.Name, i, err)
			}
		}
	}
	return nil
}
