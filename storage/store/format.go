package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// The formats this binary reads and writes. A change to keys, or to values that an
// older binary cannot read, is another format: an older store is refused then, and
// built again from the log.
const (
	shardsFormat  = "ovation shards 22"
	catalogFormat = "ovation catalog 13"
)

// FormatError says that a directory holds something else than was asked for.
type FormatError struct {
	Dir  string
	Have string // empty: a store that is not Ovation's
	Want string
}

// Error names both formats.
func (e *FormatError) Error() string {
	have := "a store of another program"
	if e.Have != "" {
		have = fmt.Sprintf("format %q", e.Have)
	}
	return fmt.Sprintf("storage: %s holds %s, this binary reads %q: use the binary that wrote it, "+
		"or move the directory away: it is built anew from a log that this binary reads", e.Dir, have, e.Want)
}

// checkFormat refuses a store of another format and names an empty one.
func checkFormat(db *pebble.DB, dir, want string, o *pebble.WriteOptions) error {
	var have string
	found, err := scan.Get(db, format.FormatKey, func(v []byte) error {
		have = string(v)
		return nil
	})
	if err != nil {
		return err
	}
	if found {
		if have != want {
			return &FormatError{Dir: dir, Have: have, Want: want}
		}
		return nil
	}
	empty := true
	if err := scan.Range(db, nil, nil, func(_, _ []byte) (bool, error) { empty = false; return false, nil }); err != nil {
		return err
	}
	if !empty {
		return &FormatError{Dir: dir, Want: want}
	}
	return db.Set(format.FormatKey, []byte(want), o)
}
