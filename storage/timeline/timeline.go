package timeline

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/bloom"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Options are the settings of a timeline.
type Options struct {
	SealRows    int // rows of the tail that are sealed at once
	TailBytes   int // of the tail's contents, which are sealed then too, with the commit that exceeds it
	FilterBytes int // of the filters of months before the clock's two
	BucketRows  uint64
	Memory      *Memory // of tails; shards share it
}

// Timeline is the rows of a shard's members, those of the open batch included.
type Timeline struct {
	Tail
	buckets buckets
	filters filters
}

// Open reads what was not sealed.
func Open(db pebble.Reader, shard uint16, o *Options) (*Timeline, error) {
	t := &Timeline{
		Tail: newTail(o),
		buckets: buckets{
			db: db, shard: shard, target: o.BucketRows,
			sealed: map[format.AccountMonth]sealed{}, months: map[domain.Month]uint64{},
		},
		filters: filters{budget: o.FilterBytes, misses: map[domain.Month]int{}},
	}
	if err := t.buckets.load(); err != nil {
		return nil, err
	}
	return t, t.load(db, shard)
}

// Add adds a row to the tail.
func (t *Timeline) Add(a format.Action) {
	t.add(a)
	if f := t.filters.find(a.Month); f != nil {
		f.Add(bloom.Mix(a.Account, a.Ord, a.Hash))
	}
}

// AddFlags adds flags to the action at a place of the tail, if it was added since the last
// commit.
func (t *Timeline) AddFlags(at int, flags domain.Flags) bool {
	if at < t.committed {
		return false
	}
	t.actions[at].Flags |= flags
	return true
}

// Commit puts what was added since the last commit into the batch.
func (t *Timeline) Commit(b *pebble.Batch) error { return t.write(b, t.buckets.shard) }

// Seal moves the tail into the buckets of its months, after which it is renewed.
func (t *Timeline) Seal(b *pebble.Batch, s *Scratch) error {
	if err := t.buckets.seal(b, t.actions, s); err != nil {
		return err
	}
	shard := t.buckets.shard
	return b.DeleteRange(format.AppendTailKey(nil, shard, 0), format.AppendTailKey(nil, shard, t.commits+1), nil)
}

// FilterBytes is the memory of all filters.
func (t *Timeline) FilterBytes() int { return t.filters.bytes() }

// Seen finds the member's action with that hash in the first of the months that has one. It is
// exact: what is staged or sealed, and filters, change no answer.
func (t *Timeline) Seen(
	account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64,
) (format.Action, bool, error) {
	t.filters.latest = max(t.filters.latest, months[1])
	x := bloom.Mix(account, ord, hash)
	for i, m := range months {
		if slices.Contains(months[:i], m) {
			continue
		}
		f, err := t.filter(m)
		if err != nil {
			return format.Action{}, false, err
		}
		if f != nil && !f.Maybe(x) {
			continue
		}
		if a, found, err := t.byHash(format.AccountMonth{Account: account, Month: m}, ord, hash); found || err != nil {
			return a, found, err
		}
	}
	return format.Action{}, false, nil
}

// Prefetch reads what Seen and Add will look at, of a row that they are given soon. Of many
// rows one after the other each would wait for memory. Nothing changes. Other is what the
// caller read: no read may be left out.
func (t *Timeline) Prefetch(r *domain.Row, other uint64) {
	if f := t.filters.find(domain.MonthOf(r.Time)); f != nil {
		t.filters.read += f.Prefetch(bloom.Mix(r.Account, r.Ord, r.Hash))
	}
	t.filters.read += uint64(*t.chain(r.Account, r.Ord)) + other
}

// byHash finds the member's action of a month.
func (t *Timeline) byHash(k format.AccountMonth, ord domain.Ordinal, hash uint64) (format.Action, bool, error) {
	for p := *t.chain(k.Account, ord); p != 0; p = t.prev[p-1] {
		if a := &t.actions[p-1]; a.Hash == hash && a.Ord == ord && a.Account == k.Account && a.Month == k.Month {
			return *a, true, nil
		}
	}
	if t.buckets.sealed[k].classes == 0 {
		return format.Action{}, false, nil
	}
	return t.buckets.find(k, ord, func(b *format.Block, i int) bool { return b.HashAt(i) == hash })
}

