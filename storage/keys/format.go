package keys

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Families of keys.
const (
	familyFormat = 'f'
	familyKey    = 'k'
	familyPlace  = 'p'
)

// The formats this binary reads and writes.
const (
	originalFormat = "ovation keys 1"
	copyFormat     = "ovation copied keys 1"
)

// keyBytes is the length of a key of familyKey.
const keyBytes = 1 + len(domain.KeyID{})

var errDamaged = errors.New("storage: data keys: damaged value")

func appendKey(dst []byte, id domain.KeyID) []byte { return append(append(dst, familyKey), id[:]...) }

// FormatError says that a directory holds something else than was asked for.
type FormatError struct {
	Dir  string
	Have string // empty: a store that is none of data keys
	Want string
}

// IsCopy reports that the directory holds a copy where an original was asked for.
func (e *FormatError) IsCopy() bool { return e.Have == copyFormat && e.Want == originalFormat }

// Error names both formats, and what becomes of a store of the other kind.
func (e *FormatError) Error() string {
	switch {
	case e.Have == originalFormat && e.Want == copyFormat:
		return fmt.Sprintf("storage: %s holds the original of the data keys of an embedded log, and --kafka is given: "+
			"an installation keeps the kind of log that it was made with", e.Dir)
	case e.IsCopy():
		return fmt.Sprintf("storage: %s holds a copy of the data keys of a Kafka, and --kafka is not given: "+
			"an installation keeps the kind of log that it was made with", e.Dir)
	}
	have := "a store of another program"
	if e.Have != "" {
		have = fmt.Sprintf("format %q", e.Have)
	}
	return fmt.Sprintf("storage: %s holds %s, this binary reads %q: use the binary that wrote it", e.Dir, have, e.Want)
}

// checkFormat refuses a store of another format and names an empty one.
func (s *Store) checkFormat(dir string) error {
	want := originalFormat
	if s.opts.Copy {
		want = copyFormat
	}
	have := ""
	found, err := scan.Get(s.db, []byte{familyFormat}, func(v []byte) error {
		have = string(v)
		return nil
	})
	if err != nil {
		return s.unreadable(err)
	}
	if found {
		if have != want {
			return &FormatError{Dir: dir, Have: have, Want: want}
		}
		return nil
	}
	empty := true
	err = scan.Range(s.db, nil, nil, func(_, _ []byte) (bool, error) {
		empty = false
		return false, nil
	})
	if err != nil {
		return s.unreadable(err)
	}
	if !empty {
		return &FormatError{Dir: dir, Want: want}
	}
	return s.db.Set([]byte{familyFormat}, []byte(want), pebble.Sync)
}

const placeVersion = 1

func appendPlace(dst []byte, p *domain.KeyPlace) []byte {
	dst = append(append(dst, placeVersion), p.Topic[:]...)
	dst = binary.AppendVarint(dst, p.Next)
	dst = binary.AppendVarint(dst, int64(p.Epoch))
	return binary.AppendVarint(dst, p.ReadAt)
}

func decodePlace(v []byte) (p domain.KeyPlace, err error) {
	if len(v) < 1+len(p.Topic) || v[0] != placeVersion {
		return p, errDamaged
	}
	copy(p.Topic[:], v[1:])
	v = v[1+len(p.Topic):]
	var fields [3]int64
	for i := range fields {
		x, n := binary.Varint(v)
		if n <= 0 {
			return domain.KeyPlace{}, errDamaged
		}
		fields[i] = x
		v = v[n:]
	}
	if len(v) > 0 || fields[1] != int64(int32(fields[1])) {
		return domain.KeyPlace{}, errDamaged
	}
	p.Next = fields[0]
	p.Epoch = int32(fields[1])
	p.ReadAt = fields[2]
	return p, nil
}
