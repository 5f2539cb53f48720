package replacement

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Install replaces what the store has of the shard by a complete replacement, if there
// is one. Nothing reads or writes the shard meanwhile; snapshots of others stay whole. It may be
// done again after a crash: the tables are kept until all are in the store. Installed runs when
// they are, before they are removed.
func (d Dir) Install(db *pebblefs.DB, installed func()) error {
	text, err := readFile(d.FS, d.FS.PathJoin(d.Path, completeFile))
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("its replacement cannot be read: %w", err)
	}
	tables, err := tablesBySpan(string(text))
	if err != nil {
		return err
	}
	spans, err := d.spans(db, tables)
	if err != nil {
		return err
	}
	// Without keys of the spans in a write buffer the tables are in the store at once, and an
	// error is this call's.
	err = db.OrFailed(db.Flush)
	for i := 0; i < len(spans) && err == nil; i++ {
		err = d.replaceSpan(db, spans[i], tables[string(spans[i])])
	}
	if err != nil {
		return fmt.Errorf("its replacement cannot be put in its place: %w", err)
	}
	installed()
	if err := errors.Join(d.FS.Remove(d.FS.PathJoin(d.Path, completeFile)), syncDir(d.FS, d.Path)); err != nil {
		return err
	}
	return d.FS.RemoveAll(d.Path)
}

// tablesBySpan reads the names of a replacement's tables.
func tablesBySpan(names string) (map[string][]string, error) {
	tables := map[string][]string{}
	for name := range strings.FieldsSeq(names) {
		prefix, _, _ := strings.Cut(name, "-")
		span, err := hex.DecodeString(prefix)
		if err != nil || len(span) < 3 {
			return nil, fmt.Errorf("%q is no table of a replacement", name)
		}
		tables[string(span)] = append(tables[string(span)], name)
	}
	return tables, nil
}

// replaceSpan replaces the keys that begin with span by those of the tables.
func (d Dir) replaceSpan(db *pebblefs.DB, span []byte, names []string) error {
	fs, keys := d.FS, pebble.KeyRange{Start: span, End: format.PrefixEnd(span)}
	if len(names) == 0 {
		return db.OrFailed(func() error { return db.Excise(context.Background(), keys) })
	}
	var paths []string
	for _, name := range names { // Pebble removes what it was given
		from := fs.PathJoin(d.Path, name)
		to := from + ".link"
		if err := fs.Remove(to); err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return err
		}
		if err := fs.Link(from, to); err != nil {
			return err
		}
		paths = append(paths, to)
	}
	return db.OrFailed(func() error {
		_, err := db.IngestAndExcise(context.Background(), paths, nil, nil, keys)
		return errors.Join(err, db.Err())
	})
}

// spans is what the keys of a shard begin with, in the store or in tables.
func (d Dir) spans(db pebble.Reader, tables map[string][]string) ([][]byte, error) {
	all := map[string]bool{}
	for span := range tables {
		all[span] = true
	}
	for _, family := range []byte(format.Families) {
		if !format.Monthly(family) {
			all[string(format.AppendShard(nil, family, d.Shard))] = true
			continue
		}
		months, err := monthsOf(db, family, d.Shard)
		if err != nil {
			return nil, err
		}
		for _, m := range months {
			all[string(format.AppendMonth(nil, family, m, d.Shard))] = true
		}
	}
	var spans [][]byte
	for _, span := range slices.Sorted(maps.Keys(all)) {
		spans = append(spans, []byte(span))
	}
	return spans, nil
}

// firstMonth is January 2000: actions of before are refused.
const firstMonth = (2000 - 1970) * 12

// monthsOf are the months in which a shard has keys of a family. A month that cannot be read
// is one of them.
func monthsOf(db pebble.Reader, family byte, shard uint16) (months []uint16, err error) {
	last := uint16(domain.MonthOf(domain.Second(time.Now().Unix()))) + 1
	for month := uint16(0); ; month++ {
		var there, found uint16
		lower := format.AppendMonth(nil, family, month, shard)
		found = 1<<16 - 1
		err := scan.Range(db, lower, []byte{family + 1}, func(k, _ []byte) (_ bool, err error) {
			found, there, err = format.ParseMonth(k)
			return false, err
		})
		switch {
		case err != nil && !format.Unreadable(err):
			return nil, err
		case err != nil:
			month = max(month, firstMonth)
			if month > last {
				return months, nil
			}
			months = append(months, month)
			continue
		case found == month && there == shard:
			months = append(months, month)
		case found > month && found < 1<<16-1:
			month = found - 1 // where the shard may have keys after those of lower ones
		}
		if found == 1<<16-1 {
			return months, nil
		}
	}
}
