package timeline

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/bloom"
	"github.com/ovation-analytics/ovation/storage/internal/rowsort"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Tail is the rows of a shard that are not sealed, in order of arrival, and their contents.
// An action may be there more than once: its last entry has all its flags.
type Tail struct {
	*memory
	spare     *Memory
	rows      int // that it may have before it is sealed
	size      int // bytes of contents, likewise
	committed int // actions in T: lent to snapshots, and unchanged from then on
	head      []int32
	prev      []int32 // the next older action of the member's hash, +1
	commits   uint64  // the next key of T
	erased    bool    // some actions are, in the open batch

	sorter rowsort.Sorter
	order  []format.Action
	writer format.BlockWriter
	key    []byte
	value  []byte
}

// Memory is what tails were in, until they are used for others.
type Memory struct{ pool sync.Pool }

// memory is a tail's, until its last user releases it.
type memory struct {
	actions  []format.Action
	contents []content // of the actions, by their place; those after its end have none
	bytes    []byte
	users    atomic.Int32 // the shard, and snapshots
}

// content is where in bytes an action's content is.
type content struct {
	seq, recorded uint64
	account       domain.AccountID
	brand         domain.BrandID
	time          domain.Second
	from, n       uint32
	any           bool
}

func (p *Memory) get() *memory {
	m, ok := p.pool.Get().(*memory)
	if !ok {
		m = &memory{}
	}
	m.users.Store(1)
	return m
}

// maxSpare is how many bytes are kept for another tail: a larger one is rare.
const maxSpare = 16 << 20

// release ends one use of the memory.
func (p *Memory) release(m *memory) {
	if m.users.Add(-1) > 0 || cap(m.bytes) > maxSpare {
		return
	}
	m.actions, m.contents, m.bytes = m.actions[:0], m.contents[:0], m.bytes[:0]
	p.pool.Put(m)
}

func newTail(o *Options) Tail {
	return Tail{
		memory: o.Memory.get(), spare: o.Memory, rows: o.SealRows, size: o.TailBytes,
		head: make([]int32, 1<<bits.Len(uint(2*o.SealRows))),
	}
}

// load reads what is in T and c.
func (t *Tail) load(db pebble.Reader, shard uint16) error {
	err := scan.Prefix(db, format.AppendShard(nil, format.FamilyTail, shard), func(k, v []byte) error {
		commit, err := format.ParseTailKey(k)
		if err != nil {
			return err
		}
		t.commits = commit + 1
		t.order, err = format.DecodeTail(t.order[:0], v)
		for i := range t.order {
			t.add(t.order[i])
		}
		return err
	})
	if err != nil {
		return err
	}
	t.committed = len(t.actions)
	return t.loadContents(db, shard)
}

func (t *Tail) loadContents(db pebble.Reader, shard uint16) error {
	places := make(map[uint64]int, len(t.actions))
	for i := range t.actions {
		if _, known := places[t.actions[i].Seq]; !known { // a later one only adds flags
			places[t.actions[i].Seq] = i
		}
	}
	var codec format.ContentCodec
	return scan.Prefix(db, format.AppendShard(nil, format.FamilyTailContent, shard), func(_, v []byte) error {
		codec.Reset()
		if err := codec.Decode(v); err != nil {
			return err
		}
		for _, e := range codec.Entries {
			at, ok := places[e.Seq]
			if !ok {
				return format.Damaged("c")
			}
			from := len(t.bytes)
			t.bytes = append(t.bytes, e.Text...)
			t.setContent(at, e.Recorded, from)
		}
		return nil
	})
}

// chain is the place of the newest action of the members of a hash, +1.
func (t *Tail) chain(account domain.AccountID, ord domain.Ordinal) *int32 {
	return &t.head[bloom.Mix(account, ord, 0)&uint64(len(t.head)-1)]
}

func (t *Tail) add(a format.Action) {
	t.actions = append(t.actions, a)
	p := t.chain(a.Account, a.Ord)
	t.prev = append(t.prev, *p)
	*p = int32(len(t.actions))
}

