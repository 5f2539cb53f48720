package merge

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

func placeOf(r *domain.Row) member.Place { return member.Place{Account: r.Account, Ord: r.Ord} }

// pair is a one-time definition and a brand.
type pair struct {
	definition domain.DefinitionID
	brand      domain.BrandID
}

// covered reports that a row counts nowhere since an earlier one of the same pair does.
func (g *groups) covered(s *tx.State, at member.Place, seq uint64) bool {
	_, is := slices.BinarySearch(g.coveredOf(s, at), seq)
	return is
}

// pairsOf are the pairs of a shadow, in an order that is the same whichever of them are committed (I6).
func (g *groups) pairsOf(t *tx.Tx, shadow *members.Member) (all []pair, err error) {
	at := shadow.Place()
	note := func(o *domain.OneTime) {
		if p := (pair{o.Definition, o.Brand}); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	err = t.State.Store.OneTimes(at.Account, at.Ord, note)
	remembered := member.Pairs(shadow.State())
	for i := range remembered {
		note(&remembered[i])
	}
	slices.SortFunc(all, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.definition, b.definition), cmp.Compare(a.brand, b.brand))
	})
	return all, err
}

// turned is a row of a member's group that is covered, or is not any more.
type turned struct {
	root    member.Place
	row     domain.Row
	covered bool
}

// coverAll covers what a shadow and the other sources of its borrower have twice.
func (g *groups) coverAll(t *tx.Tx, shadow *members.Member, borrower member.Place) (all []turned, err error) {
	pairs, err := g.pairsOf(t, shadow)
	for i := 0; i < len(pairs) && err == nil; i++ {
		all, err = g.cover(t, all, borrower, pairs[i], nil)
	}
	return all, err
}

// uncover has what a shadow covered count again, now that it counts nowhere itself.
func (g *groups) uncover(t *tx.Tx, shadow *members.Member, borrower member.Place) ([]turned, error) {
	at := shadow.Place()
	delete(g.counted, at)
	delete(g.pairs, at)
	g.shadowsOf[borrower] = slices.DeleteFunc(g.shadowsOf[borrower], func(p member.Place) bool { return p == at })
	if len(g.shadowsOf[borrower]) == 0 {
		delete(g.shadowsOf, borrower)
	}
	return g.coverAll(t, shadow, borrower)
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

// cover has the earliest action of a pair count, of those that a member and its shadows have, and appends the
// rows that turn. fresh are sequences of rows that are only now being added: they are lent on as such.
func (g *groups) cover(t *tx.Tx, dst []turned, root member.Place, p pair, fresh []uint64) ([]turned, error) {
	all, first, err := g.knownOf(root, func(k *known) (ok bool, err error) {
		of, err := t.State.Loaded.Load(k.at)
		if err == nil {
			k.one, k.row, ok, err = member.Pair(of.State(), p.definition, p.brand, t.State.Store)
		}
		return ok, err
	})
	if err != nil {
		return dst, err
	}
	for _, at := range g.sources(root) {
		i := slices.IndexFunc(all, func(k known) bool { return k.at == at })
		if i < 0 {
			if err := g.putCovered(t, at, p, 0, nil); err != nil {
				return dst, err
			}
			continue
		}
		flips, err := g.setCovered(t, p, &all[i], i != first)
		if err != nil {
			return dst, err
		}
		if flips && !slices.Contains(fresh, all[i].one.Seq) {
			dst = append(dst, turned{root, all[i].row, i != first})
		}
	}
	return dst, nil
}

// setCovered notes that a source's row of a pair is covered, or is not. It turns, unless it counted nowhere
// before and counts nowhere now.
func (g *groups) setCovered(t *tx.Tx, p pair, k *known, covered bool) (flips bool, err error) {
	was := g.covered(t.State, k.at, k.one.Seq)
	seq, rows := uint64(0), []domain.Row(nil)
	if covered {
		seq = k.one.Seq
	}
	if !k.one.Deleted && was != covered {
		rows = []domain.Row{k.row}
	}
	err = g.putCovered(t, k.at, p, seq, rows)
	return was != covered && !(k.one.Deleted && covered), err
}

// putCovered notes which row of a source's pair is covered; 0: none. rows are those that may count otherwise
// than before.
func (g *groups) putCovered(t *tx.Tx, at member.Place, p pair, seq uint64, rows []domain.Row) error {
	was := g.pairs[at][p]
	if was == seq {
		return nil
	}
	now := slices.DeleteFunc(slices.Clone(g.coveredOf(t.State, at)), func(s uint64) bool { return s == was }) // views have the old ones
	g.note(at, p, seq)
	if i, there := slices.BinarySearch(now, seq); seq != 0 && !there {
		now = slices.Insert(now, i, seq)
	}
	return g.setCounted(t, at, g.hides(t.State, at), now, rows)
}

// note notes which row of a source's pair is covered; 0: none.
func (g *groups) note(at member.Place, p pair, seq uint64) {
	of := g.pairs[at]
	switch {
	case seq == 0:
		delete(of, p)
		return
	case of == nil:
		of = map[pair]uint64{}
		g.pairs[at] = of
	}
	of[p] = seq
}

// follow covers again what changed of one-time pairs.
func (g *groups) follow(t *tx.Tx, changes []domain.Change) (all []turned, err error) {
	for i := range changes {
		o, is := changes[i].Value.(*domain.OneTime)
		if !is {
			continue
		}
		root := g.survivorOf(member.Place{Account: o.Account, Ord: o.Ord})
		if len(g.shadowsOf[root]) == 0 {
			continue
		}
		if all, err = g.cover(t, all, root, pair{o.Definition, o.Brand}, added(changes)); err != nil {
			return nil, err
		}
	}
	return all, nil
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
