package timeline

import (
	"math/bits"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Past is all actions of a member, with all their flags, in order of (time, sequence): those of
// the open batch, of the tail, and sealed ones.
func (t *Timeline) Past(account domain.AccountID, ord domain.Ordinal) ([]Passed, error) {
	var out []Passed
	err := t.buckets.eachOf(account, ord, func(k format.AccountMonth, v []byte) error {
		actions, err := format.AppendMemberActions(nil, v, k, ord)
		for i := range actions {
			out = append(out, Passed{Action: actions[i], Sealed: true})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t.eachInTail(account, ord, func(at int) { out = append(out, Passed{Action: t.actions[at]}) })
	slices.SortStableFunc(out, func(a, b Passed) int {
		switch {
		case a.Before(&b.Action):
			return -1
		case b.Before(&a.Action):
			return 1
		}
		return 0
	})
	return coalesce(out), nil
}

// Passed is an action of a member's past.
type Passed struct {
	format.Action
	Sealed bool // its row is sealed; what the tail has of it are flags
}

// coalesce makes one of neighbours that are one action: a sealed row comes before the flags that
// the tail has.
func coalesce(all []Passed) []Passed {
	out := all[:0]
	for i := range all {
		if k := len(out); k > 0 && out[k-1].Same(&all[i].Action) {
			out[k-1].Flags |= all[i].Flags
		} else {
			out = append(out, all[i])
		}
	}
	return out
}

// eachInTail calls f with the places of a member's actions in the tail.
func (t *Timeline) eachInTail(account domain.AccountID, ord domain.Ordinal, f func(at int)) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if a := &t.actions[p-1]; a.Ord == ord && a.Account == account {
			f(int(p - 1))
		}
	}
}

// Erase takes all that a member did out: of sealed rows nothing stays, and a tail that has rows of
// the member is sealed with the commit, without them. No action of the member is added after.
func (t *Timeline) Erase(b *pebble.Batch, account domain.AccountID, ord domain.Ordinal) error {
	var marks []format.Action
	t.eachInTail(account, ord, func(at int) {
		t.erased = true
		if !t.AddFlags(at, domain.Erased) {
			a := t.actions[at]
			a.Flags |= domain.Erased
			marks = append(marks, a)
		}
	})
	for i := range marks {
		t.Add(marks[i])
	}
	return t.buckets.erase(b, account, ord)
}

// eachOf calls f with the values of t in which a member may have rows.
func (b *buckets) eachOf(account domain.AccountID, ord domain.Ordinal, f func(format.AccountMonth, []byte) error) error {
	for k, s := range b.sealed {
		if k.Account != account {
			continue
		}
		for set := s.classes; set != 0; set &= set - 1 {
			class := uint8(bits.TrailingZeros32(set))
			b.key = format.AppendTimelineKey(b.key[:0], b.shard, k, class, format.BucketOf(class, ord))
			if _, err := scan.Get(b.db, b.key, func(v []byte) error { return f(k, v) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// erase erases the member in the values of t that have rows of it.
func (b *buckets) erase(batch *pebble.Batch, account domain.AccountID, ord domain.Ordinal) error {
	b.value = format.AppendErased(b.value[:0], []domain.Ordinal{ord})
	return b.eachOf(account, ord, func(k format.AccountMonth, v []byte) error {
		there := false
		err := format.EachBlock(v, func(block *format.Block) error {
			lo, hi := block.Find(ord)
			there = there || lo < hi
			return nil
		})
		if !there || err != nil {
			return err
		}
		return batch.Merge(b.key, b.value, nil)
	})
}
