package audit

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Marks are the state marks of the shard, in the order of offsets.
func (a *Audit) Marks() ([]format.StateMark, error) { return a.records.StateMarks() }

// Stretch is where the state hashes of two audits of one position went apart: in the records
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
		hash, both := at[m.At]
		if both && hash != m.Hash {
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

// sameState compares the states of two shards of one position, but for what
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
		{"published", a.Published == b.Published && a.DeadUpTo == b.DeadUpTo && a.KeysUpTo == b.KeysUpTo},
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

// compareOrigins compares the origins applied, wherever they are kept.
func compareOrigins(f *Findings, have, replay *Audit) error {
	origins := func(a *Audit) (map[string]domain.Origin, error) {
		all := map[string]domain.Origin{}
		err := a.records.EachOrigin(a.recent, func(o domain.Origin) {
			all[string(format.AppendOriginKey(nil, a.shard, o.Topic, o.Partition))] = o
		})
		return all, err
	}
	a, err := origins(have)
	if err != nil {
		return err
	}
	b, err := origins(replay)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		was, known := b[key]
		if !known {
			f.add(format.FamilyState, format.KeyName([]byte(key)), unexpected)
		} else if a[key] != was {
			f.add(format.FamilyState, format.KeyName([]byte(key)), altered)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, known := a[key]; !known {
			f.add(format.FamilyState, format.KeyName([]byte(key)), missing)
		}
	}
	return nil
}
