package keys

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// A place is read as it was written, and nothing else is a place: not a part of one, not one with
// something after it, not one of another version.
func TestPlace_RoundTripOrDamaged(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := domain.KeyPlace{
			Next: rapid.Int64().Draw(r, "next"), Epoch: rapid.Int32().Draw(r, "epoch"), ReadAt: rapid.Int64().Draw(r, "read at"),
		}
		copy(p.Topic[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "topic"))
		b := appendPlace(nil, &p)
		got, err := decodePlace(b)
		if d := cmp.Diff(p, got); err != nil || d != "" {
			r.Fatal(err, d)
		}
		for n := range b {
			if got, err := decodePlace(b[:n]); !errors.Is(err, errDamaged) {
				r.Fatalf("%d of %d bytes are %+v, %v", n, len(b), got, err)
			}
		}
		if got, err := decodePlace(append(b, 0)); !errors.Is(err, errDamaged) {
			r.Fatalf("with a byte more it is %+v, %v", got, err)
		}
		b[0]++
		if got, err := decodePlace(b); !errors.Is(err, errDamaged) {
			r.Fatalf("of another version it is %+v, %v", got, err)
		}
	})
	wide := append([]byte{placeVersion}, make([]byte, 16)...)
	for _, x := range []int64{1, math.MaxInt32 + 1, 1} { // the epoch does not fit
		wide = binary.AppendVarint(wide, x)
	}
	if got, err := decodePlace(wide); !errors.Is(err, errDamaged) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is no key, no place and no format of a store of keys is an error for what reads it, and no key
// of another member.
func TestStore_DamagedEntries(t *testing.T) {
	fs := vfs.NewMem()
	s := openIn(t, fs, Options{})
	place := domain.KeyPlace{Topic: domain.TopicID{1}, Next: 1}
	check.OK(t, s.Follow([]domain.WrappedKey{numbered(1)}, place, time.UnixMilli(0)))
	var key []byte
	check.OK(t, scan.Range(s.db, nil, nil, func(k, _ []byte) (bool, error) {
		if k[0] != familyFormat && k[0] != familyPlace {
			key = append(key, k...)
		}
		return true, nil
	}))
	each := func() error { return s.Each(nil, func(domain.KeyID) error { return nil }) }
	check.OK(t, each())
	long := append(key, 0)
	check.OK(t, s.db.Set(long, []byte("x"), pebble.Sync))
	if err := each(); !errors.Is(err, errDamaged) {
		t.Errorf("a key of another length: %v", err)
	}
	check.OK(t, s.db.Delete(long, pebble.Sync))
	check.OK(t, each())
	check.OK(t, s.db.Set([]byte{familyPlace}, []byte{placeVersion, 1}, pebble.Sync))
	check.OK(t, s.Close())
	o := Options{FS: fs}
	if _, err := Open("keys", o); !errors.Is(err, errDamaged) {
		t.Errorf("a damaged place: %v", err)
	}
}
