package keys

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Families of keys.
const (
	familyDeleted = 'd'
	familyFormat  = 'f'
	familyKey     = 'k'
	familyPlace   = 'p'
)

// storeFormat is the format this binary reads and writes.
const storeFormat = "ovation keys 2"

// keyBytes is the length of a key of familyKey or familyDeleted.
const keyBytes = 1 + len(domain.KeyID{})

var errDamaged = errors.New("storage: data keys: damaged value")

func appendKey(dst []byte, family byte, id domain.KeyID) []byte {
	return append(append(dst, family), id[:]...)
}

// appendMark is the key of a data key that was deleted. It has a hash of the id: no file names a key that is gone.
func appendMark(dst []byte, id domain.KeyID) []byte {
	sum := sha256.Sum256(id[:])
	return append(append(dst, familyDeleted), sum[:len(id)]...)
}

// FormatError says that a directory holds something else than was asked for.
type FormatError struct {
	Dir  string
	Have string // empty: a store that is none of data keys
	Want string
}

// Error names both formats.
func (e *FormatError) Error() string {
	have := "a store of another program"
	if e.Have != "" {
		have = fmt.Sprintf("format %q", e.Have)
	}
	return fmt.Sprintf("storage: %s holds %s, this binary reads %q: use the binary that wrote it", e.Dir, have, e.Want)
}

// checkFormat refuses a store of another format and names an empty one.
func (s *Store) checkFormat(dir string) error {
	have := ""
	found, err := scan.Get(s.db, []byte{familyFormat}, func(v []byte) error {
		have = string(v)
		return nil
	})
	if err != nil {
		return s.unreadable(err)
	}
	if found {
		if have != storeFormat {
			return &FormatError{Dir: dir, Have: have, Want: storeFormat}
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
		return &FormatError{Dir: dir, Want: storeFormat}
	}
	return s.db.Set([]byte{familyFormat}, []byte(storeFormat), pebble.Sync)
}

// Versions of the values.
const (
	placeVersion = 1
	markVersion  = 1
)

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
