package storage

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// texts is what the actions of a tail say, in memory until they are sealed: it stands in
// c as well, and is read from there once, when the shard is opened. Snapshots look into
// it: what is there does not change until nobody does any more.
type texts struct {
	*tailMemory
	spare *sync.Pool // of tailMemory that nobody looks into
	most  int
}

// tailMemory is the memory of a tail: what texts knows of it, and the marks, which are
// the timeline's.
type tailMemory struct {
	marks []format.Action
	of    []said // of the marks of the tail, by their place; those behind its end say nothing
	bytes []byte
	users atomic.Int32 // the shard, and snapshots
}

// said is where in bytes an action's content stands.
type said struct {
	seq, recorded uint64
	account       domain.AccountID
	brand         domain.BrandID
	time          domain.Second
	from, n       uint32
	any           bool
}

// newTexts makes texts of at most so many bytes, with the commit that goes beyond it: then
// the tail is sealed, however few rows it has.
func newTexts(spare *sync.Pool, most int) texts {
	t := texts{spare: spare, most: most}
	t.take()
	return t
}

// take begins with nothing said.
func (t *texts) take() {
	m, ok := t.spare.Get().(*tailMemory)
	if !ok {
		m = &tailMemory{}
	}
	m.users.Store(1)
	t.tailMemory = m
}

// spareMost is how many bytes are kept for another tail: a larger one is rare.
const spareMost = 16 << 20

// release says that one user less looks into the memory.
func (m *tailMemory) release(spare *sync.Pool) {
	if m.users.Add(-1) > 0 || cap(m.bytes) > spareMost {
		return
	}
	m.marks, m.of, m.bytes = m.marks[:0], m.of[:0], m.bytes[:0]
	spare.Put(m)
}

// lend gives the marks, which do not change any more, and what is said until now to a
// reader, who releases the memory.
func (t *texts) lend(marks []format.Action) lentTail {
	t.users.Add(1)
	return lentTail{t.tailMemory, marks, t.of, t.bytes}
}

// lentTail is a tail as it was when it was lent. Any goroutine may read it.
type lentTail struct {
	*tailMemory
	marks []format.Action
	of    []said
	bytes []byte
}

// put notes the content of the mark at a place: places ascend.
func (t *texts) put(at int, m *format.Action, c *domain.Content) {
	from := len(t.bytes)
	t.bytes = format.AppendContent(t.bytes, c)
	t.set(at, m, uint64(c.Recorded), from)
}

// set notes that what was appended to bytes from a place on is the content of a mark.
func (t *texts) set(at int, m *format.Action, recorded uint64, from int) {
	for len(t.of) <= at {
		t.of = append(t.of, said{})
	}
	t.of[at] = said{
		seq: m.Seq, recorded: recorded, account: m.Account, brand: m.Brand, time: m.Time,
		from: uint32(from), n: uint32(len(t.bytes) - from), any: true,
	}
}

// entry is the content of the mark at a place; false: it has none.
func (t *texts) entry(at int, seq uint64) (format.Entry, bool) {
	if at >= len(t.of) || !t.of[at].any {
		return format.Entry{}, false
	}
	s := &t.of[at]
	return format.Entry{Seq: seq, Recorded: s.recorded, Text: t.bytes[s.from : s.from+s.n]}, true
}

func (t *texts) full() bool { return len(t.bytes) >= t.most }

// renew begins anew, and gives memory for the marks of the next tail in the place of the
// last one's: what snapshots look into stays theirs.
func (t *texts) renew(marks []format.Action) []format.Action {
	t.marks = marks
	t.release(t.spare)
	t.take()
	return t.marks[:0]
}

// load reads the contents of a tail, of which nothing is lent yet.
func (t *texts) load(db *pebble.DB, shard uint16, tail []format.Action) error {
	places := make(map[uint64]int, len(tail))
	for i := range tail {
		if _, known := places[tail[i].Seq]; !known { // a later mark of it tells only that it is taken
			places[tail[i].Seq] = i
		}
	}
	var codec format.ContentCodec
	return scanPrefix(db, format.AppendShard(nil, format.FamilyTailContent, shard), func(_, v []byte) error {
		codec.Entries = codec.Entries[:0]
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
			t.set(at, &tail[at], e.Recorded, from)
		}
		return nil
	})
}

// freshEntries appends the contents of the rows of the open batch that count, by
// sequence.
func (s *Shard) freshEntries(dst []format.Entry) []format.Entry {
	s.group.said.reset()
	for i := s.line.committed; i < len(s.line.tail); i++ {
		if m := &s.line.tail[i]; !m.Flags.Dead() {
			s.group.said.add(m.Seq, 0, i)
		}
	}
	return s.saidEntries(dst)
}

// saidEntries appends the contents of the marks that group.said has by their sequences,
// ascending.
func (s *Shard) saidEntries(dst []format.Entry) []format.Entry {
	s.group.said.ascending()
	for _, k := range s.group.said.keys {
		if e, ok := s.texts.entry(int(k.i), k.group); ok {
			dst = append(dst, e)
		}
	}
	return dst
}