// At finds an action by its time and sequence, and its place in the tail; −1: it is sealed.
func (t *Timeline) At(
	account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64,
) (a format.Action, at int, found bool, err error) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if a := &t.actions[p-1]; a.Seq == seq && a.Time == time && a.Ord == ord && a.Account == account {
			return *a, int(p - 1), true, nil
		}
	}
	k := format.AccountMonth{Account: account, Month: domain.MonthOf(time)}
	a, found, err = t.buckets.find(k, ord, func(b *format.Block, i int) bool {
		return b.SeqAt(i) == seq && b.TimeAt(i) == time
	})
	return a, -1, found, err
}

// Named are the member's actions of a time and a hash, in order of sequence. Of the copies of other
// members' actions there may be several.
func (t *Timeline) Named(
	account domain.AccountID, ord domain.Ordinal, time domain.Second, hash uint64,
) (all []format.Action, err error) {
	note := func(a *format.Action) {
		for i := range all {
			if all[i].Same(a) {
				all[i].Flags |= a.Flags
				return
			}
		}
		all = append(all, *a)
	}
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if a := &t.actions[p-1]; a.Hash == hash && a.Time == time && a.Ord == ord && a.Account == account {
			note(a)
		}
	}
	k := format.AccountMonth{Account: account, Month: domain.MonthOf(time)}
	err = t.buckets.each(k, ord, func(b *format.Block, i int) bool {
		return b.HashAt(i) == hash && b.TimeAt(i) == time
	}, note)
	slices.SortFunc(all, func(a, b format.Action) int { return cmp.Compare(a.Seq, b.Seq) })
	return all, err
}

// oldestMonth is that of the first second an action can have.
const oldestMonth = domain.Month((2000 - 1970) * 12)

// BySequence finds the member's action with that sequence. An action's id does not say its time:
// the months that the account has rows of are looked through, the newest first, in each the
// member's own rows alone.
func (t *Timeline) BySequence(account domain.AccountID, ord domain.Ordinal, seq uint64) (format.Action, bool, error) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if a := &t.actions[p-1]; a.Seq == seq && a.Ord == ord && a.Account == account {
			return *a, true, nil
		}
	}
	for month := t.buckets.newest; month >= oldestMonth; month-- {
		k := format.AccountMonth{Account: account, Month: month}
		if t.buckets.sealed[k].classes == 0 {
			continue
		}
		a, found, err := t.buckets.find(k, ord, func(b *format.Block, i int) bool { return b.SeqAt(i) == seq })
		if found || err != nil {
			return a, found, err
		}
	}
	return format.Action{}, false, nil
}

// filter is the month's filter; nil where reading is as good.
func (t *Timeline) filter(m domain.Month) (*bloom.Filter, error) {
	t.filters.asked++
	if f := t.filters.find(m); f != nil {
		f.used = t.filters.asked
		return f.Filter, nil
	}
	if !t.filters.wanted(m, t.buckets.months[m]) {
		return nil, nil
	}
	f, err := t.build(m)
	if err != nil {
		return nil, err
	}
	t.filters.put(m, f)
	return f, nil
}

// build makes the filter of a month from what is stored, with room for as many rows
// as this month or the last one has.
func (t *Timeline) build(m domain.Month) (*bloom.Filter, error) {
	f := bloom.New(int(max(t.buckets.months[m], t.buckets.months[m-1])) + t.rows/2)
	err := scan.Months(t.buckets.db, format.FamilyTimeline, t.buckets.shard, uint16(m), uint16(m),
		func(k, v []byte) error {
			of, _, err := format.ParseTimelineKey(k)
			if err != nil {
				return err
			}
			return format.EachBlock(v, func(b *format.Block) error {
				return b.Each(func(i int, ord domain.Ordinal) { f.Add(bloom.Mix(of.Account, ord, b.HashAt(i))) })
			})
		})
	for i := range t.actions {
		if a := &t.actions[i]; a.Month == m {
			f.Add(bloom.Mix(a.Account, a.Ord, a.Hash))
		}
	}
	return f, err
}
