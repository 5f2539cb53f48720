package merging

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

func placeOf(r *domain.Row) member.Place { return member.Place{Account: r.Account, Ord: r.Ord} }

// pair is a one-time definition and a brand.
type pair struct {
	definition domain.DefinitionID
	brand      domain.BrandID
}

// covered reports that a row counts nowhere since an earlier one of the same pair does.
func (m *Merger) covered(at member.Place, seq uint64) bool {
	c := m.Accounts.Counted(at.Account, at.Ord)
	if c == nil {
		return false
	}
	_, is := slices.BinarySearch(c.Covered, seq)
	return is
}

// count has the rows of an ordinal count, or not. covered are those that do not; nil: as before.
func (m *Merger) count(ctx actor.Context, at member.Place, hidden bool, covered []uint64) error {
	past, err := m.Loaded.Past(at)
	if err != nil {
		return err
	}
	past = slices.DeleteFunc(past, func(r domain.Row) bool { return r.Flags.Dead() })
	return m.setCounted(ctx, at, hidden, covered, past)
}

// setCounted is count, of rows that are at hand.
func (m *Merger) setCounted(
	ctx actor.Context, at member.Place, hidden bool, covered []uint64, rows []domain.Row,
) error {
	c := &domain.CountedAs{
		Account: at.Account, Ord: at.Ord, As: m.root(at).Ord, Hidden: hidden, Covered: covered, Rows: rows,
	}
	if now := m.Accounts.Counted(at.Account, at.Ord); now != nil && covered == nil {
		c.Covered = now.Covered
	}
	m.Effects.Change(domain.Change{Kind: domain.RowsCounted, Value: c})
	return m.Shard.Stage(ctx)
}

// hides reports that the rows of an ordinal count nowhere.
func (m *Merger) hides(at member.Place) bool {
	c := m.Accounts.Counted(at.Account, at.Ord)
	return c != nil && c.Hidden
}

// pairsOf are the pairs of a shadow.
func (m *Merger) pairsOf(shadow *members.Actor) (all []pair, err error) {
	at := shadow.Place()
	note := func(o *domain.OneTime) {
		if p := (pair{o.Definition, o.Brand}); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	err = m.Store.OneTimes(at.Account, at.Ord, note)
	remembered := shadow.State().Pairs()
	for i := range remembered {
		note(&remembered[i])
	}
	return all, err
}

// coverAll covers what a shadow and the other sources of its borrower have twice.
func (m *Merger) coverAll(ctx actor.Context, shadow *members.Actor, borrower member.Place) error {
	pairs, err := m.pairsOf(shadow)
	for i := 0; i < len(pairs) && err == nil; i++ {
		err = m.cover(ctx, borrower, pairs[i], nil)
	}
	return err
}

// uncover has what a shadow covered count again, now that it counts nowhere itself.
func (m *Merger) uncover(ctx actor.Context, shadow *members.Actor, borrower member.Place) error {
	at := shadow.Place()
	delete(m.counted, at)
	m.groups[borrower] = slices.DeleteFunc(m.groups[borrower], func(p member.Place) bool { return p == at })
	if len(m.groups[borrower]) == 0 {
		delete(m.groups, borrower)
	}
	return m.coverAll(ctx, shadow, borrower)
}

// known is what a source knows of a pair.
type known struct {
	at  member.Place
	one domain.OneTime
	row domain.Row
}

// cover has the earliest action of a pair count, of those that a member and its shadows have. fresh
// are sequences of rows that are only now being added: they are lent on as such.
func (m *Merger) cover(ctx actor.Context, root member.Place, p pair, fresh []uint64) error {
	var all []known
	first := 0
	for _, at := range m.sources(root) {
		k, err := m.load(ctx, at)
		if err != nil {
			return err
		}
		one, row, ok, err := k.State().Pair(p.definition, p.brand, m.Store)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if all = append(all, known{at, one, row}); member.Precedes(&one, &all[first].one) {
			first = len(all) - 1
		}
	}
	for i := range all {
		if err := m.setCovered(ctx, root, &all[i], i != first, fresh); err != nil {
			return err
		}
	}
	return nil
}

// setCovered notes that a source's row of a pair is covered, or is not, and lends that on.
func (m *Merger) setCovered(ctx actor.Context, root member.Place, k *known, covered bool, fresh []uint64) error {
	if m.covered(k.at, k.one.Seq) == covered {
		return nil
	}
	var now []uint64
	if c := m.Accounts.Counted(k.at.Account, k.at.Ord); c != nil {
		now = slices.Clone(c.Covered)
	}
	i, there := slices.BinarySearch(now, k.one.Seq)
	switch {
	case covered && !there:
		now = slices.Insert(now, i, k.one.Seq)
	case !covered && there:
		now = slices.Delete(now, i, i+1)
	}
	if now == nil {
		now = []uint64{}
	}
	var rows []domain.Row
	if !k.one.Deleted {
		rows = []domain.Row{k.row}
	}
	if err := m.setCounted(ctx, k.at, m.hides(k.at), now, rows); err != nil {
		return err
	}
	if k.one.Deleted || slices.Contains(fresh, k.one.Seq) {
		return nil
	}
	return m.lendOn(root, k.row, covered)
}
