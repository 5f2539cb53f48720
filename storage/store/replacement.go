package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Replacement is a shard's part of a store, built anew beside it:
//
//	<store>.rebuild/<shard>/replay     a store that a replay fills
//	<store>.rebuild/<shard>/*.sst      its keys, as tables of the store
//	<store>.rebuild/<shard>/complete   the names of the tables
//
// With the last file, which is made durable after everything else, the shard is what the
// tables hold: the next Store.Shard puts them in the place of what the store has, after a
// crash too. Without it the directory is leftover of a build that did not end. One goroutine.
type Replacement struct {
	store  *Store
	shard  uint16
	dir    string
	replay *Store // nil: closed
}

const (
	replacementReplay   = "replay"
	replacementTables   = "tables"   // the names of the tables, one a line
	replacementComplete = "complete" // the same once all of them are durable
)

// ErrReplaced says that a shard's replacement is complete and waits for the shard to be
// opened.
var ErrReplaced = errors.New("storage: a replacement of the shard is complete: the shard has to be opened again")

// replacementDir is where a shard's replacement stands.
func (s *Store) replacementDir(shard uint16) string {
	return s.opts.FS.PathJoin(s.dir+".rebuild", fmt.Sprint(shard))
}

// Replace begins a replacement of a shard. Of o the replay takes memory and open files; the
// rest is the store's. A replacement that was not completed is removed; one that was is
// ErrReplaced.
func (s *Store) Replace(shard int, o Options) (*Replacement, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	r := &Replacement{store: s, shard: uint16(shard), dir: s.replacementDir(uint16(shard))}
	fs := s.opts.FS
	if _, err := fs.Stat(fs.PathJoin(r.dir, replacementComplete)); err == nil {
		return nil, ErrReplaced
	}
	if err := errors.Join(fs.RemoveAll(r.dir), fs.MkdirAll(r.dir, 0o700)); err != nil {
		return nil, fmt.Errorf("storage: replacement of shard %d: %w", shard, err)
	}
	own := s.opts
	own.Cache, own.CacheBytes, own.MemTableBytes, own.FilterBytes, own.MaxOpenFiles = o.Cache, o.CacheBytes, o.MemTableBytes, o.FilterBytes, o.MaxOpenFiles
	own.Throwaway, own.SyncWithin = true, 0
	var err error
	r.replay, err = Open(fs.PathJoin(r.dir, replacementReplay), own)
	return r, err
}

// Shard opens the shard that the replay fills. It is closed before Complete.
func (r *Replacement) Shard() (*Shard, error) { return r.replay.Shard(int(r.shard)) }

// Complete writes what the replay has made as tables and ends it: the next opening of the
// shard takes them. Pace is called with the bytes that were read and may wait; its error
// ends the writing.
func (r *Replacement) Complete(pace func(bytes int) error) error {
	names, err := r.write(pace)
	err = errors.Join(err, r.endReplay())
	if err != nil {
		return fmt.Errorf("storage: replacement of shard %d: %w", r.shard, err)
	}
	fs := r.store.opts.FS
	for _, dir := range [...]string{r.dir, fs.PathDir(r.dir), fs.PathDir(r.store.dir)} {
		if err := syncDir(fs, dir); err != nil {
			return err
		}
	}
	// The names are durable before the file has the name that counts: a crash in between would
	// leave it without some of them, and the shard without their tables.
	list := fs.PathJoin(r.dir, replacementTables)
	if err := writeFile(fs, list, []byte(strings.Join(names, "\n"))); err != nil {
		return err
	}
	if err := fs.Rename(list, fs.PathJoin(r.dir, replacementComplete)); err != nil {
		return err
	}
	return syncDir(fs, r.dir)
}

// Drop gives the replacement up.
func (r *Replacement) Drop() error {
	return errors.Join(r.endReplay(), r.store.opts.FS.RemoveAll(r.dir))
}

// endReplay closes and removes the replay's store.
func (r *Replacement) endReplay() error {
	if r.replay == nil {
		return nil
	}
	err := r.replay.Close()
	r.replay = nil
	fs := r.store.opts.FS
	return errors.Join(err, fs.RemoveAll(fs.PathJoin(r.dir, replacementReplay)))
}

// write writes every key of the shard into tables and gives their names.
func (r *Replacement) write(pace func(bytes int) error) ([]string, error) {
	w := &tableWriter{fs: r.store.opts.FS, dir: r.dir, store: r.store, options: tableOptions(r.store.opts, r.replay.db.TableFormat())}
	put := func(k, v []byte) error {
		if pace != nil {
			if err := pace(len(k) + len(v)); err != nil {
				return err
			}
		}
		return w.put(k, v)
	}
	snap := r.replay.db.NewSnapshot()
	var err error
	for _, family := range []byte(format.Families) {
		if format.Monthly(family) {
			err = scan.Months(snap, family, r.shard, 0, 1<<16-1, put)
		} else {
			err = scan.Prefix(snap, format.AppendShard(nil, family, r.shard), put)
		}
		if err != nil {
			break
		}
	}
	err = errors.Join(err, w.close(), snap.Close())
	return w.names, err
}

// tableBytes is how large a table of a replacement becomes, about.
const tableBytes = 32 << 20

// tableWriter writes keys in their order into tables, none of which spans the keys of
// another shard.
type tableWriter struct {
	fs      vfs.FS
	dir     string
	store   *Store
	options sstable.WriterOptions
	names   []string

	span  []byte // of the table being written
	table *sstable.Writer
}

func (w *tableWriter) put(k, v []byte) error {
	if span := spanOfKey(k); w.table == nil || !bytes.Equal(span, w.span) || w.table.Raw().EstimatedSize() >= tableBytes {
		if err := w.open(span); err != nil {
			return err
		}
	}
	return w.table.Set(k, v)
}

// open begins the next table.
func (w *tableWriter) open(span []byte) error {
	if err := w.close(); err != nil {
		return err
	}
	if err := w.store.hasRoom(); err != nil {
		return err
	}
	name := fmt.Sprintf("%x-%d.sst", span, len(w.names))
	f, err := w.fs.Create(w.fs.PathJoin(w.dir, name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w.names = append(w.names, name)
	w.span = append(w.span[:0], span...)
	w.table = sstable.NewWriter(objstorageprovider.NewFileWritable(f), w.options)
	return nil
}

// close ends the table being written, if there is one, and makes it durable.
func (w *tableWriter) close() error {
	if w.table == nil {
		return nil
	}
	err := w.table.Close()
	w.table = nil
	return err
}

// tableOptions are those of the store's tables that compaction leaves alone.
func tableOptions(o Options, version sstable.TableFormat) sstable.WriterOptions {
	p := pebbleOptions(o)
	p.EnsureDefaults()
	return p.MakeWriterOptions(len(p.Levels)-1, version)
}

// spanOfKey is what the keys of one shard, of one family and month, begin with.
func spanOfKey(k []byte) []byte {
	if format.Monthly(k[0]) {
		return k[:5]
	}
	return k[:3]
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func writeFile(fs vfs.FS, name string, text []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func readFile(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}