// SetContent is the content of the action added last.
func (t *Tail) SetContent(c *domain.Content) {
	from := len(t.bytes)
	t.bytes = format.AppendContent(t.bytes, c)
	t.setContent(len(t.actions)-1, uint64(c.Recorded), from)
}

// setContent notes that what was appended to bytes from a place on is an action's content.
func (t *Tail) setContent(at int, recorded uint64, from int) {
	for len(t.contents) <= at {
		t.contents = append(t.contents, content{})
	}
	a := &t.actions[at]
	t.contents[at] = content{
		seq: a.Seq, recorded: recorded, account: a.Account, brand: a.Brand, time: a.Time,
		from: uint32(from), n: uint32(len(t.bytes) - from), any: true,
	}
}

// Actions are those of the tail; the shard's goroutine may read them until Renew.
func (t *Tail) Actions() []format.Action { return t.actions }

// Uncommitted reports that something was added since the last commit.
func (t *Tail) Uncommitted() bool { return len(t.actions) > t.committed }

// Full reports that the tail is to be sealed with the next commit: what is erased stays in no key.
func (t *Tail) Full() bool { return t.erased || len(t.actions) >= t.rows || len(t.bytes) >= t.size }

// AppendContents appends the contents of the actions at some places, which ascend by
// sequence: the group of a key.
func (t *Tail) AppendContents(dst []format.Entry, keys []rowsort.Key) []format.Entry {
	for _, k := range keys {
		if int(k.I) >= len(t.contents) || !t.contents[k.I].any {
			continue
		}
		c := &t.contents[k.I]
		dst = append(dst, format.Entry{Seq: k.Group, Recorded: c.recorded, Text: t.bytes[c.from : c.from+c.n]})
	}
	return dst
}

// Content is the content of an action of the tail; nil: it is not there, or has none.
func (t *Tail) Content(
	account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64,
) (*domain.Content, error) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		at := int(p - 1)
		a := &t.actions[at]
		if a.Seq != seq || a.Time != time || a.Ord != ord || a.Account != account {
			continue
		}
		if at >= len(t.contents) || !t.contents[at].any {
			continue // a later entry only adds flags
		}
		c := &t.contents[at]
		e := format.Entry{Seq: seq, Recorded: c.recorded, Text: t.bytes[c.from : c.from+c.n]}
		return e.Decode()
	}
	return nil, nil
}

// AppendFresh appends the contents of the rows added since the last commit that count, by
// sequence.
func (t *Tail) AppendFresh(dst []format.Entry) []format.Entry {
	t.sorter.Reset()
	for i := t.committed; i < len(t.actions); i++ {
		if a := &t.actions[i]; !a.Flags.Dead() {
			t.sorter.Add(a.Seq, 0, i)
		}
	}
	t.sorter.Ascending()
	return t.AppendContents(dst, t.sorter.Keys)
}

// write puts what was added since the last commit into the batch.
func (t *Tail) write(b *pebble.Batch, shard uint16) error {
	fresh := t.actions[t.committed:]
	if len(fresh) == 0 {
		return nil
	}
	t.sorter.Reset()
	for i := range fresh {
		t.sorter.Add(uint64(fresh[i].Account)<<32|uint64(fresh[i].Ord), fresh[i].Time, i)
	}
	t.sorter.Sort(func(i int32) uint64 { return fresh[i].Seq })
	t.order = t.sorter.Gather(t.order, fresh)
	t.value = t.writer.AppendTail(t.value[:0], t.order)
	t.key = format.AppendTailKey(t.key[:0], shard, t.commits)
	return b.Set(t.key, t.value, nil)
}

// Committed ends the batch: what was added is in T.
func (t *Tail) Committed() {
	if t.committed < len(t.actions) {
		t.commits++
	}
	t.committed = len(t.actions)
}

// Renew begins a new tail: the last one is sealed. What snapshots look into stays theirs.
func (t *Tail) Renew() {
	t.spare.release(t.memory)
	t.memory = t.spare.get()
	t.prev, t.committed, t.commits, t.erased = t.prev[:0], 0, 0, false
	clear(t.head)
}

// Release gives the memory back: the shard is closed.
func (t *Tail) Release() { t.spare.release(t.memory) }
