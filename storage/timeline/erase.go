package timeline

import (
	"math/bits"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Past is all actions of a member, each once and with all its flags, in order of (time, sequence):
// those of the open batch, of the tail, and sealed ones.
func (t *Timeline) Past(account domain.AccountID, ord domain.Ordinal) ([]format.Action, error) {
	return t.past(account, ord, func([]byte) error { return nil })
}

// past is Past; sealed is called with the key of each value of t that has actions of the member.
func (t *Timeline) past(account domain.AccountID, ord domain.Ordinal, sealed func(key []byte) error) ([]format.Action, error) {
	out, err := t.buckets.of(account, ord, sealed)
	if err != nil {
		return nil, err
	}
	t.eachInTail(account, ord, func(at int) { out = append(out, t.actions[at]) })
	format.SortActions(out)
	return format.Coalesce(out), nil
}

// eachInTail calls f with the places of a member's actions in the tail.
func (t *Timeline) eachInTail(account domain.AccountID, ord domain.Ordinal, f func(at int)) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if a := &t.actions[p-1]; a.Ord == ord && a.Account == account {
			f(int(p - 1))
		}
	}
}

// Erase takes all that a member did out, and gives it as Past does: of sealed rows nothing stays, and
// a tail that has rows of the member is sealed with the commit, without them. In the tail are the
// sequences that it has. No action of the member is added after.
func (t *Timeline) Erase(
	b *pebble.Batch, account domain.AccountID, ord domain.Ordinal,
) (past []format.Action, inTail map[uint64]bool, err error) {
	erased := format.AppendErased(nil, []domain.Ordinal{ord})
	past, err = t.past(account, ord, func(key []byte) error { return b.Merge(key, erased, nil) })
	if err != nil {
		return nil, nil, err
	}
	inTail = map[uint64]bool{}
	var flagged []format.Action // of those that snapshots may look into
	t.eachInTail(account, ord, func(at int) {
		inTail[t.actions[at].Seq] = true
		if !t.AddFlags(at, domain.Erased) {
			a := t.actions[at]
			a.Flags |= domain.Erased
			flagged = append(flagged, a)
		}
	})
	for i := range flagged {
		t.Add(flagged[i])
	}
	t.erased = t.erased || len(inTail) > 0
	return past, inTail, nil
}

// of is the sealed actions of a member, in any order; found is called with the key of each value
// that has some.
func (b *buckets) of(
	account domain.AccountID, ord domain.Ordinal, found func(key []byte) error,
) (out []format.Action, err error) {
	for k, s := range b.sealed {
		if k.Account != account {
			continue
		}
		for set := s.classes; set != 0; set &= set - 1 {
			class, before := uint8(bits.TrailingZeros32(set)), len(out)
			b.key = format.AppendTimelineKey(b.key[:0], b.shard, k, class, format.BucketOf(class, ord))
			_, err := scan.Get(b.db, b.key, func(v []byte) (err error) {
				out, err = format.AppendMemberActions(out, v, k, ord)
				return err
			})
			if err == nil && len(out) > before {
				err = found(b.key)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
