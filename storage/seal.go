package storage

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// A commit writes its rows once, by member, in one key of T, and their contents in blocks
// of c (contentblock.go). When the tail is full they move, in that commit's batch, to where they are
// read from: t by member, R and C by brand, with n counting. A brand gets a few rows
// of a commit and many of a tail: the keys of a batch are what a commit costs.
//
//	commit ─► T c
//	full   ─► t R C n         and range deletions of T and c

// writeRows puts the contents of the fresh rows into the batch, or, when the tail is
// full, all its rows where they stay.
func (s *Shard) writeRows(big *sealing, b *pebble.Batch, sequence uint64) error {
	if big != nil {
		return s.sealRows(big, b, sequence)
	}
	s.group.entries = s.freshEntries(s.group.entries[:0])
	return s.writeTexts(b, s.group.entries)
}

// grouping is the scratch of writeRows.
type grouping struct {
	numbers numbering
	actions []format.Row
	entries []format.Entry
	said    sorter // places in the tail, by sequence
}

// sealing is what it takes to seal a tail: megabytes, and rarely, so that shards share
// it. What nobody used for a while the collector takes.
type sealing struct {
	batch  *pebble.Batch
	sorter sorter
	order  []format.Action
	// The width class of the rows in R and C of each mark of the tail. It is no mark's own
	// yet: snapshots read those.
	classes []uint8
}

// sealingRetained is how large its batch may be to be used again.
const sealingRetained = 16 << 20

// sealRows groups the rows of the tail by brand and month, chooses the width class of
// each group and writes its operands.
func (s *Shard) sealRows(big *sealing, b *pebble.Batch, sequence uint64) error {
	s.store.gists.sealing(s.id)
	tail, g := s.line.tail, &s.group
	dead := taken(tail)
	g.numbers.reset()
	big.sorter.reset()
	big.classes = slices.Grow(big.classes[:0], len(tail))[:len(tail)]
	clear(big.classes)
	for i := range tail {
		m := &tail[i]
		if m.Flags.Dead() || dead[m.Seq] {
			continue
		}
		n := g.numbers.of(format.AccountMonth{Account: m.Account, Month: m.Month})
		big.sorter.add(uint64(n)<<32|uint64(m.Brand), m.Time, i)
	}
	big.sorter.sort(func(i int32) uint64 { return tail[i].Seq })
	for keys := big.sorter.keys; len(keys) > 0; {
		n := 1
		for n < len(keys) && keys[n].group == keys[0].group {
			n++
		}
		am := g.numbers.groups[keys[0].group>>32]
		if err := s.writeGroup(big, b, format.BrandMonth{Account: am.Account, Brand: domain.BrandID(uint32(keys[0].group)), Month: am.Month}, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return b.DeleteRange(format.AppendTailContentKey(nil, s.id, 0), format.AppendTailContentKey(nil, s.id, sequence+1), nil)
}

// taken is the sequences of the actions that the marks tell to count no more.
func taken(marks []format.Action) map[uint64]bool {
	dead := map[uint64]bool{}
	for i := range marks {
		if marks[i].Flags.Dead() {
			dead[marks[i].Seq] = true
		}
	}
	return dead
}

// writeGroup writes the rows of one brand's month, in order of (time, sequence).
func (s *Shard) writeGroup(big *sealing, b *pebble.Batch, k format.BrandMonth, keys []sortKey) error {
	held, err := s.heldRows(k)
	if err != nil {
		return err
	}
	held += uint64(len(keys))
	s.held[k] = held
	class, start := s.store.opts.widths.Class(held), k.Month.Start()
	if err := s.count(b, k, class, int64(len(keys))); err != nil {
		return err
	}
	for len(keys) > 0 {
		slot, n := format.SlotOf(class, start, keys[0].time), 1
		for n < len(keys) && format.SlotOf(class, start, keys[n].time) == slot {
			n++
		}
		if err := s.writeSlot(big, b, k, class, slot, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// writeSlot writes the operands of one key of R and of a slot of C, and notes the class of
// the marks.
func (s *Shard) writeSlot(big *sealing, b *pebble.Batch, k format.BrandMonth, class uint8, slot uint16, keys []sortKey) error {
	g := &s.group
	g.actions, g.entries = g.actions[:0], g.entries[:0]
	g.said.reset()
	for _, key := range keys {
		m := &s.line.tail[key.i]
		big.classes[key.i] = class
		g.actions = append(g.actions, format.Row{Seq: m.Seq, Time: m.Time, Ord: m.Ord, Definition: m.Definition, Points: m.Points, Service: m.Service})
		g.said.add(m.Seq, 0, int(key.i))
	}
	s.key = format.AppendRowKey(s.key[:0], format.FamilyRows, s.id, k, class, slot)
	s.value = s.rows.Append(s.value[:0], nil, g.actions)
	if err := b.Merge(s.key, s.value, nil); err != nil {
		return err
	}
	g.entries = s.saidEntries(g.entries)
	if len(g.entries) == 0 {
		return nil
	}
	p := format.SlotKey{Shard: s.id, Of: k, Class: class, Slot: slot}
	s.store.gists.forget(p)
	return s.writeContents(b, p, g.entries)
}

// unsealed is the rows of a tail that count, of one brand's month each, in order of
// month, account and brand, then of (time, sequence).
func unsealed(tail []format.Action, f func(k format.BrandMonth, rows []domain.Row)) {
	dead := taken(tail)
	var alive []format.Action
	for i := range tail {
		if m := &tail[i]; !m.Flags.Dead() && !dead[m.Seq] {
			alive = append(alive, *m)
		}
	}
	slices.SortFunc(alive, func(a, b format.Action) int {
		return cmp.Or(a.Of().Compare(b.Of()), cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq))
	})
	var rows []domain.Row
	for i := range alive {
		m := &alive[i]
		if i > 0 && alive[i-1].Of() != m.Of() {
			f(alive[i-1].Of(), rows)
			rows = rows[:0]
		}
		rows = append(rows, m.ColumnRow())
	}
	if len(rows) > 0 {
		f(alive[len(alive)-1].Of(), rows)
	}
}
