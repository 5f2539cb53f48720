package timeline

import (
	"fmt"
	"math/bits"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/rowsort"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// buckets are the sealed rows of members. Members share a value of t: the bucket is the low bits
// of the ordinal, the class how many bits, chosen when sealing so that a value stays near 2,048
// rows. Classes change as a month grows; a reader looks into each that s shows.
type buckets struct {
	db     pebble.Reader
	shard  uint16
	target uint64 // rows of a bucket that are not much exceeded

	sealed map[format.AccountMonth]sealed
	months map[domain.Month]uint64 // rows sealed
	newest domain.Month            // that has any

	numbers rowsort.Numbering
	writer  format.BlockWriter
	key     []byte
	value   []byte
}

// sealed is what of t an account's month has, as the value of s has it.
type sealed struct {
	rows    uint64
	classes uint32
}

// BucketRows is how many rows a bucket should not much exceed.
const BucketRows = 2048

const (
	bucketStep = 3
	maxBits    = 30
)

// bucketClass is the number of bucket bits for an account's month of so many rows,
// where a bucket should not much exceed the target.
func bucketClass(rows, target uint64) (bits uint8) {
	for rows > target<<bits && bits < maxBits {
		bits += bucketStep
	}
	return bits
}

// load reads s.
func (b *buckets) load() error {
	return scan.Prefix(b.db, format.AppendShard(nil, format.FamilySealed, b.shard), func(k, v []byte) error {
		of, rows, classes, err := format.DecodeSealed(k, v)
		b.sealed[of] = sealed{rows, classes}
		b.months[of.Month] += rows
		b.newest = max(b.newest, of.Month)
		return err
	})
}

// find finds among a member's rows of a month the one that match wants: of several that with
// the least (time, sequence), with all its flags.
func (b *buckets) find(
	k format.AccountMonth, ord domain.Ordinal, match func(b *format.Block, i int) bool,
) (best format.Action, found bool, err error) {
	err = b.each(k, ord, match, func(a *format.Action) {
		switch {
		case found && a.Same(&best):
			best.Flags |= a.Flags
		case !found || a.Before(&best):
			best, found = *a, true
		}
	})
	return best, found && err == nil, err
}

// each calls f with each of a member's rows of a month that match wants, with a row that has got flags
// more than once.
func (b *buckets) each(
	k format.AccountMonth, ord domain.Ordinal, match func(b *format.Block, i int) bool, f func(*format.Action),
) error {
	for set := b.sealed[k].classes; set != 0; set &= set - 1 {
		class := uint8(bits.TrailingZeros32(set))
		b.key = format.AppendTimelineKey(b.key[:0], b.shard, k, class, format.BucketOf(class, ord))
		_, err := scan.Get(b.db, b.key, func(v []byte) error {
			return format.EachBlock(v, func(b *format.Block) error {
				for i, hi := b.Find(ord); i < hi; i++ {
					if match(b, i) {
						a := b.Action(i, k, ord)
						f(&a)
					}
				}
				return nil
			})
		})
		if err != nil {
			return fmt.Errorf("timeline of month %d: %w", k.Month, err)
		}
	}
	return nil
}

// Scratch is what it takes to seal a tail: megabytes, and rarely, so that shards share it.
type Scratch struct {
	Sorter rowsort.Sorter
	order  []format.Action
	// Classes is the width class of the rows in R and C of each action of the tail. It is no
	// action's own yet: snapshots read those.
	Classes []uint8
}

// seal puts a tail's actions into the buckets of their months, but for those that are erased.
func (b *buckets) seal(batch *pebble.Batch, actions []format.Action, s *Scratch) error {
	erased := format.Flagged(actions, domain.Erased)
	classes, err := b.count(batch, actions, erased)
	if err != nil {
		return err
	}
	s.Sorter.Reset()
	for i := range actions {
		a := &actions[i]
		if erased[a.Seq] {
			continue
		}
		n := b.numbers.Of(format.AccountMonth{Account: a.Account, Month: a.Month})
		s.Sorter.Add(uint64(n)<<32|uint64(bits.RotateLeft32(uint32(a.Ord), -int(classes[n]))), a.Time, i)
	}
	s.Sorter.Sort(func(i int32) uint64 { return actions[i].Seq })
	s.order = s.Sorter.Gather(s.order, actions)
	for i, k := range s.Sorter.Keys {
		s.order[i].Class = s.Classes[k.I]
	}
	for rest := format.Coalesce(s.order); len(rest) > 0; {
		k := format.AccountMonth{Account: rest[0].Account, Month: rest[0].Month}
		class := classes[b.numbers.Of(k)]
		bucket, n := format.BucketOf(class, rest[0].Ord), 1
		for n < len(rest) && rest[n].Account == k.Account && rest[n].Month == k.Month &&
			format.BucketOf(class, rest[n].Ord) == bucket {
			n++
		}
		b.value = b.writer.AppendTimeline(b.value[:0], rest[:n])
		b.key = format.AppendTimelineKey(b.key[:0], b.shard, k, class, bucket)
		if err := batch.Merge(b.key, b.value, nil); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// count adds the actions that are not erased to s, and chooses the class of each account's month,
// by its number.
func (b *buckets) count(batch *pebble.Batch, actions []format.Action, erased map[uint64]bool) ([]uint8, error) {
	b.numbers.Reset()
	var rows []uint64
	for i := range actions {
		if erased[actions[i].Seq] {
			continue
		}
		n := b.numbers.Of(format.AccountMonth{Account: actions[i].Account, Month: actions[i].Month})
		if n == len(rows) {
			rows = append(rows, 0)
		}
		rows[n]++
	}
	classes := make([]uint8, len(rows))
	for n, k := range b.numbers.Groups {
		s := b.sealed[k]
		s.rows += rows[n]
		classes[n] = bucketClass(s.rows, b.target)
		s.classes |= 1 << classes[n]
		b.sealed[k] = s
		b.months[k.Month] += rows[n]
		b.newest = max(b.newest, k.Month)
		b.key, b.value = format.AppendSealedKey(b.key[:0], b.shard, k), format.AppendSealed(b.value[:0], s.rows, s.classes)
		if err := batch.Set(b.key, b.value, nil); err != nil {
			return nil, err
		}
	}
	return classes, nil
}
