package merging

import (
	"cmp"
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
func (g *groups) covered(at member.Place, seq uint64) bool {
	_, is := slices.BinarySearch(g.coveredOf(at), seq)
	return is
}

// pairsOf are the pairs of a shadow, in an order that is the same whichever of them are committed (I6).
func (g *groups) pairsOf(shadow *members.Actor) (all []pair, err error) {
	at := shadow.Place()
	note := func(o *domain.OneTime) {
		if p := (pair{o.Definition, o.Brand}); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	err = g.Store.OneTimes(at.Account, at.Ord, note)
	remembered := member.Pairs(shadow.State())
	for i := range remembered {
		note(&remembered[i])
	}
	slices.SortFunc(all, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.definition, b.definition), cmp.Compare(a.brand, b.brand))
	})
	return all, err
}

// coverAll covers what a shadow and the other sources of its borrower have twice.
func (g *groups) coverAll(ctx actor.Context, shadow *members.Actor, borrower member.Place) error {
	pairs, err := g.pairsOf(shadow)
	for i := 0; i < len(pairs) && err == nil; i++ {
		err = g.cover(ctx, borrower, pairs[i], nil)
	}
	return err
}

// uncover has what a shadow covered count again, now that it counts nowhere itself.
func (g *groups) uncover(ctx actor.Context, shadow *members.Actor, borrower member.Place) error {
	at := shadow.Place()
	delete(g.counted, at)
	g.of[borrower] = slices.DeleteFunc(g.of[borrower], func(p member.Place) bool { return p == at })
	if len(g.of[borrower]) == 0 {
		delete(g.of, borrower)
	}
	return g.coverAll(ctx, shadow, borrower)
}

// known is what a source knows of a pair.
type known struct {
	at  member.Place
	one domain.OneTime
	row domain.Row // of one in memory
}

// knownOf are the sources of a member that know of a pair, and which of them has its earliest action. of
// is what a source knows.
func (g *groups) knownOf(
	root member.Place, of func(*known) (ok bool, err error),
) (all []known, first int, err error) {
	for _, at := range g.sources(root) {
		k := known{at: at}
		ok, err := of(&k)
		if err != nil {
			return nil, 0, err
		}
		if !ok || member.IsOpen(&k.one) {
			continue
		}
		if all = append(all, k); member.Precedes(&k.one, &all[first].one) {
			first = len(all) - 1
		}
	}
	return all, first, nil
}

// cover has the earliest action of a pair count, of those that a member and its shadows have. fresh
// are sequences of rows that are only now being added: they are lent on as such.
func (g *groups) cover(ctx actor.Context, root member.Place, p pair, fresh []uint64) error {
	all, first, err := g.knownOf(root, func(k *known) (ok bool, err error) {
		of, err := g.Loaded.Load(ctx, k.at)
		if err == nil {
			k.one, k.row, ok, err = member.Pair(of.State(), p.definition, p.brand, g.Store)
		}
		return ok, err
	})
	if err != nil {
		return err
	}
	for i := range all {
		if err := g.setCovered(ctx, root, &all[i], i != first, fresh); err != nil {
			return err
		}
	}
	return nil
}

// setCovered notes that a source's row of a pair is covered, or is not, and lends that on.
func (g *groups) setCovered(ctx actor.Context, root member.Place, k *known, covered bool, fresh []uint64) error {
	if g.covered(k.at, k.one.Seq) == covered {
		return nil
	}
	now := slices.Clone(g.coveredOf(k.at)) // views have the old ones
	if i, there := slices.BinarySearch(now, k.one.Seq); there {
		now = slices.Delete(now, i, i+1)
	} else {
		now = slices.Insert(now, i, k.one.Seq)
	}
	var rows []domain.Row
	if !k.one.Deleted {
		rows = []domain.Row{k.row}
	}
	if err := g.setCounted(ctx, k.at, g.hides(k.at), now, rows); err != nil {
		return err
	}
	if k.one.Deleted && covered || slices.Contains(fresh, k.one.Seq) {
		return nil
	}
	return g.covers(root, k.row, covered)
}

// follow covers anew what changed of one-time pairs.
func (g *groups) follow(ctx actor.Context, changes []domain.Change) error {
	for i := range changes {
		o, is := changes[i].Value.(*domain.OneTime)
		if !is {
			continue
		}
		root := g.root(member.Place{Account: o.Account, Ord: o.Ord})
		if len(g.of[root]) == 0 {
			continue
		}
		if err := g.cover(ctx, root, pair{o.Definition, o.Brand}, added(changes)); err != nil {
			return err
		}
	}
	return nil
}

// forget has what is covered be what a start would make it: the sequences of pairs, not of rows that were
// taken out since.
func (g *groups) forget(ctx actor.Context, changes []domain.Change) error {
	for i := range changes {
		row := &changes[i].Row
		at := placeOf(row)
		if changes[i].Kind != domain.RowTaken || !g.covered(at, row.Seq) {
			continue
		}
		k, err := g.Loaded.Load(ctx, at)
		if err != nil {
			return err
		}
		one, _, ok, err := member.Pair(k.State(), row.Definition, row.Brand, g.Store)
		if err != nil {
			return err
		}
		if ok && one.Seq == row.Seq && !member.IsOpen(&one) {
			continue
		}
		now := slices.DeleteFunc(slices.Clone(g.coveredOf(at)), func(seq uint64) bool { return seq == row.Seq })
		if err := g.setCounted(ctx, at, g.hides(at), now, nil); err != nil {
			return err
		}
	}
	return nil
}

// added are the sequences of the rows that are added, where one of them may be covered.
func added(changes []domain.Change) (seqs []uint64) {
	for i := range changes {
		if c := &changes[i]; c.Kind == domain.RowAdded && c.Row.Flags&domain.OneTimeRow != 0 {
			seqs = append(seqs, c.Row.Seq)
		}
	}
	return seqs
}
