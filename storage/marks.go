package storage

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Mark notes that what is staged and committed until now is all records below an offset.
// It becomes durable with the next commit.
func (s *Shard) Mark(at int64) error {
	if err := s.usable(); err != nil {
		return err
	}
	s.key = format.AppendStateMarkKey(s.key[:0], s.id, at)
	s.value = format.AppendStateMark(s.value[:0], s.facts)
	if err := s.open.batch.Set(s.key, s.value, nil); err != nil {
		return s.fail(fmt.Errorf("stage a mark: %w", err))
	}
	return nil
}

// Marked is the offset of the last mark that was committed; 0: there is none.
func (s *Shard) Marked() (at int64, err error) {
	if err := s.usable(); err != nil {
		return 0, err
	}
	prefix := format.StateMarkPrefix(s.id)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return 0, err
	}
	if it.Last() {
		m, fault := format.DecodeStateMark(it.Key(), it.Value())
		at, err = m.At, fault
	}
	if closed := it.Close(); err == nil {
		err = closed
	}
	return at, err
}

// Marks are the marks of a shard, in the order of offsets.
func (a *Audit) Marks() (marks []format.StateMark, err error) {
	err = scanPrefix(a.db, format.StateMarkPrefix(a.shard), func(k, v []byte) error {
		m, err := format.DecodeStateMark(k, v)
		marks = append(marks, m)
		return err
	})
	return marks, err
}

// Stretch is where the facts of two audits of one position went apart: in the records
// [from, to) of the journal. Without a difference apart is false.
func Stretch(a, b *Audit) (from, to int64, apart bool, err error) {
	ours, err := a.Marks()
	if err != nil {
		return 0, 0, false, err
	}
	theirs, err := b.Marks()
	if err != nil {
		return 0, 0, false, err
	}
	at := map[int64][16]byte{}
	for _, m := range theirs {
		at[m.At] = m.Hash
	}
	for _, m := range ours {
		facts, both := at[m.At]
		if both && facts != m.Hash {
			return from, m.At, true, nil
		}
		if both {
			from = m.At
		}
	}
	if a.state.Facts != b.state.Facts {
		return from, a.state.Next, true, nil
	}
	return 0, 0, false, nil
}

// sameState compares what two shards of one position say about themselves, but for what
// follows from the way in which the log was read. It gives the names of what differs.
func sameState(a, b *domain.ShardState) (differ []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"journal", a.Journal == b.Journal},
		{"next", a.Next == b.Next},
		{"clock", a.Clock == b.Clock},
		{"rules", a.Rules == b.Rules},
		{"life", a.Life == b.Life},
		{"sequence", a.Sequence == b.Sequence},
		{"outbox", a.Outbox == b.Outbox},
		{"published", a.Published == b.Published && a.DeadUpTo == b.DeadUpTo},
		{"rows", a.Rows == b.Rows},
		{"expired", a.Expired == b.Expired},
		{"dead letters", a.Dead == b.Dead},
		{"state hash", a.Facts == b.Facts},
	} {
		if !f.same {
			differ = append(differ, f.name)
		}
	}
	return differ
}
