package replacement

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Dir is where a shard's replacement is.
type Dir struct {
	FS    vfs.FS
	Path  string
	Shard uint16
}

// ErrComplete says that a replacement is complete and waits to be installed.
var ErrComplete = errors.New("storage: a replacement of the shard is complete: the shard has to be opened again")

const (
	replayDir    = "replay"
	tablesFile   = "tables"   // the names of the tables, one a line
	completeFile = "complete" // the same once all of them are durable
)

// Replay is where the store of the replay is.
func (d Dir) Replay() string { return d.FS.PathJoin(d.Path, replayDir) }

// Begin removes what a build left that was not completed; one that was is ErrComplete.
func (d Dir) Begin() error {
	if _, err := d.FS.Stat(d.FS.PathJoin(d.Path, completeFile)); err == nil {
		return ErrComplete
	}
	return errors.Join(d.FS.RemoveAll(d.Path), d.FS.MkdirAll(d.Path, 0o700))
}

// Write writes every key of the shard into tables, and gives their names. Room is asked before
// each table. Pace is called with the bytes that were read and may wait; its error ends the
// writing.
func (d Dir) Write(
	replay pebble.Reader, o sstable.WriterOptions, room func() error, pace func(bytes int) error,
) ([]string, error) {
	w := &tableWriter{fs: d.FS, dir: d.Path, room: room, options: o}
	put := func(k, v []byte) error {
		if pace != nil {
			if err := pace(len(k) + len(v)); err != nil {
				return err
			}
		}
		return w.put(k, v)
	}
	var err error
	for _, family := range []byte(format.Families) {
		if format.Monthly(family) {
			err = scan.Months(replay, family, d.Shard, 0, 1<<16-1, put)
		} else {
			err = scan.Prefix(replay, format.AppendShard(nil, family, d.Shard), put)
		}
		if err != nil {
			break
		}
	}
	return w.names, errors.Join(err, w.close())
}

// Complete makes the tables with these names what the shard is.
func (d Dir) Complete(names []string) error {
	parent := d.FS.PathDir(d.Path)
	for _, dir := range [...]string{d.Path, parent, d.FS.PathDir(parent)} {
		if err := syncDir(d.FS, dir); err != nil {
			return err
		}
	}
	// The names are durable before the file has the name that counts: a crash in between would
	// leave it without some of them, and the shard without their tables.
	list := d.FS.PathJoin(d.Path, tablesFile)
	if err := writeFile(d.FS, list, []byte(strings.Join(names, "\n"))); err != nil {
		return err
	}
	if err := d.FS.Rename(list, d.FS.PathJoin(d.Path, completeFile)); err != nil {
		return err
	}
	return syncDir(d.FS, d.Path)
}

// tableBytes is how large a table of a replacement becomes, about.
const tableBytes = 32 << 20

// tableWriter writes keys in their order into tables, none of which spans the keys of
// another shard.
type tableWriter struct {
	fs      vfs.FS
	dir     string
	room    func() error
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
	if err := w.room(); err != nil {
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

// spanOfKey is what the keys of one shard, of one family and month, begin with.
func spanOfKey(k []byte) []byte {
	if format.Monthly(k[0]) {
		return k[:5]
	}
	return k[:3]
}
