package storage

import (
	"fmt"
	"math/bits"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// timeline is what a shard's members did, each member's own rows: it tells repeats
// and finds the row that a delete means.
//
//	add ─► tail, in memory, with a hash chain by member
//	commit ─► T shard commit        the commit's marks, in one key        ─┐ in the
//	when the tail is full, instead (the rows by brand: seal.go):           │ commit's
//	       t month shard account class bucket   Merge, the whole tail      │ batch
//	       s shard account month                what of t there is         │
//	       and a range deletion of T                                      ─┘
//
// Members share a value: the bucket is the low bits of the ordinal, the class how many
// bits, chosen when sealing so that a value stays near 2,048 rows. Classes change as a
// month grows; a reader looks into each that s shows, and into the tail.
type timeline struct {
	db     *pebble.DB
	shard  uint16
	seal   int
	bucket uint64 // rows of a bucket that are not much exceeded
	budget int    // bytes of filters of months before the clock's two

	tail      []format.Action // not sealed, in order of arrival; an action's last mark has all its flags
	committed int             // of the tail: in T, lent to snapshots, and does not change
	head      []int32
	prev      []int32 // in the tail: the next older one of the member's hash, +1
	commits   uint64  // the next key of T

	sealed map[format.AccountMonth]sealed
	months map[domain.Month]uint64 // rows sealed
	newest domain.Month            // of any row there ever was

	filters []monthFilter
	latest  domain.Month // of the clock, as Seen was last asked: decides which filters are kept, and nothing else
	asked   uint64
	near    uint64               // of what Approach read: no read may be left out
	misses  map[domain.Month]int // questions about a month without a filter

	sorter  sorter
	numbers numbering
	order   []format.Action
	writer  format.BlockWriter
	key     []byte
	value   []byte
}

// sealed says what of t an account's month has, as the value of s does.
type sealed struct {
	rows    uint64
	classes uint32
}

const (
	bucketRows = 2048
	bucketStep = 3
	mostBits   = 30
)

// bucketClass is the number of bucket bits for an account's month of so many rows,
// where a bucket should not much exceed the target.
func bucketClass(rows, target uint64) (bits uint8) {
	for rows > target<<bits && bits < mostBits {
		bits += bucketStep
	}
	return bits
}

func bucketOf(class uint8, ord domain.Ordinal) uint32 { return uint32(ord) & (1<<class - 1) }

// openTimeline reads what was not sealed.
func openTimeline(db *pebble.DB, shard uint16, o *Options) (*timeline, error) {
	t := &timeline{
		db: db, shard: shard, seal: o.SealRows, bucket: o.bucketRows, budget: o.FilterBytes,
		sealed: map[format.AccountMonth]sealed{}, months: map[domain.Month]uint64{}, misses: map[domain.Month]int{},
	}
	t.head = make([]int32, 1<<bits.Len(uint(2*o.SealRows)))
	err := scanPrefix(db, format.AppendShard(nil, format.FamilySealed, shard), func(k, v []byte) error {
		am, rows, classes, err := format.DecodeSealed(k, v)
		t.sealed[am] = sealed{rows, classes}
		t.months[am.Month] += rows
		t.newest = max(t.newest, am.Month)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = scanPrefix(db, format.AppendShard(nil, format.FamilyTail, shard), func(k, v []byte) error {
		commit, err := format.ParseTailKey(k)
		if err != nil {
			return err
		}
		t.commits = commit + 1
		return t.load(v)
	})
	t.committed = len(t.tail)
	return t, err
}

// load appends the marks of a value of T to the tail.
func (t *timeline) load(v []byte) error {
	marks, err := format.DecodeTail(t.order[:0], v)
	t.order = marks[:0]
	for i := range marks {
		t.add(marks[i])
	}
	return err
}

// chain is where the newest mark of the members of a hash stands, +1.
func (t *timeline) chain(account domain.AccountID, ord domain.Ordinal) *int32 {
	return &t.head[mix(account, ord, 0)&uint64(len(t.head)-1)]
}

// add puts a mark at the end of the tail.
func (t *timeline) add(m format.Action) {
	t.tail = append(t.tail, m)
	p := t.chain(m.Account, m.Ord)
	t.prev = append(t.prev, *p)
	*p = int32(len(t.tail))
	if m.Month > t.newest {
		t.newest = m.Month
	}
	for i := range t.filters {
		if t.filters[i].month == m.Month {
			t.filters[i].add(mix(m.Account, m.Ord, m.Hash))
			break
		}
	}
}

// full reports that the tail is to be sealed with the next commit.
func (t *timeline) full() bool { return len(t.tail) >= t.seal }

// write puts what was added since the last commit into the batch, and seals a full
// tail. It depends on the rows alone.
func (t *timeline) write(big *sealing, b *pebble.Batch) error {
	if big != nil {
		return t.sealTail(big, b)
	}
	fresh := t.tail[t.committed:]
	if len(fresh) == 0 {
		return nil
	}
	t.sorter.reset()
	for i := range fresh {
		t.sorter.add(uint64(fresh[i].Account)<<32|uint64(fresh[i].Ord), fresh[i].Time, i)
	}
	t.sorter.sort(func(i int32) uint64 { return fresh[i].Seq })
	t.order = t.sorter.gather(t.order, fresh)
	t.value = t.writer.AppendTail(t.value[:0], t.order)
	t.key = format.AppendTailKey(t.key[:0], t.shard, t.commits)
	return b.Set(t.key, t.value, nil)
}

// done says that the batch of the last write is committed.
func (t *timeline) done() {
	if t.committed < len(t.tail) {
		t.commits++
	}
	t.committed = len(t.tail)
}

// sealTail moves the tail into the buckets of its months.
func (t *timeline) sealTail(big *sealing, b *pebble.Batch) error {
	t.numbers.reset()
	rows := []uint64(nil)
	for i := range t.tail {
		n := t.numbers.of(format.AccountMonth{Account: t.tail[i].Account, Month: t.tail[i].Month})
		if n == len(rows) {
			rows = append(rows, 0)
		}
		rows[n]++
	}
	class := make([]uint8, len(rows))
	for n, k := range t.numbers.groups {
		s := t.sealed[k]
		s.rows += rows[n]
		class[n] = bucketClass(s.rows, t.bucket)
		s.classes |= 1 << class[n]
		t.sealed[k] = s
		t.months[k.Month] += rows[n]
		t.key, t.value = format.AppendSealedKey(t.key[:0], t.shard, k), format.AppendSealed(t.value[:0], s.rows, s.classes)
		if err := b.Set(t.key, t.value, nil); err != nil {
			return err
		}
	}
	big.sorter.reset()
	for i := range t.tail {
		m := &t.tail[i]
		n := t.numbers.of(format.AccountMonth{Account: m.Account, Month: m.Month})
		big.sorter.add(uint64(n)<<32|uint64(bits.RotateLeft32(uint32(m.Ord), -int(class[n]))), m.Time, i)
	}
	big.sorter.sort(func(i int32) uint64 { return t.tail[i].Seq })
	big.order = big.sorter.gather(big.order, t.tail)
	for i, k := range big.sorter.keys {
		big.order[i].Class = big.classes[k.i]
	}
	big.order = format.Coalesce(big.order)
	if err := t.writeBuckets(b, big.order, class); err != nil {
		return err
	}
	if err := b.DeleteRange(format.AppendTailKey(nil, t.shard, 0), format.AppendTailKey(nil, t.shard, t.commits+1), nil); err != nil {
		return err
	}
	return nil
}

// begin begins a new tail, in the memory given: the last one is sealed.
func (t *timeline) begin(tail []format.Action) {
	t.tail, t.prev, t.committed, t.commits = tail, t.prev[:0], 0, 0
	clear(t.head)
}

// writeBuckets merges marks, which are sorted by bucket, into t.
func (t *timeline) writeBuckets(b *pebble.Batch, rest []format.Action, class []uint8) error {
	for len(rest) > 0 {
		k := format.AccountMonth{Account: rest[0].Account, Month: rest[0].Month}
		c := class[t.numbers.of(k)]
		bucket, n := bucketOf(c, rest[0].Ord), 1
		for n < len(rest) && rest[n].Account == k.Account && rest[n].Month == k.Month && bucketOf(c, rest[n].Ord) == bucket {
			n++
		}
		t.value = t.writer.AppendTimeline(t.value[:0], rest[:n])
		t.key = format.AppendTimelineKey(t.key[:0], t.shard, k, c, bucket)
		if err := b.Merge(t.key, t.value, nil); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// stored finds among a member's sealed marks of a month the one that pick picks: of
// several that with the least (time, sequence), with all its flags.
func (t *timeline) stored(k format.AccountMonth, ord domain.Ordinal, pick func(b *format.Block, i int) bool) (best format.Action, found bool, err error) {
	for set := t.sealed[k].classes; set != 0; set &= set - 1 {
		class := uint8(bits.TrailingZeros32(set))
		t.key = format.AppendTimelineKey(t.key[:0], t.shard, k, class, bucketOf(class, ord))
		_, err := get(t.db, t.key, func(v []byte) error {
			return format.EachBlock(v, func(b *format.Block) error {
				for i, hi := b.Find(ord); i < hi; i++ {
					if !pick(b, i) {
						continue
					}
					m := b.Action(i, k, ord)
					switch {
					case found && m.Same(&best):
						best.Flags |= m.Flags
					case !found || m.Before(&best):
						best, found = m, true
					}
				}
				return nil
			})
		})
		if err != nil {
			return format.Action{}, false, fmt.Errorf("timeline of month %d: %w", k.Month, err)
		}
	}
	return best, found, nil
}

// at finds the mark of an action by its time and sequence, and where in the tail it
// stands; −1: it is sealed.
func (t *timeline) at(account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64) (m format.Action, i int, found bool, err error) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if m := &t.tail[p-1]; m.Seq == seq && m.Time == time && m.Ord == ord && m.Account == account {
			return *m, int(p - 1), true, nil
		}
	}
	m, found, err = t.stored(format.AccountMonth{Account: account, Month: domain.MonthOf(time)}, ord, func(b *format.Block, i int) bool {
		return b.SeqAt(i) == seq && b.TimeAt(i) == time
	})
	return m, -1, found, err
}
