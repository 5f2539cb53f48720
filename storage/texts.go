package storage

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// texts is what the actions of a tail say, in memory until they are sealed: it stands in
// c as well, and is read from there once, when the shard is opened.
type texts struct {
	of    []said // of the marks of the tail, by their place; those behind its end say nothing
	bytes []byte
}

// said is where in bytes an action's content stands.
type said struct {
	recorded uint64
	from, n  uint32
	any      bool
}

// textsMost is how many bytes a tail's contents have at most, with the commit that goes
// beyond it: then it is sealed, however few rows it has.
const textsMost = 8 << 20

// put notes the content of the mark at a place: places ascend.
func (t *texts) put(at int, c *domain.Content) {
	from := len(t.bytes)
	t.bytes = appendText(t.bytes, c)
	t.set(at, said{recorded: uint64(c.Recorded), from: uint32(from), n: uint32(len(t.bytes) - from), any: true})
}

func (t *texts) set(at int, s said) {
	for len(t.of) <= at {
		t.of = append(t.of, said{})
	}
	t.of[at] = s
}

// entry is the content of the mark at a place; false: it has none.
func (t *texts) entry(at int, seq uint64) (entry, bool) {
	if at >= len(t.of) || !t.of[at].any {
		return entry{}, false
	}
	s := &t.of[at]
	return entry{seq: seq, recorded: s.recorded, text: t.bytes[s.from : s.from+s.n]}, true
}

func (t *texts) full() bool { return len(t.bytes) >= textsMost }

func (t *texts) reset() {
	t.of, t.bytes = t.of[:0], t.bytes[:0]
	if cap(t.bytes) > 2*textsMost {
		t.bytes = nil
	}
}

// load reads the contents of a tail.
func (t *texts) load(db *pebble.DB, shard uint16, tail []mark) error {
	places := make(map[uint64]int, len(tail))
	for i := range tail {
		if _, known := places[tail[i].seq]; !known { // a later mark of it tells only that it is taken
			places[tail[i].seq] = i
		}
	}
	var codec contentCodec
	return scanPrefix(db, appendShard(nil, familyText, shard), func(_, v []byte) error {
		codec.entries = codec.entries[:0]
		if err := codec.decode(v); err != nil {
			return err
		}
		for _, e := range codec.entries {
			at, ok := places[e.seq]
			if !ok {
				return damaged("c")
			}
			t.set(at, said{recorded: e.recorded, from: uint32(len(t.bytes)), n: uint32(len(e.text)), any: true})
			t.bytes = append(t.bytes, e.text...)
		}
		return nil
	})
}

// freshEntries appends the contents of the rows of the open batch that count, by
// sequence.
func (s *Shard) freshEntries(dst []entry) []entry {
	s.group.said.reset()
	for i := s.line.committed; i < len(s.line.tail); i++ {
		if m := &s.line.tail[i]; !m.flags.Dead() {
			s.group.said.add(m.seq, 0, i)
		}
	}
	return s.saidEntries(dst)
}

// saidEntries appends the contents of the marks that group.said has by their sequences,
// ascending.
func (s *Shard) saidEntries(dst []entry) []entry {
	s.group.said.ascending()
	for _, k := range s.group.said.keys {
		if e, ok := s.texts.entry(int(k.i), k.group); ok {
			dst = append(dst, e)
		}
	}
	return dst
}
